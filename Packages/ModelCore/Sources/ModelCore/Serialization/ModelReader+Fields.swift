@_spi(ModelKitInternals) import FieldKit

// The staging of single fields of a model.
extension ModelReader {
  /// Returns a closure that sets a field; nil if the value was rejected and recorded.
  func staged(
    _ json: JSONValue, _ field: AnyField, _ index: Int, of model: ModelObject, _ object: AttributeDictionary
  ) throws -> (() -> Void)? {
    guard field.isRelation else { return try staged(json, field, index, of: model) }
    return try inside(field, index, of: model, .object(object)) {
      try stagedRelation(json, field, index, of: model, object)
    }
  }

  private func stagedRelation(
    _ json: JSONValue, _ field: AnyField, _ index: Int, of model: ModelObject, _ object: AttributeDictionary
  ) throws -> (() -> Void)? {
    guard context.keepsUnknownKeys, case .object = json else { return try staged(json, field, index, of: model) }
    outerKeys = keysLeadingInto(key(of: field, index, of: model), of: model, object)
    defer { outerKeys = [] }
    return try staged(json, field, index, of: model)
  }

  private func staged(
    _ json: JSONValue, _ field: AnyField, _ index: Int, of model: ModelObject
  ) throws -> (() -> Void)? {
    if leniency == nil { return try field.staged(json, by: self) }
    return stagedLeniently(json, field, at: path(of: field, index, of: model), of: model)
  }

  func takeOuterKeys() -> [String] {
    if outerKeys.isEmpty { return [] }
    defer { outerKeys = [] }
    return outerKeys
  }
}

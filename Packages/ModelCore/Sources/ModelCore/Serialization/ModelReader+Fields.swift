@_spi(ModelKitInternals) import FieldKit

// How one field of a model is read with the others.
extension ModelReader {
  /// What sets a field; nil if the value does not fit, and note was taken of that.
  func staged(
    _ json: JSONValue, _ field: AnyField, _ index: Int, of model: ModelObject, _ object: AttributeDictionary
  ) throws -> (() -> Void)? {
    guard context.keepsUnknownKeys, field.isRelation, case .object = json else {
      return try staged(json, field, index, of: model)
    }
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

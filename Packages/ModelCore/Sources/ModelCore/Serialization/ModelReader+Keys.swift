@_spi(ModelKitInternals) import FieldKit

// Keys as a context spells them, and their values.
extension ModelReader {
  func value(
    of field: AnyField, _ index: Int, of model: ModelObject, in object: AttributeDictionary
  ) -> JSONValue? {
    // If a nested key passes through a value that is not an object, such as an identifier, there is no value.
    try? object.value(atNestedKey: key(of: field, index, of: model))
  }

  func key(of field: AnyField, _ index: Int, of model: ModelObject) -> String {
    context.key(field.declaredKey ?? model.layout.slots[index].propertyName, &keys)
  }

  func path(of field: AnyField, _ index: Int, of model: ModelObject) -> FieldPath {
    FieldPath(key(of: field, index, of: model).split(separator: ".").map { .key(String($0)) })
  }
}

extension ValueTransformerContext {
  /// Returns a key as this context spells it. Changing the case costs more than reading a value, so each key is
  /// converted once.
  func key(_ key: String, _ cache: inout [String: String]) -> String {
    if keyCase == nil { return key }
    if let known = cache[key] { return known }
    let spelled = self.key(key)
    cache[key] = spelled
    return spelled
  }
}

@_spi(ModelKitInternals) import ModelCore

/// The access of queries to the elements of a list.
enum ListElements {
  /// Returns a field that reads one element of a list; nil if the field holds no list.
  static func prototype(of field: AnyField, _ context: ValueTransformerContext) -> AnyField? {
    if field.isUntypedMember { return Field<UntypedMember>() }
    if let list = field as? any ListField, list.isCodedByElement(in: context) { return list.elementPrototype }
    return (field.valueType as? any ListOfValues.Type)?.plainElement()
  }

  /// Returns a function that splits a list that is not written element by element; nil for other lists and for
  /// relations.
  static func reader(
    of field: AnyField, _ context: ValueTransformerContext
  ) throws -> ((JSONValue) throws -> [JSONValue])? {
    if field is any RelationField || field.isUntypedMember { return nil }
    if let list = field as? any ListField, list.isCodedByElement(in: context) { return nil }
    guard let type = field.valueType as? any ListOfValues.Type else {
      throw ModelStoreError(.invalid, "\"\(field.key ?? "?")\" is not a list: its type is \(field.valueType).")
    }
    return { json in try type.elements(of: json, field, context) }
  }
}

/// A list with elements of any type.
private protocol ListOfValues {
  static func plainElement() -> AnyField
  static func elements(of json: JSONValue, _ field: AnyField, _ context: ValueTransformerContext) throws -> [JSONValue]
}

extension Array: ListOfValues {
  fileprivate static func plainElement() -> AnyField { Field<Element>() }

  fileprivate static func elements(
    of json: JSONValue, _ field: AnyField, _ context: ValueTransformerContext
  ) throws -> [JSONValue] {
    guard let field = field as? Field<[Element]>, let list = try field.value(readFrom: json, in: context) else {
      return []
    }
    return try list.map { try context.json(of: $0) }
  }
}

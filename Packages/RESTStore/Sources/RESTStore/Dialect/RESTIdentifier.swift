@_spi(ModelKitInternals) public import StoreProtocol

/// Functions that put an identifier, which an API writes as text, into a record in the form of its field.
///
/// ```swift
/// func deserialize<M: Model>(
///   _ payload: JSONValue, of type: M.Type
/// ) throws -> AttributeDictionary {
///   var record = payload["attributes"]?.objectValue ?? [:]
///   RESTIdentifier.write(payload["id"]?.stringValue ?? "", of: type, to: &record)
///   return record
/// }
/// ```
public enum RESTIdentifier {
  /// The spelling of the keys and values of records in the store that reads an answer.
  @TaskLocal static var transformers = ValueTransformerContext.standard

  /// Writes an identifier into a record, at the position and in the form of the identifier field: as a number for a
  /// field of integers. Nothing is written if the type has no identifier field that can hold it.
  ///
  /// - Parameters:
  ///   - identifier: the identifier as text.
  ///   - type: the class of the model.
  ///   - record: the record.
  public static func write<M: Model>(_ identifier: String, of type: M.Type, to record: inout AttributeDictionary) {
    M.prototype().storedValue(ofIdentifier: identifier, in: transformers)?.write(to: &record)
  }

  /// Returns the value of a relation in a record: the identifier in the form of its field, or the attributes including
  /// the identifier.
  ///
  /// - Parameters:
  ///   - identifier: the identifier of the related model as text.
  ///   - attributes: its attributes, if they are known.
  ///   - key: the key of the relation.
  ///   - type: the class of the model that has the relation.
  public static func related<M: Model>(
    _ identifier: String, attributes: AttributeDictionary?, at key: String, of type: M.Type
  ) -> JSONValue {
    guard let related = relation(at: key, of: M.prototype())?.relatedClass.init() else { return .string(identifier) }
    return attributes.map { .object(record(identifier, $0, of: related)) } ?? value(identifier, of: related)
  }

  /// Returns an identifier in the form that it has in records of a model.
  static func value(_ identifier: String, of model: ModelObject) -> JSONValue {
    model.storedValue(ofIdentifier: identifier, in: transformers)?.value ?? .string(identifier)
  }

  /// Returns a record of a model with its identifier.
  static func record(_ identifier: String, _ record: AttributeDictionary, of model: ModelObject) -> AttributeDictionary
  {
    var record = record
    model.storedValue(ofIdentifier: identifier, in: transformers)?.write(to: &record)
    return record
  }

  /// Returns the relation of a key, in whichever case the API writes it.
  static func relation(at key: String, of model: ModelObject) -> (any RelationField)? {
    let field = model.field(declaredAs: key) ?? model.field(declaredAs: KeyCase.lowerCamel.key(key))
    return field as? any RelationField
  }
}

extension ModelObject {
  /// Returns a model of the class as which a record of this class is read, which may be a derived one.
  static func sample(for record: AttributeDictionary) -> ModelObject {
    includes(record) ? storedClass(for: record).init() : Self.init()
  }
}

import FieldKit

/// An error in the mapping of a class or document by a schema.
public enum SchemaMappingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The schema names a value transformer that was not supplied.
  case unknownTransformer(String, known: [String])
  /// A value transformer has another value type than the field.
  case unfitTransformer(String, expected: String, found: String)
  /// The schema has no entity with this name.
  case unknownEntity(String, known: [String])
  /// The entity is abstract: only derived entities have models.
  case abstractEntity(String)

  /// The failure, and how to correct it.
  public var description: String {
    switch self {
    case .unknownTransformer(let name, let known):
      "there is no value transformer \"\(name)\" among those given to the schema (\(Self.list(known)))"
    case .unfitTransformer(let name, let expected, let found):
      "the value transformer \"\(name)\" returns \(found), but the field has \(expected)"
    case .unknownEntity(let name, let known):
      "The schema has no entity \"\(name)\". It has \(Self.list(known))."
    case .abstractEntity(let name):
      "The entity \"\(name)\" is abstract: create a model of a derived entity."
    }
  }

  private static func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}

/// A placeholder for an unusable transformer. It throws the reason as soon as it has to transform a value.
struct MissingTransformer<Value>: ValueTransforming {
  let problem: String

  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value? {
    throw ValueTransformError(expected: "a usable value transformer, but \(problem)", found: json)
  }

  func exportValue(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue {
    throw ValueTransformError(
      expected: "a usable value transformer, but \(problem)", found: "\(Value.self)")
  }
}

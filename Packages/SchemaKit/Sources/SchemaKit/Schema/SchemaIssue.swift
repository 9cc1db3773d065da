/// A problem in a schema, with its location.
public struct SchemaIssue: Hashable, Sendable, CustomStringConvertible {
  /// The kind of an issue.
  public enum Kind: Hashable, Sendable {
    /// The file has an unknown XML element. It was kept.
    case unknownElement
    /// The file has an unknown XML attribute. It was kept.
    case unknownSetting
    /// An attribute has an unknown type. It was kept.
    case unknownType
    /// Two entities have the same name.
    case duplicateEntity
    /// Two properties of an entity have the same name.
    case duplicateProperty
    /// The parent of an entity does not exist.
    case unknownParent
    /// An entity is derived from itself.
    case parentCycle
    /// A relationship has no destination.
    case missingDestination
    /// The destination of a relationship does not exist.
    case unknownDestination
    /// The inverse of a relationship does not exist.
    case unknownInverse
    /// The inverse of a relationship has another inverse.
    case mismatchedInverse
    /// The composite of an attribute does not exist.
    case unknownComposite
    /// A value is invalid: a default of another type, or a minimum above its maximum.
    case unfitValue
    /// A class lacks a property of its entity, or has it with another type.
    case unfitClass
    /// A value transformer does not exist.
    case unknownTransformer
  }

  /// The kind of the issue.
  public let kind: Kind
  /// The entity of the issue.
  public let entity: String?
  /// The property of the issue.
  public let property: String?
  /// The line in the file.
  public let line: Int?
  /// The problem as a sentence.
  public let message: String

  init(_ kind: Kind, _ message: String, entity: String? = nil, property: String? = nil, line: Int? = nil) {
    self.kind = kind
    self.message = message
    self.entity = entity
    self.property = property
    self.line = line
  }

  /// The line, and the problem.
  public var description: String { (line.map { "line \($0): " } ?? "") + message }
}

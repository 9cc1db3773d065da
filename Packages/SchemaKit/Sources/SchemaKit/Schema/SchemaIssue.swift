/// Something in a schema that is not as it should be, and where.
public struct SchemaIssue: Hashable, Sendable, CustomStringConvertible {
  /// What kind of thing it is.
  public enum Kind: Hashable, Sendable {
    /// The file has an XML element that is not known. It was kept.
    case unknownElement
    /// The file has an XML attribute that is not known. It was kept.
    case unknownSetting
    /// An attribute has a type that is not known. It was kept.
    case unknownType
    /// Two entities have one name.
    case duplicateEntity
    /// Two properties of an entity have one name.
    case duplicateProperty
    /// An entity is derived from one that is not there.
    case unknownParent
    /// An entity is derived from itself.
    case parentCycle
    /// A relationship leads nowhere.
    case missingDestination
    /// A relationship leads to an entity that is not there.
    case unknownDestination
    /// The inverse of a relationship is not there.
    case unknownInverse
    /// The inverse of a relationship does not lead back to it.
    case mismatchedInverse
    /// An attribute is a composite that is not there.
    case unknownComposite
    /// A value does not fit: a default of another type, or limits the wrong way round.
    case unfitValue
    /// A class does not have what its entity has, or has something else.
    case unfitClass
    /// There is no value transformer of a name.
    case unknownTransformer
  }

  /// What kind of thing it is.
  public let kind: Kind
  /// The entity it is about.
  public let entity: String?
  /// The property of the entity it is about.
  public let property: String?
  /// The line of the file.
  public let line: Int?
  /// What is wrong, as a sentence.
  public let message: String

  init(_ kind: Kind, _ message: String, entity: String? = nil, property: String? = nil, line: Int? = nil) {
    self.kind = kind
    self.message = message
    self.entity = entity
    self.property = property
    self.line = line
  }

  /// The line, and what is wrong.
  public var description: String { (line.map { "line \($0): " } ?? "") + message }
}

extension CoreDataSchema {
  /// An index that makes looking for objects fast.
  public struct FetchIndex: Hashable, Sendable {
    /// What is looked at, in order.
    public struct Part: Hashable, Sendable {
      /// The property; nil for an expression.
      public var property: String?
      /// The expression, if it is not simply a property.
      public var expression: String?
      /// The kind of index, such as `Binary` or `RTree`.
      public var kind: String
      /// Whether small values come first.
      public var isAscending: Bool
      var otherSettings: [String: String] = [:]

      /// Creates a part.
      public init(property: String?, expression: String? = nil, kind: String = "Binary", isAscending: Bool = true) {
        self.property = property
        self.expression = expression
        self.kind = kind
        self.isAscending = isAscending
      }
    }

    /// The name of the index.
    public var name: String
    /// What is looked at, in order.
    public var parts: [Part]
    /// Which objects are in the index; nil for all.
    public var partialPredicate: String?
    var otherSettings: [String: String] = [:]
    var otherElements: [Element] = []

    /// Creates an index.
    public init(name: String, parts: [Part], partialPredicate: String? = nil) {
      self.name = name
      self.parts = parts
      self.partialPredicate = partialPredicate
    }
  }

  /// A type of object.
  public struct Entity: Hashable, Sendable {
    /// The name, unique in the schema.
    public var name: String
    /// The class as the file spells it, with a module before a dot if there is one: `MDLBook`, `Shop.Book`, `.Book`.
    public var representedClassName: String?
    /// Whether there are objects of derived entities only.
    public var isAbstract: Bool
    /// The entity whose properties this one has as well.
    public var parentName: String?
    /// The values, without those of the parent, in the order of the file.
    public var attributes: [Attribute]
    /// The relations, without those of the parent, in the order of the file.
    public var relationships: [Relationship]
    /// What people noted about the entity.
    public var userInfo: [String: String]
    /// Sets of properties of which no two objects have the same values.
    public var uniquenessConstraints: [[String]]
    /// The indexes.
    public var indexes: [FetchIndex]
    /// The fetched properties, as they are.
    public var fetchedProperties: [Element]
    /// What the entity was called before, in an earlier version.
    public var renamingIdentifier: String?
    /// All other XML attributes, as they are.
    public var otherSettings: [String: String]
    /// All other XML elements, as they are.
    public var otherElements: [Element]
    var place = SourcePlace()

    /// The line of the file on which it begins; nil if it was not read from one.
    public var line: Int? { place.line }

    /// Creates an entity.
    public init(
      name: String, representedClassName: String? = nil, isAbstract: Bool = false, parentName: String? = nil,
      attributes: [Attribute] = [], relationships: [Relationship] = [], userInfo: [String: String] = [:],
      uniquenessConstraints: [[String]] = [], indexes: [FetchIndex] = [], fetchedProperties: [Element] = [],
      renamingIdentifier: String? = nil, otherSettings: [String: String] = [:], otherElements: [Element] = []
    ) {
      self.name = name
      self.representedClassName = representedClassName
      self.isAbstract = isAbstract
      self.parentName = parentName
      self.attributes = attributes
      self.relationships = relationships
      self.userInfo = userInfo
      self.uniquenessConstraints = uniquenessConstraints
      self.indexes = indexes
      self.fetchedProperties = fetchedProperties
      self.renamingIdentifier = renamingIdentifier
      self.otherSettings = otherSettings
      self.otherElements = otherElements
    }

    /// The name of the class without its module; the name of the entity if the file names no class.
    public var className: String {
      guard let last = representedClassName?.split(separator: ".").last else { return name }
      return String(last)
    }

    /// The module of the class; nil if the file names none, or the one in which it is compiled.
    public var moduleName: String? {
      guard let parts = representedClassName?.split(separator: "."), parts.count > 1 else { return nil }
      return parts.dropLast().joined(separator: ".")
    }

    /// The attribute with a name, without looking at the parent.
    public func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

    /// The relationship with a name, without looking at the parent.
    public func relationship(_ name: String) -> Relationship? { relationships.first { $0.name == name } }
  }

  /// Attributes that go by one name together.
  public struct Composite: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The attributes in the order of the file.
    public var attributes: [Attribute]
    /// The name of the XML element, of which there is more than one.
    var elementName = "composite"
    var otherSettings: [String: String] = [:]
    var otherElements: [Element] = []

    /// Creates a composite.
    public init(name: String, attributes: [Attribute]) {
      self.name = name
      self.attributes = attributes
    }
  }
}

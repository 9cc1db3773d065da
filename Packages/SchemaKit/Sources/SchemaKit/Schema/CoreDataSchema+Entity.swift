extension CoreDataSchema {
  /// An index that makes fetches fast.
  public struct FetchIndex: Hashable, Sendable {
    /// A property or expression of an index.
    public struct Part: Hashable, Sendable {
      /// The property; nil for an expression.
      public var property: String?
      /// The expression; nil for a property.
      public var expression: String?
      /// The kind of index, such as `Binary` or `RTree`.
      public var kind: String
      /// Whether the order is ascending.
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
    /// The indexed properties and expressions, in order.
    public var parts: [Part]
    /// The condition of a partial index; nil for an index of all objects.
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
    /// The class as in the file, with its module before a dot if it has one: `MDLBook`, `Shop.Book`, `.Book`.
    public var representedClassName: String?
    /// Whether the entity is abstract: only derived entities have objects.
    public var isAbstract: Bool
    /// The name of the parent entity, whose properties are inherited.
    public var parentName: String?
    /// The attributes in the order of the file, without inherited ones.
    public var attributes: [Attribute]
    /// The relationships in the order of the file, without inherited ones.
    public var relationships: [Relationship]
    /// The user info of the entity.
    public var userInfo: [String: String]
    /// The sets of properties whose combination of values is unique.
    public var uniquenessConstraints: [[String]]
    /// The indexes.
    public var indexes: [FetchIndex]
    /// The fetched properties, unchanged.
    public var fetchedProperties: [Element]
    /// The name of the entity in an earlier version.
    public var renamingIdentifier: String?
    /// The other XML attributes, unchanged.
    public var otherSettings: [String: String]
    /// The other XML elements, unchanged.
    public var otherElements: [Element]
    var place = SourcePosition()

    /// The line in the file; nil if the entity was not read from one.
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

    /// The name of the class without its module, or the name of the entity if the file names no class.
    public var className: String {
      guard let last = representedClassName?.split(separator: ".").last else { return name }
      return String(last)
    }

    /// The module of the class; nil if the file names none, or the current module.
    public var moduleName: String? {
      guard let parts = representedClassName?.split(separator: "."), parts.count > 1 else { return nil }
      return parts.dropLast().joined(separator: ".")
    }

    /// Returns the attribute with a name, ignoring inherited ones.
    public func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

    /// Returns the relationship with a name, ignoring inherited ones.
    public func relationship(_ name: String) -> Relationship? { relationships.first { $0.name == name } }
  }

  /// A named group of attributes.
  public struct Composite: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The attributes in the order of the file.
    public var attributes: [Attribute]
    /// The name of the XML element, as in the file: model files use more than one.
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

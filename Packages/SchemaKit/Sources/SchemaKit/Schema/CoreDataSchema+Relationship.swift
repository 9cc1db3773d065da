extension CoreDataSchema {
  /// A relation of an entity to another one.
  public struct Relationship: Hashable, Sendable {
    /// The effect of a deletion on related objects.
    public enum DeletionRule: String, Hashable, Sendable, CaseIterable {
      /// Their references to the deleted object are removed.
      case nullify = "Nullify"
      /// They are deleted as well.
      case cascade = "Cascade"
      /// The object can't be deleted while it has related objects.
      case deny = "Deny"
      /// They keep their references.
      case noAction = "No Action"
    }

    /// The name, which is also the name of the property in Swift.
    public var name: String
    /// The name of the destination entity.
    public var destinationName: String?
    /// Whether the relationship can reference more than one object.
    public var isToMany: Bool
    /// Whether the objects of a to-many relationship are ordered.
    public var isOrdered: Bool
    /// Whether the relationship may be empty.
    public var isOptional: Bool
    /// Whether the relationship is never stored.
    public var isTransient: Bool
    /// The minimum number of objects; nil if the file has none.
    public var minimumCount: Int?
    /// The maximum number of objects; nil if the file has none.
    public var maximumCount: Int?
    /// The effect of a deletion on related objects.
    public var deletionRule: DeletionRule
    /// The name of the inverse relationship.
    public var inverseName: String?
    /// The entity of the inverse.
    public var inverseEntityName: String?
    /// The user info of the relationship; `jsonKeyPath` is its key path in JSON.
    public var userInfo: [String: String]
    /// The name of the relationship in an earlier version.
    public var renamingIdentifier: String?
    /// The other XML attributes, unchanged.
    public var otherSettings: [String: String]
    /// The other XML elements, unchanged.
    public var otherElements: [Element]
    var place = SourcePosition()

    /// The line in the file; nil if the relationship was not read from one.
    public var line: Int? { place.line }

    /// Creates a relationship.
    public init(
      name: String, destinationName: String?, isToMany: Bool = false, isOrdered: Bool = false, isOptional: Bool = true,
      isTransient: Bool = false, minimumCount: Int? = nil, maximumCount: Int? = nil,
      deletionRule: DeletionRule = .nullify, inverseName: String? = nil, inverseEntityName: String? = nil,
      userInfo: [String: String] = [:], renamingIdentifier: String? = nil, otherSettings: [String: String] = [:],
      otherElements: [Element] = []
    ) {
      self.name = name
      self.destinationName = destinationName
      self.isToMany = isToMany
      self.isOrdered = isOrdered
      self.isOptional = isOptional
      self.isTransient = isTransient
      self.minimumCount = minimumCount
      self.maximumCount = maximumCount
      self.deletionRule = deletionRule
      self.inverseName = inverseName
      self.inverseEntityName = inverseEntityName
      self.userInfo = userInfo
      self.renamingIdentifier = renamingIdentifier
      self.otherSettings = otherSettings
      self.otherElements = otherElements
    }

    /// The key path in JSON, with dots for nested objects: `jsonKeyPath` of the ``userInfo``, the older
    /// `externalKeyPath`, or the name.
    public var keyPath: String { CoreDataSchema.keyPath(in: userInfo) ?? name }
  }
}

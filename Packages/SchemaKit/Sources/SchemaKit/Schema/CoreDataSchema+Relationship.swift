extension CoreDataSchema {
  /// A relation of an entity to others.
  public struct Relationship: Hashable, Sendable {
    /// What happens to related objects when one is deleted.
    public enum DeletionRule: String, Hashable, Sendable, CaseIterable {
      /// They lead to it no longer.
      case nullify = "Nullify"
      /// They are deleted as well.
      case cascade = "Cascade"
      /// It can't be deleted as long as there are some.
      case deny = "Deny"
      /// Nothing, whatever that leaves behind.
      case noAction = "No Action"
    }

    /// The name, which is that of the property in Swift.
    public var name: String
    /// The name of the entity it leads to.
    public var destinationName: String?
    /// Whether it can lead to more than one object.
    public var isToMany: Bool
    /// Whether the order of many objects matters.
    public var isOrdered: Bool
    /// Whether it may lead nowhere.
    public var isOptional: Bool
    /// Whether it is never stored.
    public var isTransient: Bool
    /// The least number of objects; nil if the file does not say.
    public var minimumCount: Int?
    /// The greatest number of objects; nil if the file does not say.
    public var maximumCount: Int?
    /// What happens to related objects when one is deleted.
    public var deletionRule: DeletionRule
    /// The relationship of the destination that leads back.
    public var inverseName: String?
    /// The entity that has the inverse.
    public var inverseEntityName: String?
    /// What people noted about the relationship; `jsonKeyPath` is its place in JSON.
    public var userInfo: [String: String]
    /// What the relationship was called before, in an earlier version.
    public var renamingIdentifier: String?
    /// All other XML attributes, as they are.
    public var otherSettings: [String: String]
    /// All other XML elements, as they are.
    public var otherElements: [Element]
    var place = SourcePlace()

    /// The line of the file on which it begins; nil if it was not read from one.
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

    /// The place in JSON, dots leading into nested objects: `jsonKeyPath` of the ``userInfo``, or else the older
    /// `externalKeyPath`, or else the name.
    public var keyPath: String { CoreDataSchema.keyPath(in: userInfo) ?? name }
  }
}

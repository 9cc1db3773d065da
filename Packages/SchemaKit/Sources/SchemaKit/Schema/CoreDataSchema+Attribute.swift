extension CoreDataSchema {
  /// A value of an entity.
  public struct Attribute: Hashable, Sendable {
    /// The name, which is that of the property in Swift.
    public var name: String
    /// The type of the value.
    public var type: AttributeType
    /// Whether there may be no value.
    public var isOptional: Bool
    /// Whether the value is never stored.
    public var isTransient: Bool
    /// The first value, as the file spells it: text, a number, `YES` or `NO`; for dates seconds since 2001.
    public var defaultText: String?
    /// The least value, as the file spells it; for text the least number of characters, for dates seconds since 2001.
    public var minimumText: String?
    /// The greatest value, as the file spells it; for text the greatest number of characters, for dates seconds since 2001.
    public var maximumText: String?
    /// What a text has to match as a whole.
    public var regularExpression: String?
    /// Whether generated classes of Core Data use a number instead of an object; nil if the file does not say.
    public var usesScalarType: Bool?
    /// The name of the value transformer.
    public var valueTransformerName: String?
    /// The class of a transformable value.
    public var customClassName: String?
    /// Whether the value is calculated from others.
    public var isDerived: Bool
    /// How a derived value is calculated.
    public var derivationExpression: String?
    /// What people noted about the attribute; `jsonKeyPath` is its place in JSON.
    public var userInfo: [String: String]
    /// What the attribute was called before, in an earlier version.
    public var renamingIdentifier: String?
    /// All other XML attributes, as they are.
    public var otherSettings: [String: String]
    /// All other XML elements, as they are.
    public var otherElements: [Element]
    var place = SourcePlace()

    /// The line of the file on which it begins; nil if it was not read from one.
    public var line: Int? { place.line }

    /// Creates an attribute.
    public init(
      name: String, type: AttributeType, isOptional: Bool = true, isTransient: Bool = false, defaultText: String? = nil,
      minimumText: String? = nil, maximumText: String? = nil, regularExpression: String? = nil,
      usesScalarType: Bool? = nil, valueTransformerName: String? = nil, customClassName: String? = nil,
      isDerived: Bool = false, derivationExpression: String? = nil, userInfo: [String: String] = [:],
      renamingIdentifier: String? = nil, otherSettings: [String: String] = [:], otherElements: [Element] = []
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.isTransient = isTransient
      self.defaultText = defaultText
      self.minimumText = minimumText
      self.maximumText = maximumText
      self.regularExpression = regularExpression
      self.usesScalarType = usesScalarType
      self.valueTransformerName = valueTransformerName
      self.customClassName = customClassName
      self.isDerived = isDerived
      self.derivationExpression = derivationExpression
      self.userInfo = userInfo
      self.renamingIdentifier = renamingIdentifier
      self.otherSettings = otherSettings
      self.otherElements = otherElements
    }

    /// The place in JSON, dots leading into nested objects: `jsonKeyPath` of the ``userInfo``, or else the older
    /// `externalKeyPath`, or else the name.
    public var keyPath: String { CoreDataSchema.keyPath(in: userInfo) ?? name }
  }

  /// Where the user info says that something lies in JSON.
  static func keyPath(in userInfo: [String: String]) -> String? {
    [userInfo["jsonKeyPath"], userInfo["externalKeyPath"]].lazy.compactMap { $0 }.first { !$0.isEmpty }
  }
}

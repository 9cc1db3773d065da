extension CoreDataSchema {
  /// A value of an entity.
  public struct Attribute: Hashable, Sendable {
    /// The name, which is also the name of the property in Swift.
    public var name: String
    /// The type of the value.
    public var type: AttributeType
    /// Whether the value may be missing.
    public var isOptional: Bool
    /// Whether the value is never stored.
    public var isTransient: Bool
    /// The default value in the spelling of the file: text, a number, `YES` or `NO`; for dates seconds since 2001.
    public var defaultText: String?
    /// The minimum in the spelling of the file; for text the minimum length, for dates seconds since 2001.
    public var minimumText: String?
    /// The maximum in the spelling of the file; for text the maximum length, for dates seconds since 2001.
    public var maximumText: String?
    /// The regular expression that the whole text has to match.
    public var regularExpression: String?
    /// Whether generated Core Data classes use a number instead of an object; nil if the file does not specify it.
    public var usesScalarType: Bool?
    /// The name of the value transformer.
    public var valueTransformerName: String?
    /// The class of a transformable value.
    public var customClassName: String?
    /// Whether the value is calculated from others.
    public var isDerived: Bool
    /// The expression of a derived value.
    public var derivationExpression: String?
    /// The user info of the attribute; `jsonKeyPath` is its key path in JSON.
    public var userInfo: [String: String]
    /// The name of the attribute in an earlier version.
    public var renamingIdentifier: String?
    /// The other XML attributes, unchanged.
    public var otherSettings: [String: String]
    /// The other XML elements, unchanged.
    public var otherElements: [Element]
    var place = SourcePosition()

    /// The line in the file; nil if the attribute was not read from one.
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

    /// The key path in JSON, with dots for nested objects: `jsonKeyPath` of the ``userInfo``, the older
    /// `externalKeyPath`, or the name.
    public var keyPath: String { CoreDataSchema.keyPath(in: userInfo) ?? name }
  }

  /// Returns the key path in JSON that the user info declares.
  static func keyPath(in userInfo: [String: String]) -> String? {
    [userInfo["jsonKeyPath"], userInfo["externalKeyPath"]].lazy.compactMap { $0 }.first { !$0.isEmpty }
  }
}

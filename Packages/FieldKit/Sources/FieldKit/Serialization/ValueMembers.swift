/// The members of values that are written as an object: of `Codable` types, and of types that convert themselves.
@_spi(ModelKitInternals)
public enum ValueMembers {
  /// A member of the values of a field.
  public enum Member {
    /// A member with a known type, and a field that reads it.
    case typed(AnyField)
    /// A member of any type: the type of the value converts itself.
    case untyped
    /// No member, for a reason.
    case missing(String)
  }

  /// Returns the key of the member that a property stores. If the property is computed, or its key can't be determined,
  /// returns a text that ``AnyField/member(_:in:)`` rejects.
  ///
  /// - Complexity: O(*n*) in the number of members: a `Codable` type is decoded from sample values once for each.
  public static func key<Value, Content>(of property: KeyPath<Value, Content>) -> String {
    if Value.self is any JSONConvertible.Type { return storedName(of: property) ?? unknownKey(of: property) }
    guard let type = Value.self as? any (Decodable & SendableMetatype).Type else { return unknownKey(of: property) }
    return key(of: property, type) ?? unknownKey(of: property)
  }

  /// Returns the text that stands for an unknown key: the key path, which begins with a backslash.
  private static func unknownKey(of property: AnyKeyPath) -> String {
    let text = "\(property)"
    return isUnknown(text) ? text : "\\" + text
  }

  fileprivate static let unknownKeyReason =
    "it is computed, or its key is not known. Name the key, as in $0[\"address\"][\"city\"]"

  fileprivate static func isUnknown(_ key: String) -> Bool { key.hasPrefix("\\") }

  private static func key<Value, Content, Owner: Decodable>(
    of property: KeyPath<Value, Content>, _ owner: Owner.Type
  ) -> String? {
    guard let property = property as? KeyPath<Owner, Content> else { return nil }
    func fits(_ type: Any.Type) -> Bool {
      type == Content.self || type == (Content.self as? any OptionalValue.Type)?.wrappedType
    }
    let log = MemberProbe.Log()
    let first = try? Owner(from: MemberProbe(log: log))
    if let first {
      let found = log.members.filter { key, _, type in
        guard fits(type), let second = try? Owner(from: MemberProbe(changed: key)) else { return false }
        return isMember(type, first[keyPath: property], second[keyPath: property])
      }
      if found.count > 1 { return nil }
      if let (key, _, type) = found.first {
        return isStored(property) || hasOtherSamples(property, key, type) ? key : nil
      }
    }
    // Without a sample value, the name of a key's case shows which property it is for. The text of a key does not.
    guard let name = storedName(of: property) else { return nil }
    if let read = log.members.first(where: { $0.name == name }) {
      return fits(read.type) && (first == nil || !hasSamples(read.type)) ? read.key : nil
    }
    return first == nil && log.caseName(of: name) == name ? name : nil
  }

  private static func isStored<Owner, Content>(_ property: KeyPath<Owner, Content>) -> Bool {
    MemoryLayout<Owner>.offset(of: property) != nil
  }

  /// Returns whether a property has all further sample values of a member. One that is stored in a class, or has
  /// observers, does; one that is computed may have the usual values only.
  private static func hasOtherSamples<Owner: Decodable, Content, Member: Decodable>(
    _ property: KeyPath<Owner, Content>, _ key: String, _ type: Member.Type
  ) -> Bool {
    (2..<SampleValue.count).allSatisfy { number in
      // The type may reject the value.
      guard let owner = try? Owner(from: MemberProbe(changed: key, to: number)),
        let sample = try? MemberProbe(sample: number).decode(type)
      else { return true }
      return (owner[keyPath: property] as? Member).map { SampleValue.areSame($0, sample) } ?? false
    }
  }

  /// Returns two different values of a type; nil if they are not known.
  private static func samples<Member: Decodable>(of type: Member.Type) -> (old: Member, new: Member)? {
    guard let old = try? MemberProbe().decode(type), let new = try? MemberProbe(sample: 1).decode(type),
      !SampleValue.areSame(old, new)
    else { return nil }
    return (old, new)
  }

  private static func hasSamples(_ type: any Decodable.Type) -> Bool { samples(of: type) != nil }

  /// Returns whether a property had both sample values of a member.
  private static func isMember<Content, Member: Decodable>(
    _ type: Member.Type, _ first: Content, _ second: Content
  ) -> Bool {
    guard let samples = samples(of: type), let first = first as? Member, let second = second as? Member else {
      return false
    }
    return SampleValue.areSame(first, samples.old) && SampleValue.areSame(second, samples.new)
  }

  private static func storedName<Value, Content>(of property: KeyPath<Value, Content>) -> String? {
    let parts = "\(property)".split(separator: ".")
    return isStored(property) && parts.count == 2 ? String(parts[1]) : nil
  }
}

extension MemberProbe {
  /// A probe with another sample value for one member.
  fileprivate init(changed key: String, to sample: Int = 1) {
    self.init(log: Log(), changedKey: key, changedSample: sample)
  }
}

private protocol OptionalValue {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}

@_spi(ModelKitInternals)
extension AnyField {
  /// Returns the member of the field's values with a key.
  public func member(_ key: String, in context: ValueTransformerContext) -> ValueMembers.Member {
    func open<Content>(_ type: Content.Type) -> ValueMembers.Member {
      guard let field = self as? Field<Content> else { return .missing("it holds models") }
      return field.memberOfContent(key, in: context)
    }
    let member = _openExistential(valueType, do: open)
    if case .missing = member { return member }
    return ValueMembers.isUnknown(key) ? .missing(ValueMembers.unknownKeyReason) : member
  }
}

extension Field {
  fileprivate func memberOfContent(_ key: String, in context: ValueTransformerContext) -> ValueMembers.Member {
    if metadata?.transformer?.transformer(in: context) != nil || context.transforms(Content.self) {
      return .missing("its transformer writes it as one value")
    }
    if let type = Content.self as? any DictionaryOfValues.Type { return .typed(type.memberField()) }
    if Content.self == JSONValue.self { return .untyped }
    if Content.self is any ContainerOfValues.Type || SampleValue.value(of: Content.self) != nil {
      return .missing("values of the type \(Content.self) are written as a whole")
    }
    if Content.self is any JSONConvertible.Type { return .untyped }
    guard let type = Content.self as? any (Decodable & SendableMetatype).Type, !ValueCodec<Content>.codec().isWhole
    else {
      return .missing("values of the type \(Content.self) are written as a whole")
    }
    return Self.member(key, of: type)
  }

  private static func member<Value: Decodable>(_ key: String, of type: Value.Type) -> ValueMembers.Member {
    func member(_ type: Any.Type) -> ValueMembers.Member {
      func field<Member>(_ type: Member.Type) -> AnyField {
        (type as? any OptionalMember.Type)?.wrappedField() ?? Field<Member>()
      }
      return .typed(_openExistential(type, do: field))
    }
    let log = MemberProbe.Log()
    let isComplete = (try? Value(from: MemberProbe(log: log))) != nil
    if let found = log.members.first(where: { $0.key == key }) { return member(found.type) }
    // Members after one without a sample value are not read, but may be declared.
    if !isComplete {
      if let name = log.caseName(of: key),
        let property = StoredProperty.list(of: type).first(where: { $0.name == name })
      {
        return member(property.type)
      }
      if log.keyTypes.isEmpty || log.keyTypes.contains(where: { $0.init(stringValue: key) != nil }) { return .untyped }
    }
    if ValueMembers.isUnknown(key) { return .missing(ValueMembers.unknownKeyReason) }
    return .missing("\(type) has no member \(key.quotedForMessage)")
  }
}

private protocol OptionalMember {
  static func wrappedField() -> AnyField
}

extension Optional: OptionalMember {
  fileprivate static func wrappedField() -> AnyField { Field<Wrapped>() }
}

private protocol DictionaryOfValues {
  static func memberField() -> AnyField
}

extension Dictionary: DictionaryOfValues where Key == String {
  fileprivate static func memberField() -> AnyField { Field<Value>() }
}

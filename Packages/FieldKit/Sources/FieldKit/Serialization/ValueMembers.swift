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

  /// Returns the key of the member that a property is; nil if it is none, such as a computed property.
  ///
  /// - Complexity: O(*n*) in the number of members: a `Codable` type is decoded from sample values once for each.
  public static func key<Value, Content>(of property: KeyPath<Value, Content>) -> String? {
    if Value.self is any JSONConvertible.Type { return storedName(of: property) }
    guard let type = Value.self as? any (Decodable & SendableMetatype).Type else { return nil }
    return key(of: property, type)
  }

  private static func key<Value, Content, Owner: Decodable>(
    of property: KeyPath<Value, Content>, _ owner: Owner.Type
  ) -> String? {
    guard let property = property as? KeyPath<Owner, Content> else { return nil }
    let log = MemberProbe.Log()
    guard let first = try? Owner(from: MemberProbe(log: log)) else {
      // A member has no sample value: its key may be the name.
      return storedName(of: property)
    }
    let found = log.members.filter { key, type in
      guard type == Content.self || type == (Content.self as? any OptionalValue.Type)?.wrappedType,
        let type = type as? any Decodable.Type,
        let second = try? Owner(from: MemberProbe(log: nil, changed: key))
      else { return false }
      return isMember(type, first[keyPath: property], second[keyPath: property])
    }
    return found.count == 1 ? found[0].key : nil
  }

  /// Returns whether a property had both sample values of a member.
  private static func isMember<Content, Member: Decodable>(
    _ type: Member.Type, _ first: Content, _ second: Content
  ) -> Bool {
    guard let old = try? MemberProbe(log: nil).decode(type),
      let new = try? MemberProbe(log: nil, isChanged: true).decode(type)
    else { return false }
    if let first = first as? Member, let second = second as? Member {
      return SampleValue.areSame(first, old) && SampleValue.areSame(second, new) && !SampleValue.areSame(old, new)
    }
    return false
  }

  private static func storedName<Value, Content>(of property: KeyPath<Value, Content>) -> String? {
    guard MemoryLayout<Value>.offset(of: property) != nil else { return nil }
    return "\(property)".split(separator: ".").last.map(String.init)
  }
}

extension MemberProbe {
  /// A probe with another sample value for one member.
  fileprivate init(log: Log?, changed key: String) {
    self.init(log: Log(), changedKey: key)
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
    return _openExistential(valueType, do: open)
  }
}

extension Field {
  fileprivate func memberOfContent(_ key: String, in context: ValueTransformerContext) -> ValueMembers.Member {
    if metadata?.transformer?.transformer(in: context) != nil || context.transforms(Content.self) {
      return .missing("its transformer writes it as one value")
    }
    if let type = Content.self as? any DictionaryOfValues.Type { return .typed(type.memberField()) }
    if Content.self == JSONValue.self { return .untyped }
    if Content.self is any ContainerOfValues.Type || SampleValue.value(of: Content.self, isChanged: false) != nil {
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
    let log = MemberProbe.Log()
    let isComplete = (try? Value(from: MemberProbe(log: log))) != nil
    if let found = log.members.first(where: { $0.key == key }) {
      func field<Member>(_ type: Member.Type) -> AnyField {
        (type as? any OptionalMember.Type)?.wrappedField() ?? Field<Member>()
      }
      return .typed(_openExistential(found.type, do: field))
    }
    // Members after one without a sample value are not known.
    return isComplete ? .missing("\(type) has no member \(key.quotedForMessage)") : .untyped
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

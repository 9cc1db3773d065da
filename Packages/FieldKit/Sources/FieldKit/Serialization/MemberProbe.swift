import Foundation

/// A decoder that gives every member of a `Codable` type a sample value, and records the members that the type reads.
///
/// Two samples that differ in one member show which property the member is.
struct MemberProbe: Decoder {
  /// The members that a type read, in their order.
  final class Log {
    /// The key of each member, the name of the key's case, and the type.
    var members: [(key: String, name: String?, type: any Decodable.Type)] = []
    /// The types of keys that the type uses.
    var keyTypes: [any CodingKey.Type] = []

    /// Returns the name of the case that has a key, which is that of a property; nil if no case has it.
    func caseName(of key: String) -> String? {
      func name<Key: CodingKey>(_ type: Key.Type) -> String? { Key(stringValue: key).flatMap(nameOfCase) }
      for type in keyTypes { if let name = name(type) { return name } }
      return nil
    }
  }

  /// The record of the members; nil inside a member.
  let log: Log?
  /// The member that has another sample value.
  var changedKey: String?
  /// Whether this is inside that member.
  var isChanged = false
  var depth = 0
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    log?.keyTypes.append(type)
    return KeyedDecodingContainer(Members(probe: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(probe: self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  /// Returns the probe of a member.
  func inside(_ key: String) throws -> MemberProbe {
    guard depth < 16 else { throw TypeIsEndless() }
    return MemberProbe(log: nil, isChanged: isChanged || log != nil && key == changedKey, depth: depth + 1)
  }

  struct TypeIsEndless: Error {}
}

extension MemberProbe: SingleValueDecodingContainer {
  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let sample = SampleValue.value(of: type, isChanged: isChanged) { return sample }
    guard depth < 16 else { throw TypeIsEndless() }
    return try T(from: MemberProbe(log: nil, isChanged: isChanged, depth: depth + 1))
  }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let probe: MemberProbe
  var codingPath: [any CodingKey] { [] }
  // A dictionary of the type has one element in the changed sample only.
  var allKeys: [Key] { probe.isChanged ? Key(stringValue: "a").map { [$0] } ?? [] : [] }

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    probe.log?.members.append((key.stringValue, nameOfCase(key), type))
    return try probe.inside(key.stringValue).decode(type)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    do {
      return try decode(type, forKey: key)
    } catch let error as MemberProbe.TypeIsEndless {
      // Without an end here, a type with two such members would be decoded 2^16 times.
      throw error
    } catch {
      // A member without a sample value need not hide those after it.
      return nil
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try probe.inside(key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try probe.inside(key.stringValue).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try probe.inside("super") }

  func superDecoder(forKey key: Key) throws -> any Decoder { try probe.inside(key.stringValue) }
}

/// A list without elements, or with one in the changed sample.
private struct Elements: UnkeyedDecodingContainer {
  let probe: MemberProbe
  var codingPath: [any CodingKey] { [] }
  var currentIndex = 0
  var count: Int? { probe.isChanged ? 1 : 0 }
  var isAtEnd: Bool { currentIndex >= (probe.isChanged ? 1 : 0) }

  init(probe: MemberProbe) { self.probe = probe }

  private mutating func element() throws -> MemberProbe {
    guard probe.depth < 16 else { throw MemberProbe.TypeIsEndless() }
    currentIndex += 1
    return MemberProbe(log: nil, depth: probe.depth + 1)
  }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try element().decode(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try element().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try element().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder { try element() }
}

/// Two values of each type that has no members, and of enumerations that can list their cases.
@_spi(ModelKitInternals)
public enum SampleValue {
  /// Returns a value of a type; nil if none is known.
  public static func value<Value>(of type: Value.Type, isChanged: Bool) -> Value? {
    any(type, isChanged) as? Value
  }

  private static func any(_ type: Any.Type, _ isChanged: Bool) -> Any? {
    switch type {
    // A computed property that changes letters, trims or rounds is not mistaken for the stored one.
    case is String.Type: isChanged ? "aB ß1 " : " c"
    case is Bool.Type: isChanged
    case is Double.Type: isChanged ? 1.25 : 0.75
    case is Float.Type: isChanged ? Float(1.25) : Float(0.75)
    case is Decimal.Type: Decimal(string: isChanged ? "1.25" : "0.75")
    case is Date.Type: Date(timeIntervalSinceReferenceDate: isChanged ? 100_000.5 : 7.25)
    case is Day.Type: Day(daysSince1970: isChanged ? 10_000 : 77)
    case is UUID.Type: UUID(uuidString: "0F4E6A52-0000-4000-8000-00000000000\(isChanged ? 1 : 2)")
    case is Data.Type: Data(isChanged ? [1, 2] : [3])
    case is URL.Type: URL(string: isChanged ? "https://a.example/b" : "https://c.example")
    case let type as any FixedWidthInteger.Type: integer(type, isChanged ? 17 : 5)
    case let type as any CaseIterable.Type: ofCases(type, isChanged)
    default: nil
    }
  }

  private static func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ value: UInt8) -> Any { Number(value) }

  private static func ofCases<Cases: CaseIterable>(_ type: Cases.Type, _ isLast: Bool) -> Any? {
    isLast ? Array(type.allCases).last : type.allCases.first
  }

  /// Returns whether two values are equal, or are printed equally if their type can't compare them.
  public static func areSame<Value>(_ left: Value, _ right: Value) -> Bool {
    func open<Compared: Equatable>(_ type: Compared.Type) -> Bool? {
      guard let left = left as? Compared, let right = right as? Compared else { return nil }
      return left == right
    }
    if let type = Value.self as? any (Equatable & SendableMetatype).Type, let areEqual = open(type) { return areEqual }
    return String(reflecting: left) == String(reflecting: right)
  }
}

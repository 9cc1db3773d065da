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
  var log: Log?
  /// The member that has another sample value, and the number of that value.
  var changedKey: String?
  var changedSample = 1
  /// The number of the sample values: not 0 inside that member.
  var sample = 0
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
    let isChanged = log != nil && key == changedKey
    return MemberProbe(sample: isChanged ? changedSample : sample, depth: depth + 1)
  }

  struct TypeIsEndless: Error {}
}

extension MemberProbe: SingleValueDecodingContainer {
  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let value = SampleValue.value(of: type, number: sample) { return value }
    guard depth < 16 else { throw TypeIsEndless() }
    return try T(from: MemberProbe(sample: sample, depth: depth + 1))
  }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let probe: MemberProbe
  var codingPath: [any CodingKey] { [] }
  // A dictionary of the type has one element in the changed sample only.
  var allKeys: [Key] { probe.sample > 0 ? Key(stringValue: "a").map { [$0] } ?? [] : [] }

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
  var count: Int? { probe.sample > 0 ? 1 : 0 }
  var isAtEnd: Bool { currentIndex >= (probe.sample > 0 ? 1 : 0) }

  init(probe: MemberProbe) { self.probe = probe }

  private mutating func element() throws -> MemberProbe {
    guard probe.depth < 16 else { throw MemberProbe.TypeIsEndless() }
    currentIndex += 1
    return MemberProbe(depth: probe.depth + 1)
  }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try element().decode(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try element().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try element().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder { try element() }
}

/// Some values of each type that has no members, and of enumerations that can list their cases.
@_spi(ModelKitInternals)
public enum SampleValue {
  /// The number of values of each type. The first two differ. The others are those that computed properties replace:
  /// empty, negative, long and large ones.
  static let count = 5

  /// Returns a value of a type; nil if none is known.
  static func value<Value>(of type: Value.Type, number: Int = 0) -> Value? {
    any(type, number) as? Value
  }

  private static func any(_ type: Any.Type, _ number: Int) -> Any? {
    let amount = [0.75, 1.25, -3.5, 0, 1_000_000_000][number]
    return switch type {
    // A computed property that changes letters, trims or rounds is not mistaken for the stored one.
    case is String.Type: [" c", "aB ß1 ", "", String(repeating: "aB ", count: 200), "\n"][number]
    case is Bool.Type: number == 1
    case is Double.Type: amount
    case is Float.Type: Float(amount)
    case is Decimal.Type: Decimal(string: ["0.75", "1.25", "-3.5", "0", "1e30"][number])
    case is Date.Type:
      Date(timeIntervalSinceReferenceDate: [7.25, 100_000.5, -5_000_000_000.5, 0, 50_000_000_000][number])
    case is Day.Type: Day(daysSince1970: [77, 10_000, -60_000, 0, 600_000][number])
    case is UUID.Type: UUID(uuidString: "0F4E6A52-0000-4000-8000-00000000000\(number)")
    case is Data.Type: Data([[3], [1, 2], [], [0], Array(repeating: 4, count: 5_000)][number])
    case is URL.Type:
      URL(
        string: ["https://c.example", "https://a.example/b", "d", "file:///e", "https://f.example/?g=h#i"][number])
    case let type as any FixedWidthInteger.Type: integer(type, number)
    case let type as any CaseIterable.Type: ofCases(type, isLast: number == 1)
    default: nil
    }
  }

  private static func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ number: Int) -> Any {
    [5, 17, Number.min, 0, Number.max][number]
  }

  private static func ofCases<Cases: CaseIterable>(_ type: Cases.Type, isLast: Bool) -> Any? {
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

private protocol ListWithSamples {
  static func sample(number: Int) -> Any?
}

extension Array: ListWithSamples {
  fileprivate static func sample(number: Int) -> Any? {
    guard let first = SampleValue.value(of: Element.self, number: 1), let second = SampleValue.value(of: Element.self)
    else { return nil }
    return [[second], [first, second], [], [second, first], [first, second, first, first]][number]
  }
}

extension Field {
  /// Returns whether a condition holds while the field stores each of some sample values of its type. No hook or
  /// observer is called. Then the field has its value again.
  @_spi(ModelKitInternals)
  public final func allSatisfySamples(_ condition: (Content) -> Bool) -> Bool {
    let value = storage
    defer { storage = value }
    for number in 0..<SampleValue.count {
      let list = (Content.self as? any ListWithSamples.Type)?.sample(number: number) as? Content
      guard let sample = list ?? SampleValue.value(of: Content.self, number: number) else { return true }
      storage = sample
      if !condition(sample) { return false }
    }
    return true
  }
}

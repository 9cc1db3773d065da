internal import Foundation

/// The key of a value in an index: bits that are in the order of the values.
///
/// Keys of the same field can be compared. The key of nil comes first, texts are in the order of their Unicode scalars.
/// Two keys are equal exactly if their values are.
@_spi(ModelKitInternals)
public struct IndexKey: Hashable, Sendable {
  /// The number, or the first eight bytes of a text.
  private let head: UInt64
  /// 0 for nil, 1 for a number, and 1 plus the number of bytes (at most 9) for a text. It distinguishes texts with the
  /// same head, of which one is a prefix of the other. For a list of words it is `rankOfWords`.
  private let rank: UInt8
  /// The bytes that do not fit into the head; for a list of words the size and the bytes of each.
  private let tail: [UInt8]?

  private init(head: UInt64, rank: UInt8 = 1, tail: [UInt8]? = nil) {
    self.head = head
    self.rank = rank
    self.tail = tail
  }

  /// The key of nil.
  static let null = IndexKey(head: 0, rank: 0)

  /// Whether this is the key of nil.
  public var isNull: Bool { rank == 0 }

  /// Creates the key of an integer.
  init(_ value: Int) { self.init(head: UInt64(bitPattern: Int64(value)) ^ 1 << 63) }

  /// Creates the key of an unsigned integer.
  init(_ value: UInt64) { self.init(head: value) }

  /// Creates the key of a floating-point number; nil for NaN, which is not equal to itself.
  init?(_ value: Double) {
    if value.isNaN { return nil }
    // Positive and negative zero are equal.
    let bits = value == 0 ? 0 : value.bitPattern
    self.init(head: bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
  }

  /// Creates the key of a text's UTF-8 bytes, or of other bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var head: UInt64 = 0
    for place in 0..<8 { head = head << 8 | (place < bytes.count ? UInt64(bytes[place]) : 0) }
    self.head = head
    rank = UInt8(1 + min(bytes.count, 9))
    tail = bytes.count > 8 ? Array(bytes[8...]) : nil
  }

  /// Creates the key of a list of words.
  init(packedWords: [UInt8]) { self.init(head: 0, rank: Self.rankOfWords, tail: packedWords) }

  /// The words of a list; nil for another key.
  @inline(__always)
  var packedWords: [UInt8]? { rank == Self.rankOfWords ? tail : nil }

  /// The text of a text's key; nil for the key of nil. Undefined for keys of other values.
  var text: String? {
    guard rank > 0 else { return nil }
    var bytes: [UInt8] = []
    for place in 0..<min(Int(rank) - 1, 8) { bytes.append(UInt8(truncatingIfNeeded: head >> UInt64(56 - 8 * place))) }
    return String(decoding: bytes + (tail ?? []), as: UTF8.self)
  }

  /// Creates the key of a text.
  init(_ text: String) {
    var text = text
    self = text.withUTF8 { IndexKey($0) }
  }
}

extension IndexKey: Comparable {
  /// Returns whether a value comes before another one.
  @inline(__always)
  public static func < (left: IndexKey, right: IndexKey) -> Bool {
    if left.head != right.head { return left.head < right.head }
    if left.rank != right.rank { return left.rank < right.rank }
    guard let first = left.tail, let second = right.tail else { return false }
    return order(first, second) < 0
  }

  /// Returns whether two values are equal.
  @inline(__always)
  public static func == (left: IndexKey, right: IndexKey) -> Bool {
    guard left.head == right.head, left.rank == right.rank else { return false }
    guard let first = left.tail, let second = right.tail else { return true }
    return first == second
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { ScalarOrder.order(left, $0) } }
  }
}

extension IndexKey {
  /// Returns the key of the value of a field; nil if its type has none.
  static func key(of value: some Any) -> IndexKey? {
    switch value {
    case let value as Int: IndexKey(value)
    case let value as String: IndexKey(value)
    case let value as Double: IndexKey(value)
    case let value as Bool: IndexKey(value ? 1 : 0)
    case let value as Date: IndexKey(value.timeIntervalSinceReferenceDate)
    case let value as Day: IndexKey(value.daysSince1970)
    case let value as Decimal: IndexKey(value)
    case let value as UUID: withUnsafeBytes(of: value.uuid) { IndexKey($0.bindMemory(to: UInt8.self)) }
    case let value as UInt64: IndexKey(value)
    case let value as UInt: IndexKey(UInt64(value))
    case let value as any FixedWidthInteger: Int(exactly: value).map { IndexKey($0) }
    case let value as any RawRepresentable: key(of: value.rawValue)
    default: nil
    }
  }
}

extension IndexKey: CustomStringConvertible {
  /// The bits, for debugging.
  public var description: String {
    if isNull { return "nil" }
    let bytes = (tail ?? []).map { String($0, radix: 16) }.joined(separator: " ")
    return "\(rank):\(String(head, radix: 16))\(bytes.isEmpty ? "" : " " + bytes)"
  }
}

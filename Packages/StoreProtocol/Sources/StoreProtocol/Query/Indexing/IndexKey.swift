internal import Foundation

/// The key of a value in an index: bits that are in the order of the values.
///
/// Keys of one field can be compared; nil comes before everything. Text is in the order of its Unicode scalars. Two keys
/// are equal exactly if the values are.
@_spi(ModelKitInternals)
public struct IndexKey: Hashable, Sendable {
  /// The number, or the first eight bytes of a text.
  private let head: UInt64
  /// 0 for nil, 1 for a number; for texts, which may be a beginning of each other, 1 and how many bytes there are.
  private let rank: UInt8
  /// The part that does not fit into the head.
  private let tail: [UInt8]?

  private init(head: UInt64, rank: UInt8 = 1, tail: [UInt8]? = nil) {
    self.head = head
    self.rank = rank
    self.tail = tail
  }

  /// The key of no value.
  public static let null = IndexKey(head: 0, rank: 0)

  /// Whether this is the key of no value.
  public var isNull: Bool { rank == 0 }

  /// The key of an integer.
  public init(_ value: Int) { self.init(head: UInt64(bitPattern: Int64(value)) ^ 1 << 63) }

  /// The key of an integer without sign.
  public init(_ value: UInt64) { self.init(head: value) }

  /// The key of a number; nil for one that is none, which is not equal to itself.
  public init?(_ value: Double) {
    if value.isNaN { return nil }
    // Both zeros are equal.
    let bits = value == 0 ? 0 : value.bitPattern
    self.init(head: bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
  }

  /// The key of a text, or of other bytes.
  public init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var head: UInt64 = 0
    for place in 0..<8 { head = head << 8 | (place < bytes.count ? UInt64(bytes[place]) : 0) }
    self.head = head
    rank = UInt8(1 + min(bytes.count, 9))
    tail = bytes.count > 8 ? Array(bytes[8...]) : nil
  }

  /// The text of the key of a text; nil for nil. Keys of other values have no text.
  var text: String? {
    guard rank > 0 else { return nil }
    var bytes: [UInt8] = []
    for place in 0..<min(Int(rank) - 1, 8) { bytes.append(UInt8(truncatingIfNeeded: head >> UInt64(56 - 8 * place))) }
    return String(decoding: bytes + (tail ?? []), as: UTF8.self)
  }

  /// The key of a text.
  public init(_ text: String) {
    var text = text
    self = text.withUTF8 { IndexKey($0) }
  }
}

extension IndexKey: Comparable {
  /// Whether a value comes before another one.
  @inline(__always)
  public static func < (left: IndexKey, right: IndexKey) -> Bool {
    if left.head != right.head { return left.head < right.head }
    if left.rank != right.rank { return left.rank < right.rank }
    guard let first = left.tail, let second = right.tail else { return false }
    return order(first, second) < 0
  }

  /// Whether two values are equal.
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
  /// The key of the value of a field; nil if there is none for its type.
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
  /// The bits, for those who look for a mistake.
  public var description: String {
    if isNull { return "nil" }
    let bytes = (tail ?? []).map { String($0, radix: 16) }.joined(separator: " ")
    return "\(rank):\(String(head, radix: 16))\(bytes.isEmpty ? "" : " " + bytes)"
  }
}

@_spi(ModelKitInternals) import ModelCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The order of texts by their Unicode scalars, which is that of their UTF-8 bytes: the same for every locale and
/// system.
enum ScalarOrder {
  /// Returns a negative number if the left text comes first, 0 if both are the same, and otherwise a positive number.
  static func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    let count = min(left.count, right.count)
    if count > 0, let left = left.baseAddress, let right = right.baseAddress {
      let order = memcmp(left, right, count)
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }

  static func order(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in right.withUTF8 { right in order(left, right) } }
  }

  /// Returns whether a value is less than another one. Texts are compared by their scalars.
  static func isLess<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    guard Value.self == String.self, let left = left as? String, let right = right as? String else {
      return left < right
    }
    return order(left, right) < 0
  }

  /// Returns the identity of a value in a set or a key of a group. Texts are equal if their scalars are.
  static func identity<Value: Hashable>(_ value: Value) -> AnyHashable {
    guard Value.self == String.self, let text = value as? String else { return AnyHashable(value) }
    return AnyHashable(ExactText(text))
  }

  static func compare(
    _ text: UnsafeBufferPointer<UInt8>, _ operation: QueryComparison.Operator, _ operand: [UInt8]
  ) -> Bool {
    operand.withUnsafeBufferPointer { operand in
      switch operation {
      case .equal: text.count == operand.count && order(text, operand) == 0
      case .notEqual: text.count != operand.count || order(text, operand) != 0
      case .less: order(text, operand) < 0
      case .lessOrEqual: order(text, operand) <= 0
      case .greater: order(text, operand) > 0
      case .greaterOrEqual: order(text, operand) >= 0
      case .hasPrefix: hasPart(text, operand, at: 0)
      case .hasSuffix: hasPart(text, operand, at: text.count - operand.count)
      case .contains: contains(text, operand)
      case .isIn, .matches, .containsMatch, .matchesWords: false
      }
    }
  }

  static func compare(_ text: String, _ operation: QueryComparison.Operator, _ operand: [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { compare($0, operation, operand) }
  }

  private static func hasPart(
    _ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>, at offset: Int
  ) -> Bool {
    guard offset >= 0, text.count - offset >= part.count else { return false }
    if part.isEmpty { return true }
    return order(UnsafeBufferPointer(rebasing: text[offset..<offset + part.count]), part) == 0
  }

  private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = part.first else { return true }
    guard text.count >= part.count, let base = text.baseAddress else { return false }
    var offset = 0
    let last = text.count - part.count
    while offset <= last {
      guard let found = memchr(base + offset, Int32(first), last - offset + 1) else { return false }
      offset = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if hasPart(text, part, at: offset) { return true }
      offset += 1
    }
    return false
  }
}

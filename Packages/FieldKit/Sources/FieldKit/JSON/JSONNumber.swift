/// A number as the exact digits of its JSON spelling, of any length and with any exponent.
///
/// Equality and hashing go by the decimal value, not by the spelling: `1e400` equals `10e399`.
public struct JSONNumber: Sendable {
  /// The spelling, which always is a number by the grammar of JSON. It is written as it is.
  public let text: String

  /// Creates a number from a spelling that is known to be a JSON number.
  init(validated text: String) {
    self.text = text
  }

  /// Creates a number from its JSON spelling, or returns nil if `text` is not a JSON number, such as `"+1"`, `"01"`,
  /// `".5"` and `"NaN"`.
  ///
  /// - Complexity: O(*n*), where *n* is the length of `text`.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    let isNumber = text.withUTF8 { utf8 in
      var scanner = JSONScanner(UnsafeRawBufferPointer(utf8))
      return (try? scanner.scanNumber()) != nil && scanner.offset == utf8.count
    }
    guard isNumber else { return nil }
    self.text = text
  }

  /// The number as an `Int`, or nil if it has a fraction or doesn't fit: `1.5e1` is 15.
  public var intValue: Int? {
    exactDecimal.intValue
  }

  /// The `Double` nearest to the number, or nil if it is beyond the range of `Double`.
  public var doubleValue: Double? {
    guard let double = exactDecimal.nearestDouble else { return nil }
    return double == 0 && text.utf8.first == UInt8(ascii: "-") ? -0.0 : double
  }

  /// Whether the number has no fraction.
  var isWhole: Bool { exactDecimal.isWhole }

  var exactDecimal: ExactDecimal {
    var text = text
    return text.withUTF8 { ExactDecimal(validNumber: $0) }
  }
}

extension JSONNumber: ExpressibleByStringLiteral {
  /// Creates a number from a literal, which must be the spelling of a JSON number.
  public init(stringLiteral value: String) {
    guard let number = JSONNumber(value) else {
      preconditionFailure("\"\(value)\" is not a number in JSON: write digits such as \"-12.5e300\".")
    }
    self = number
  }
}

extension JSONNumber: Hashable, CustomStringConvertible {
  /// Returns whether both denote the same decimal value.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    left.text == right.text || left.exactDecimal == right.exactDecimal
  }

  /// Hashes the decimal value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(exactDecimal)
  }

  /// The number as it is spelled in JSON.
  public var description: String {
    text
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONValue: Codable {
  /// Creates a value from any self-describing decoder, such as `JSONDecoder`.
  ///
  /// Numbers are as exact as the decoder provides them: `JSONDecoder` keeps 38 digits. `init(json:options:)` is exact
  /// without limits, and faster.
  ///
  /// - Throws: Errors of the decoder, and `DecodingError` for a value that JSON can't represent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Int.self) {
      self = Self.integer(value, in: container)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let number = Self.number(in: container) {
      self = number
    } else if let elements = try Self.ifMatching({ try container.decode([JSONValue].self) }) {
      self = .array(elements)
    } else if let members = try Self.ifMatching({ try container.decode([String: JSONValue].self) }) {
      self = .object(members)
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "Expected a JSON value, found a value of another type.")
    }
  }

  /// Returns the number of which a decoder made an `Int`.
  private static func integer(_ value: Int, in container: any SingleValueDecodingContainer) -> JSONValue {
    // An `Int` has no negative zero.
    if value == 0, (try? container.decode(Double.self))?.sign == .minus { return .double(-0.0) }
    // JSONDecoder truncates a number that as a Double is an integer, such as 99999999999999999.99.
    guard let decimal = try? container.decode(Decimal.self), decimal != Decimal(value) else { return .int(value) }
    return number(in: container) ?? .int(value)
  }

  /// Returns a number that is no `Int`: as a `Double` where that is exact, else with all its digits.
  private static func number(in container: any SingleValueDecodingContainer) -> JSONValue? {
    let double = try? container.decode(Double.self)
    // Decimals have 38 digits, which distinguishes a number that is a Double from one that is only near to it.
    guard let decimal = try? container.decode(Decimal.self), let number = JSONNumber(decimal.description) else {
      return double.map(JSONValue.double)
    }
    if let double, double.isFinite {
      let shortest = ExactDecimal(shortest: double)
      // A Decimal is zero or truncated if the value is too small for it.
      if shortest == number.exactDecimal || shortest.digits.count > 0 && decimal.isZero { return .double(double) }
    }
    return .number(number)
  }

  /// Returns nil if the container holds another type; rethrows errors from nested values.
  private static func ifMatching<Value>(_ decode: () throws -> Value) throws -> Value? {
    do {
      return try decode()
    } catch DecodingError.typeMismatch {
      return nil
    }
  }

  /// Writes the value to any encoder.
  ///
  /// - Throws: Errors of the encoder, and `EncodingError` for a ``number(_:)`` that neither `UInt64` nor `Decimal`
  ///   holds exactly: an encoder takes no digits. ``jsonData(_:)`` writes every number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .number(let number): try Self.encode(number, to: &container, of: encoder)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  private static func encode(
    _ number: JSONNumber, to container: inout any SingleValueEncodingContainer, of encoder: any Encoder
  ) throws {
    if let value = number.intValue {
      if value == 0, let zero = number.doubleValue, zero.sign == .minus { return try container.encode(zero) }
      return try container.encode(value)
    }
    if let value = UInt64(number.text) { return try container.encode(value) }
    if let value = number.exactDecimal.exactDouble { return try container.encode(value) }
    if let value = Decimal(string: number.text), JSONNumber(value.description) == number {
      return try container.encode(value)
    }
    throw EncodingError.invalidValue(
      number,
      EncodingError.Context(
        codingPath: encoder.codingPath,
        debugDescription: "The number \(number.text.prefix(100)) has more digits than an encoder can write exactly. "
          + "Write it with jsonData(), which keeps every digit."))
  }
}

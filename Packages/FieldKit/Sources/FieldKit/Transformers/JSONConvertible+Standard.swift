#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension JSONValue: JSONConvertible {
  /// The value itself.
  public init(json: JSONValue) throws { self = json }
  /// The value itself.
  public var json: JSONValue { get throws { self } }
}

extension String: JSONConvertible {
  /// Reads a string.
  public init(json: JSONValue) throws {
    guard case .string(let text) = json else { throw ValueTransformError(expected: "a string", found: json) }
    self = text
  }
  /// The text as a JSON string.
  public var json: JSONValue { get throws { .string(self) } }
}

extension Bool: JSONConvertible {
  /// Reads `true` or `false`.
  public init(json: JSONValue) throws {
    guard case .bool(let value) = json else { throw ValueTransformError(expected: "true or false", found: json) }
    self = value
  }
  /// The value as `true` or `false`.
  public var json: JSONValue { get throws { .bool(self) } }
}

extension JSONConvertible where Self: FixedWidthInteger {
  /// Reads a whole number that fits the type, even one that is written as `7.0` or `7e0`. A fraction or a number out of
  /// range is an error, never truncated.
  public init(json: JSONValue) throws {
    let exact: Self?
    // The error for a number with a fraction names the fraction, whatever the number's size.
    let isWhole: Bool
    switch json {
    case .int(let value): (exact, isWhole) = (Self(exactly: value), true)
    case .double(let value) where value.magnitude <= 9_007_199_254_740_992 || !value.isFinite:
      (exact, isWhole) = (Self(exactly: value), value.rounded(.towardZero) == value)
    case .double(let value): (exact, isWhole) = (ExactDecimal(shortest: value).integer(), true)
    case .number(let number): (exact, isWhole) = (number.exactDecimal.integer(), number.isWhole)
    default: throw ValueTransformError(expected: "an integer", found: json)
    }
    guard let exact else {
      let expected = isWhole ? "an integer between \(Self.min) and \(Self.max)" : "an integer"
      throw ValueTransformError(expected: expected, found: json)
    }
    self = exact
  }

  /// The value as a JSON number.
  public var json: JSONValue {
    get throws {
      if let value = Int(exactly: self) { return .int(value) }
      return try JSONValue(json: Array(String(self).utf8))
    }
  }
}

extension Int: JSONConvertible {}
extension Int8: JSONConvertible {}
extension Int16: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt: JSONConvertible {}
extension UInt8: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}
extension Int128: JSONConvertible {}
extension UInt128: JSONConvertible {}

extension Double: JSONConvertible {
  /// Reads a number, whole or not.
  public init(json: JSONValue) throws {
    guard let value = json.doubleValue else {
      if case .number = json { throw ValueTransformError(expected: "a number that fits Double", found: json) }
      throw ValueTransformError(expected: "a number", found: json)
    }
    self = value
  }
  /// The value as a JSON number. JSON can't represent infinity and NaN: they throw.
  public var json: JSONValue {
    get throws {
      guard isFinite else { throw ValueTransformError(expected: "a finite number", found: "\(self)") }
      return .double(self)
    }
  }
}

extension Float: JSONConvertible {
  /// Reads a number, rounded once from its digits to the type's precision.
  public init(json: JSONValue) throws {
    let value: Float
    switch json {
    case .int(let int): value = Float(int)
    case .double(let double): value = Self.nearest(to: double)
    case .number(let number): value = number.doubleValue.map { Self.nearest(to: $0, number) } ?? .infinity
    default: throw ValueTransformError(expected: "a number", found: json)
    }
    guard value.isFinite else { throw ValueTransformError(expected: "a number that fits Float", found: json) }
    self = value
  }

  /// Returns the `Float` nearest to the digits of a number, or to the shortest digits of a `Double`.
  private static func nearest(to double: Double, _ number: JSONNumber? = nil) -> Float {
    let float = Float(double)
    let distance = double - Double(float)
    if distance == 0 && number == nil { return float }
    // Only the middle between two neighbours may round to another neighbour than the digits do.
    let (lower, upper) = distance < 0 ? (float.nextDown, float) : (float, float.nextUp)
    let isMiddle = float.isFinite && Double(lower) / 2 + Double(upper) / 2 == double
    guard isMiddle || !float.isFinite else { return float }
    return Float(number?.text ?? double.description) ?? float
  }
  /// The value as a JSON number with the fewest digits that identify it.
  public var json: JSONValue {
    get throws {
      guard isFinite, let value = Double(description) else {
        throw ValueTransformError(expected: "a finite number", found: "\(self)")
      }
      return .double(value)
    }
  }
}

extension Decimal: JSONConvertible {
  /// Reads a number with up to 38 digits. More digits than a `Decimal` holds are an error, never truncated.
  public init(json: JSONValue) throws {
    switch json {
    case .int, .double, .number:
      let text = json.description
      // A short number without an exponent always fits.
      if let value = Decimal(string: text),
        try text.utf8.count <= 38 && !text.utf8.contains(UInt8(ascii: "e"))
          && !text.utf8.contains(UInt8(ascii: "E")) || value.isFinite && value.json == json
      {
        self = value
        return
      }
      throw ValueTransformError(expected: "a number that fits Decimal", found: json)
    default: throw ValueTransformError(expected: "a number", found: json)
    }
  }
  /// The value as a JSON number with all its digits.
  public var json: JSONValue {
    get throws {
      guard isFinite else { throw ValueTransformError(expected: "a finite number", found: "\(self)") }
      return try JSONValue(json: Array("\(self)".utf8))
    }
  }
}

extension UUID: JSONConvertible {
  /// Reads the usual text form.
  public init(json: JSONValue) throws {
    guard let value = json.stringValue.flatMap(UUID.init(uuidString:)) else {
      throw ValueTransformError(expected: "a UUID", found: json)
    }
    self = value
  }
  /// The value in its usual text form.
  public var json: JSONValue { get throws { .string(uuidString) } }
}

extension URL: JSONConvertible {
  /// Reads the text of a URL.
  public init(json: JSONValue) throws {
    guard let value = json.stringValue.flatMap({ URL(string: $0) }) else {
      throw ValueTransformError(expected: "a URL", found: json)
    }
    self = value
  }
  /// The URL as text.
  public var json: JSONValue { get throws { .string(absoluteString) } }
}

extension Data: JSONConvertible {
  /// Reads Base64 text.
  public init(json: JSONValue) throws {
    guard let value = json.stringValue.flatMap({ Data(base64Encoded: $0) }) else {
      throw ValueTransformError(expected: "Base64 text", found: json)
    }
    self = value
  }
  /// The bytes as Base64 text.
  public var json: JSONValue { get throws { .string(base64EncodedString()) } }
}

extension Date: JSONConvertible {
  /// Reads an ISO 8601 time such as `2024-03-05T10:00:00Z`, with any offset and fraction, or a day alone (UTC).
  public init(json: JSONValue) throws {
    guard let value = json.stringValue.flatMap(ISO8601Text.date(from:)) else {
      throw ValueTransformError(expected: "an ISO 8601 time such as 2024-03-05T10:00:00Z", found: json)
    }
    self = value
  }
  /// The time in UTC, with the fewest digits of a second that read back as the same date.
  public var json: JSONValue { get throws { .string(try ISO8601Text.text(from: self)) } }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  /// Reads a list; the error of a bad element has its index.
  public init(json: JSONValue) throws {
    guard case .array(let elements) = json else { throw ValueTransformError(expected: "a list", found: json) }
    self = try elements.enumerated().map { index, element in
      do { return try Element(json: element) } catch let error as any ErrorWithPath {
        throw error.inElement(index)
      }
    }
  }
  /// The elements as a JSON list.
  public var json: JSONValue { get throws { .array(try map { try $0.json }) } }
}

extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
  /// Reads an object; the error of a bad member has its key.
  public init(json: JSONValue) throws {
    guard case .object(let members) = json else { throw ValueTransformError(expected: "an object", found: json) }
    self = try Dictionary(
      uniqueKeysWithValues: members.map { key, member in
        do { return (key, try Value(json: member)) } catch let error as any ErrorWithPath {
          throw error.inMember(key)
        }
      })
  }
  /// The members as a JSON object.
  public var json: JSONValue { get throws { .object(try mapValues { try $0.json }) } }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
  /// Reads null as nil.
  public init(json: JSONValue) throws { self = json.isNull ? nil : try Wrapped(json: json) }
  /// The value, or null.
  public var json: JSONValue { get throws { try self?.json ?? .null } }
}

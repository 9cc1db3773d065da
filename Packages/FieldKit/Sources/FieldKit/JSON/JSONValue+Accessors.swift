extension JSONValue {
  /// Whether the value is ``null``.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The boolean, or nil if the value is not a boolean. Numbers and strings are never converted to booleans.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number as an `Int`, or nil if the value is not a number, has a fraction, or doesn't fit.
  ///
  /// A number counts by its value, not by its spelling: `1e3` and `1000.0` are 1000.
  public var intValue: Int? {
    switch self {
    case .int(let value): value
    case .double(let value): value.exactInteger
    case .number(let number): number.intValue
    default: nil
    }
  }

  /// The `Double` nearest to the number, or nil if the value is not a number or is beyond the range of `Double`.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .number(let number): number.doubleValue
    default: nil
    }
  }

  /// The string, or nil if the value is not a string. Numbers are never converted to strings.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The elements, or nil if the value is not an array.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members, or nil if the value is not an object.
  public var objectValue: [String: JSONValue]? {
    if case .object(let value) = self { value } else { nil }
  }
}

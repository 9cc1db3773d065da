extension JSONValue {
  /// True for ``null``.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The boolean, or nil if this is something else. Numbers and strings are never taken for booleans.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number as an `Int`, or nil if this is no number, has a fraction, or doesn't fit.
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

  /// The `Double` nearest to the number, or nil if this is no number or is beyond the range of `Double`.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .number(let number): number.doubleValue
    default: nil
    }
  }

  /// The string, or nil if this is something else. Numbers are never taken for strings.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The elements, or nil if this is no array.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members, or nil if this is no object.
  public var objectValue: [String: JSONValue]? {
    if case .object(let value) = self { value } else { nil }
  }
}

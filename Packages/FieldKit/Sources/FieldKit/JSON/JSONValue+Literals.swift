extension JSONValue: ExpressibleByNilLiteral {
  /// Creates ``null`` from `nil`.
  public init(nilLiteral: ()) {
    self = .null
  }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  /// Creates a ``bool(_:)`` from `true` or `false`.
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  /// Creates an ``int(_:)`` from an integer literal.
  public init(integerLiteral value: Int) {
    self = .int(value)
  }
}

extension JSONValue: ExpressibleByFloatLiteral {
  /// Creates a ``double(_:)`` from a literal with a fraction or an exponent.
  public init(floatLiteral value: Double) {
    self = .double(value)
  }
}

extension JSONValue: ExpressibleByStringInterpolation {
  /// Creates a ``string(_:)`` from a string literal, with or without interpolations.
  public init(stringLiteral value: String) {
    self = .string(value)
  }
}

extension JSONValue: ExpressibleByArrayLiteral {
  /// Creates an ``array(_:)`` from an array literal.
  public init(arrayLiteral elements: JSONValue...) {
    self = .array(elements)
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  /// Creates an ``object(_:)`` from a dictionary literal. If a key is given twice, the last value counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = [String: JSONValue](minimumCapacity: elements.count)
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}

extension JSONValue {
  /// Creates a number from any integer: an ``int(_:)`` if it fits, else a ``number(_:)`` with its digits.
  public init(_ value: some BinaryInteger) {
    if let int = Int(exactly: value) {
      self = .int(int)
    } else {
      self = .number(JSONNumber(validated: String(value)))
    }
  }

  /// Creates a ``double(_:)``.
  public init(_ value: Double) {
    self = .double(value)
  }

  /// Creates a ``bool(_:)``.
  public init(_ value: Bool) {
    self = .bool(value)
  }

  /// Creates a ``string(_:)``.
  public init(_ value: some StringProtocol) {
    self = .string(String(value))
  }
}

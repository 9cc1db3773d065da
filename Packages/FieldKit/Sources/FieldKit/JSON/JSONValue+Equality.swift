extension JSONValue: Hashable {
  /// Returns whether both denote the same JSON value.
  ///
  /// Numbers are compared by their decimal value, whichever case holds them; a `Double` stands for its shortest
  /// spelling. Negative zero equals zero, and not-a-number equals itself, so that values can be keys.
  ///
  /// - Complexity: O(*n*), where *n* is the number of values inside.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    // Containers, which recurse, come first and alone: that keeps the stack small in unoptimised builds, too.
    if case .array(let left) = left {
      guard case .array(let right) = right else { return false }
      return left == right
    }
    if case .object(let left) = left {
      guard case .object(let right) = right else { return false }
      return left == right
    }
    return left.equalsScalar(right)
  }

  private func equalsScalar(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
    case (.string(let left), .string(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.int(let int), .double(let double)), (.double(let double), .int(let int)): double.exactInteger == int
    case (.number(let number), .int(let int)), (.int(let int), .number(let number)): number.intValue == int
    case (.number(let number), .double(let double)), (.double(let double), .number(let number)):
      double.isFinite && ExactDecimal(shortest: double) == number.exactDecimal
    default: false
    }
  }

  /// Hashes the components that ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    if case .array(let elements) = self {
      hasher.combine(6 as UInt8)
      hasher.combine(elements)
    } else if case .object(let members) = self {
      hasher.combine(7 as UInt8)
      hasher.combine(members)
    } else {
      hashScalar(into: &hasher)
    }
  }

  private func hashScalar(into hasher: inout Hasher) {
    switch self {
    case .null, .array, .object: hasher.combine(0 as UInt8)
    case .bool(let value):
      hasher.combine(1 as UInt8)
      hasher.combine(value)
    case .int(let value): Self.hash(value, into: &hasher)
    case .double(let value): Self.hash(value, into: &hasher)
    case .number(let number):
      let decimal = number.exactDecimal
      if let int = decimal.intValue {
        Self.hash(int, into: &hasher)
      } else if let double = decimal.exactDouble {
        Self.hash(double, into: &hasher)
      } else {
        hasher.combine(4 as UInt8)
        hasher.combine(decimal)
      }
    case .string(let value):
      hasher.combine(5 as UInt8)
      hasher.combine(value)
    }
  }

  private static func hash(_ value: Int, into hasher: inout Hasher) {
    hasher.combine(2 as UInt8)
    hasher.combine(value)
  }

  private static func hash(_ value: Double, into hasher: inout Hasher) {
    if let int = value.exactInteger { return hash(int, into: &hasher) }
    hasher.combine(3 as UInt8)
    // All not-a-numbers are equal here.
    hasher.combine(value.isNaN ? .nan : value)
  }
}

extension Double {
  /// The `Int` that the shortest spelling of this number denotes, or nil if there is none.
  ///
  /// Up to 2^53 that is the number itself. Above, the shortest spelling ends in zeros which the binary value need not
  /// have. The spelling decides, because it is written and read.
  var exactInteger: Int? {
    if magnitude <= 9_007_199_254_740_992 { return Int(exactly: self) }
    guard magnitude < 1e19 else { return nil }
    return ExactDecimal(shortest: self).intValue
  }
}

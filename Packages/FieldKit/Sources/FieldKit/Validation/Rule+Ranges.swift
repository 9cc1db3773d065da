extension Rule where Value: Comparable {
  /// Returns a rule that the value lies in a range: closed, half-open or one-sided.
  ///
  /// Messages: `must be greater than or equal to 0`, `must be less than or equal to 130`, `must be less than 130`, and
  /// `must be equal to 6` if both bounds are the same. A missing value passes; a value that can't be compared, such as
  /// `Double.nan`, does not.
  ///
  /// ```swift
  /// let age = Field<Int>().require(.range(0...130))
  /// let price = Field<Double>().require(.range(0..<1_000))
  /// ```
  @inlinable
  public static func range<Bounds: RangeExpression>(_ range: Bounds) -> Rule where Bounds.Bound == Value {
    let limits = RuleLimits(range)
    guard let key = limits.key(.range, type: Value.self) else { return .range(limits, key: nil) }
    return known(key) ?? .range(limits, key: key)
  }

  @specialized(where Value == Int)
  @specialized(where Value == Double)
  @usableFromInline
  static func range(_ limits: RuleLimits<Value>, key: InternKey.Numbers?) -> Rule {
    .limited(key: key.map { InternKey($0) } ?? limits.textKey(.range, type: Value.self)) {
      RuleBody(code: "range", arguments: limits.arguments) { limits.failure(of: $0, subject: "") }
    }
  }
}

extension Rule where Value == String {
  /// Returns a rule about the number of characters (grapheme clusters) of a text. A missing text passes.
  ///
  /// Messages are those of ``range(_:)`` after `length`, such as `length must be less than or equal to 3`.
  @inlinable
  public static func length<Bounds: RangeExpression>(_ range: Bounds) -> Rule where Bounds.Bound == Int {
    let limits = RuleLimits(range)
    guard let key = limits.key(.length, type: Value.self) else { return .length(limits, key: nil) }
    return known(key) ?? .length(limits, key: key)
  }

  /// Returns a rule that a text has exactly this number of characters (grapheme clusters). A missing text passes.
  @inlinable
  public static func length(_ length: Int) -> Rule { .length(length...length) }

  @usableFromInline
  static func length(_ limits: RuleLimits<Int>, key: InternKey.Numbers?) -> Rule {
    .limited(key: key.map { InternKey($0) }) {
      RuleBody(code: "length", arguments: limits.arguments) { limits.failure(of: $0.count, subject: "length ") }
    }
  }
}

extension Rule {
  /// Returns a rule about the number of elements of a list. A missing list passes.
  ///
  /// Messages are those of ``range(_:)`` after `count`, such as `count must be equal to 1`.
  @inlinable
  public static func count<Bounds: RangeExpression, Element>(_ range: Bounds) -> Rule
  where Value == [Element], Bounds.Bound == Int {
    let limits = RuleLimits(range)
    guard let key = limits.key(.count, type: Value.self) else { return .count(limits, key: nil) }
    return known(key) ?? .count(limits, key: key)
  }

  /// Returns a rule that a list has exactly this number of elements. A missing list passes.
  @inlinable
  public static func count<Element>(_ count: Int) -> Rule where Value == [Element] { .count(count...count) }

  @usableFromInline
  static func count<Element>(_ limits: RuleLimits<Int>, key: InternKey.Numbers?) -> Rule where Value == [Element] {
    .limited(key: key.map { InternKey($0) }) {
      RuleBody(code: "count", arguments: limits.arguments) { limits.failure(of: $0.count, subject: "count ") }
    }
  }

  // Limits with a key consist of numbers, dates or texts, so that a body made of them may be shared.
  fileprivate static func limited(key: InternKey?, make: () -> RuleBody<Value>) -> Rule {
    if let key { .shared(key, make: make) } else { Rule(body: make()) }
  }
}

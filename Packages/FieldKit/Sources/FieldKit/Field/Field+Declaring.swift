extension Field {
  /// Adds a rule. All rules are checked, in the order in which they were added.
  ///
  /// ```swift
  /// let age = Field<Int>(name: "Age").require(
  ///   .range(0...130), message: "is not an age", allowNil: false)
  /// ```
  ///
  /// - Parameters:
  ///   - rule: the condition that the value has to meet.
  ///   - message: the predicate of a sentence about the field, such as "is not an age"; nil for the message of the
  ///     rule.
  ///   - allowNil: whether a field without a value meets the rule; nil for the behaviour that the rule declares.
  @inlinable
  @discardableResult
  public func require(_ rule: Rule<Content>, message: String? = nil, allowNil: Bool? = nil) -> Self {
    var rule = rule
    if let message { rule = rule.message(message) }
    if let allowNil { rule = rule.allowingNil(allowNil) }
    metadata = .requiring(rule, after: metadata)
    return self
  }

  /// Adds rules, in their order.
  @_disfavoredOverload
  @inlinable
  @discardableResult
  public func require(_ rules: [Rule<Content>]) -> Self {
    for rule in rules { require(rule) }
    return self
  }

  /// Adds a rule with a test of your own. It is stored for each field, unlike the rules of the library.
  ///
  /// - Parameters:
  ///   - message: the message for a violation, as the end of a sentence about the field.
  ///   - allowNil: whether a field without a value passes, without calling the test.
  ///   - test: returns whether the value passes.
  @discardableResult
  public func require(
    message: String = "is invalid", allowNil: Bool = true, test: @escaping (Content) -> Bool
  ) -> Self {
    require(Rule(message: message, allowsNil: allowNil, test: test))
  }

  /// Requires a value.
  ///
  /// - Parameter message: the message for a missing value, as the end of a sentence about the field.
  @inlinable
  @discardableResult
  public func requireNotNil(message: String? = nil) -> Self { require(.notNil, message: message) }
}

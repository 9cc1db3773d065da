extension Field {
  /// Adds a rule. Rules are checked in the order in which they were added, all of them.
  ///
  /// ```swift
  /// let age = Field<Int>(name: "Age").require(.range(0...130), message: "is not an age", allowNil: false)
  /// ```
  ///
  /// - Parameters:
  ///   - rule: what has to hold.
  ///   - message: what to say when the rule is broken, as the end of a sentence about the field. Nil: what the rule says.
  ///   - allowNil: whether a field without a value passes. Nil: what the rule says.
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

  /// Adds a rule of one's own. It is kept for each field, unlike the rules that come with the library.
  ///
  /// - Parameters:
  ///   - message: what to say when the rule is broken, as the end of a sentence about the field.
  ///   - allowNil: whether a field without a value passes, without calling the test.
  ///   - test: returns whether the value passes.
  @discardableResult
  public func require(
    message: String = "is invalid", allowNil: Bool = true, test: @escaping (Content) -> Bool
  ) -> Self {
    require(Rule(message: message, allowsNil: allowNil, test: test))
  }

  /// Says that there has to be a value.
  ///
  /// - Parameter message: what to say if there is none, as the end of a sentence about the field.
  @inlinable
  @discardableResult
  public func requireNotNil(message: String? = nil) -> Self { require(.notNil, message: message) }
}

extension Field {
  /// Adds a rule. Rules are checked in the order in which they were added.
  @discardableResult
  public func require(_ rule: Rule<Content>) -> Self {
    metadata = .adding(rule, to: metadata)
    return self
  }

  /// Adds a rule of one's own.
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
  @discardableResult
  public func requireNotNil() -> Self {
    require(Rule(code: "notNil", message: "is required", allowsNil: false) { _ in true })
  }
}

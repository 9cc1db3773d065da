/// A rule that takes time to check, such as by a request to a server.
struct AsynchronousRule<Value> {
  private let makeCheck: (Value) -> AsynchronousCheck

  init(
    code: String, message: String, test: @escaping @Sendable (Value) async throws -> Bool
  ) where Value: Sendable {
    makeCheck = { value in
      {
        do {
          if try await test(value) { return nil }
          return (RuleViolation(code: code, message: message), isConclusive: true)
        } catch {
          let violation = RuleViolation(code: code, message: "could not be checked: \(error)", detail: "unchecked")
          return (violation, isConclusive: false)
        }
      }
    }
  }

  /// Returns the check of one value.
  func check(of value: Value) -> AsynchronousCheck { makeCheck(value) }
}

/// Checks one value by one rule. Returns nil if the value passes; a violation is not conclusive if the test failed to
/// run.
typealias AsynchronousCheck = @Sendable () async -> (violation: RuleViolation, isConclusive: Bool)?

extension Field where Content: Sendable {
  /// Adds a rule that takes time to check, such as by a request to a server.
  ///
  /// ```swift
  /// let name = Field<String>().require(.notBlank).require(
  ///   code: "taken", message: "is taken"
  /// ) { name in
  ///   await api.isFree(name)
  /// }
  /// ```
  ///
  /// ``AnyField/validateFully()`` checks these rules, and a save by a store waits for those of changed fields.
  /// ``AnyField/validate()`` does not. They are checked once for a value, in their order, and only if the value meets
  /// all other rules. A missing value passes. A test that throws makes the field invalid until it is checked again.
  ///
  /// - Important: The test must not write in the scope of the model. A transaction may wait for the creation that waits
  ///   for the test.
  ///
  /// - Parameters:
  ///   - code: a stable name for the kind of rule.
  ///   - message: the message for a violation, as the end of a sentence about the field.
  ///   - test: returns whether the value passes. It runs outside the isolation of the field, and its task is cancelled
  ///     when a check of a newer value starts.
  @discardableResult
  public func require(
    code: String, message: String = "is invalid", test: @escaping @Sendable (Content) async throws -> Bool
  ) -> Self {
    metadata = .adding(AsynchronousRule(code: code, message: message, test: test), to: metadata)
    return self
  }
}

extension AnyField {
  /// The result of the last validation; `unknown` after every set.
  public final var validationState: ValidationState {
    noteRead(of: .validationState)
    return untrackedValidationState
  }

  final var untrackedValidationState: ValidationState {
    if flags.contains(.invalid) { return .invalid(untrackedViolations.map(\.description)) }
    if flags.contains(.validating) { return .validating }
    return flags.contains(.valid) ? .valid : .unknown
  }

  /// The rule violations of the last validation, with codes and arguments for messages of your own; empty after every
  /// set.
  ///
  /// Violations added with ``addViolation(_:)`` come last. They are in the order of the messages in
  /// ``validationState``.
  public final var violations: [RuleViolation] {
    noteRead(of: .validationState)
    return untrackedViolations
  }

  final var untrackedViolations: [RuleViolation] { flags.contains(.invalid) ? details?.violations ?? [] : [] }

  /// Checks every rule and stores the result. Messages added with ``addValidationError(_:)`` are removed.
  ///
  /// Asynchronous rules are not checked, but their result for the present value counts if it is known: see
  /// ``validateFully()``.
  ///
  /// - Returns: `.valid`, or `.invalid` with one message for each broken rule, in the order of the rules. If only
  ///   asynchronous rules are left to check, `.validating` during a check, otherwise `.unknown`.
  @discardableResult
  public final func validate() -> ValidationState {
    let violations = ruleViolations()
    if violations.isEmpty, hasAsynchronousRules {
      showCheck()
    } else {
      setViolations(violations, isValid: violations.isEmpty)
    }
    return validationState
  }

  /// Checks the rules unless the value was validated since it was last set.
  @discardableResult
  public final func validateIfNeeded() -> ValidationState {
    flags.isDisjoint(with: .validationStateMask) ? validate() : validationState
  }

  /// Whether the value meets all rules. Validates unless the value was validated since it was last set.
  public final var valid: Bool { validateIfNeeded().isValid }

  /// Adds an error message of another source, such as a server. The next validation or set removes it.
  public final func addValidationError(_ message: String) { addViolation(RuleViolation(message: message)) }

  /// Adds a violation found elsewhere, such as by a server. The next validation or set removes it.
  public final func addViolation(_ violation: RuleViolation) { addViolations([violation]) }

  /// Discards the result of the last validation.
  public final func resetValidationState() {
    let announced = announceChange(of: flags.isDisjoint(with: .validationStateMask) ? [] : .validationState)
    flags.subtract(.validationStateMask)
    details?.violations = []
    if flags.contains(.watched) { announceStates() }
    concludeChange(of: announced)
  }

  final func setViolations(_ violations: [RuleViolation], isValid: Bool) {
    let newState: ValidationState = isValid ? .valid : .invalid(violations.map(\.description))
    let announced = announceChange(of: newState == untrackedValidationState ? [] : .validationState)
    defer { concludeChange(of: announced) }
    flags.subtract(.validationStateMask)
    flags.formUnion(isValid ? .valid : .invalid)
    if isValid { details?.violations = [] } else { detailsForWriting.violations = violations }
    if flags.contains(.watched) { announceStates() }
  }

  /// Sets the state of a field whose asynchronous rules are being checked.
  final func setValidating() {
    let announced = announceChange(of: flags.contains(.validating) ? [] : .validationState)
    defer { concludeChange(of: announced) }
    flags.subtract(.validationStateMask)
    flags.formUnion(.validating)
    details?.violations = []
    if flags.contains(.watched) { announceStates() }
  }
}

@_spi(ModelKitInternals)
extension AnyField {
  /// Adds violations in one change of the validation state.
  ///
  /// - Complexity: O(*n* + *m*), where *n* is the number of existing violations, and *m* the number of added ones.
  public final func addViolations(_ violations: [RuleViolation]) {
    if violations.isEmpty { return }
    setViolations(untrackedViolations + violations.map(withoutSecrets), isValid: false)
  }
}

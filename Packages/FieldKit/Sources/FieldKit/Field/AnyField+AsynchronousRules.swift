@_spi(ModelKitInternals) import ObservationKit

extension AnyField {
  /// Checks every rule, waits for the asynchronous ones, and stores the result.
  ///
  /// The state is `.validating` meanwhile. Asynchronous rules are checked only if all others are met. If the value
  /// changes during the check, the result is discarded and the new value is checked. Callers that wait for
  /// the same value share one check. Runs in the isolation of the caller.
  ///
  /// - Returns: the state; `.unknown` if the task was cancelled before the end of a check.
  @discardableResult
  public final func validateFully() async -> ValidationState {
    discardFailedCheck()
    validate()
    while let check = startCheck() {
      await check.end()
      finish(check)
      if Task.isCancelled { break }
    }
    return validationState
  }

  /// Validates the value whenever it has changed and then stayed the same for a time, until the task is cancelled.
  ///
  /// ```swift
  /// .task { await person.name.validateChanges() }
  /// ```
  ///
  /// Runs in the isolation of the caller, and retains the field.
  ///
  /// - Parameters:
  ///   - pause: the time without a change after which the value is validated.
  ///   - clock: the clock that measures the pause.
  public final func validateChanges(
    after pause: Duration = .milliseconds(300), clock: some Clock<Duration> = ContinuousClock()
  ) async {
    await FieldValidation.validateChanges(of: [self], after: pause, clock: clock)
  }

  /// Discards a result that is incomplete because a test failed to run, so that the next check repeats it.
  final func discardFailedCheck() {
    guard details?.check?.isConclusive == false else { return }
    details?.check = nil
    validate()
  }

  /// Starts to check the present value by its asynchronous rules.
  ///
  /// - Returns: the check, which may have been in progress. Nil if another rule is violated, there are no asynchronous
  ///   rules, or their result is known.
  final func startCheck() -> FieldCheck? {
    if flags.isDisjoint(with: .validationStateMask) { validate() }
    guard awaitsCheck else { return nil }
    if let check = details?.check {
      if check.stamp == lastChange, !check.isCancelled { return check }
      check.cancel()
    }
    let check = FieldCheck(of: lastChange, asynchronousChecks())
    detailsForWriting.check = check
    setValidating()
    return check
  }

  /// Stores the result of a check that has ended, unless the value has changed since the check began.
  final func finish(_ check: FieldCheck) {
    guard let last = details?.check, last === check, check.stamp == lastChange else { return }
    if check.violations == nil { details?.check = nil }
    // A violation that was added meanwhile stays.
    if flags.contains(.invalid) { return }
    validate()
  }

  /// Sets the state of a value that meets all rules but the asynchronous ones.
  final func showCheck() {
    guard let check = details?.check, check.stamp == lastChange else { return resetValidationState() }
    guard let violations = check.violations else { return setValidating() }
    setViolations(violations.map(withoutSecrets), isValid: violations.isEmpty)
  }
}

@_spi(ModelKitInternals)
extension AnyField {
  /// Whether the value meets all rules but asynchronous ones, which were not checked to the end.
  public final var awaitsCheck: Bool { flags.isDisjoint(with: [.valid, .invalid]) && hasAsynchronousRules }

  /// Whether a check by asynchronous rules belongs to the present value.
  public final var needsAsynchronousValidation: Bool { hasAsynchronousRules }
}

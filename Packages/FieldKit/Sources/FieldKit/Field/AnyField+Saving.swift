@_spi(ModelKitInternals)
extension AnyField {
  /// Checks every rule and stores the result, as ``validate()`` does, without creating a ``ValidationState``.
  ///
  /// - Returns: whether all rules are met.
  public final func passesRules() -> Bool {
    // Observers of states need `validate()`, which notifies them. The owner only waits for a change of the value.
    guard flags.isDisjoint(with: [.invalid, .tracked, .validating]), details?.validationStates == nil else {
      return validate().isValid
    }
    let violations = ruleViolations()
    if !violations.isEmpty {
      setViolations(violations, isValid: false)
    } else if hasAsynchronousRules {
      showCheck()
    } else {
      flags.formUnion(.valid)
    }
    return flags.contains(.valid)
  }

  /// Checks every rule of a field whose value could not be read. A rule that requires a value reports the reason, once.
  ///
  /// - Parameter reason: why the value could not be read.
  public final func validate(unread reason: String) {
    var violations = ruleViolations()
    if let first = violations.firstIndex(where: { $0.detail == "missing" }) {
      violations[first].message = "could not be read: \(reason)"
      let unread = violations[first]
      violations.removeAll { $0.detail == "missing" }
      violations.insert(unread, at: first)
    }
    setViolations(violations, isValid: violations.isEmpty)
  }

  /// Whether the last validation found a violation. The read is not tracked.
  public final var isKnownInvalid: Bool { flags.contains(.invalid) }
}

@_spi(ModelKitInternals)
extension AnyField {
  /// Checks every rule and keeps the result, as ``validate()`` does, without describing it.
  ///
  /// - Returns: whether no rule is broken.
  public final func passesRules() -> Bool {
    // Whoever is told of states is told by the longer way. The owner only waits for a change of the value.
    guard flags.isDisjoint(with: [.invalid, .tracked]), details?.validationStates == nil else {
      return validate().isValid
    }
    let violations = ruleViolations()
    if violations.isEmpty { flags.formUnion(.valid) } else { setViolations(violations, isValid: false) }
    return violations.isEmpty
  }

  /// Checks every rule of a field whose value could not be read. A rule that finds the value missing reports that it could
  /// not be read, once.
  ///
  /// - Parameter reason: Why the value could not be read.
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

  /// Whether something is wrong with the value as far as is known. Nobody who tracks reads is told.
  public final var isKnownInvalid: Bool { flags.contains(.invalid) }
}

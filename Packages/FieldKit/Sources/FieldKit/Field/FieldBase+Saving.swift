@_spi(ModelKitInternals)
extension FieldBase {
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

  /// Whether something is wrong with the value as far as is known. Nobody who tracks reads is told.
  public final var isKnownInvalid: Bool { flags.contains(.invalid) }
}

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

  /// Marks the value as of a stamp as saved. A later change stays dirty, and a later revert becomes dirty.
  public final func markSaved(asOf stamp: ChangeStamp) {
    noteComingSave(asOf: stamp)
    // Otherwise a clean field has the saved value. An initial value may be younger than the read that made its model.
    guard lastChange <= stamp || flags.isDisjoint(with: [.dirty, .reverted]) else {
      // The saved value is neither the current value nor the stored baseline.
      if flags.contains(.reverted) {
        becomeDirtyAfterSave()
      } else if details?.restoration != nil || !isRelation || flags.contains(.loaded) {
        // An incomplete list may be in no record.
        detailsForWriting.restoration = { _ in false }
        discardBaseline()
        // The field stays unsaved, but its previous states are outdated.
        if flags.contains(.ownerWatches) { notifyOwnerOfSave() }
      }
      return
    }
    flags.formUnion(.original)
    flags.subtract(.reverted)
    details?.restoration = nil
    guard flags.contains(.dirty) else { return }
    let announced = announceChange(of: .isDirty)
    flags.subtract(.dirty)
    concludeChange(of: announced)
    if flags.contains(.ownerWatches) { notifyOwnerOfSave() }
  }
}

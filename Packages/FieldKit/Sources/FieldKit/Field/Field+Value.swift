extension Field {
  /// The value. Setting it marks the field as loaded, makes its validation state unknown, sets its stamp, and notifies
  /// the observers before the setter returns.
  ///
  /// Assigning nil to a field that is not loaded is an edit: the field is dirty, and a save writes `null`.
  ///
  /// - Complexity: O(1) to get; to set O(*n*), where *n* is the number of observers.
  @inlinable
  public final var value: Content? {
    get {
      if FieldObservation.isEnabled || flags.contains(.hooksGet) { return notedValue() }
      return storage
    }
    set { set(newValue, stamp: .next()) }
    @inlinable _modify {
      var newValue = value
      let wasNil = newValue == nil
      // `value?.append(…)` of a field without a value is not an assignment of nil.
      defer { if !wasNil || newValue != nil { value = newValue } }
      yield &newValue
    }
  }

  @usableFromInline
  final func setInitialState() {
    flags.formUnion([.loaded, .initial])
    let stamp = ChangeStamp.next()
    updatedStamp = stamp
    changedStamp = stamp
  }

  final func copyValueAndStamps(of other: Field) {
    let (updated, changed) = (other.updatedStamp, other.changedStamp)
    // Constrained first, so that a value changed by the domain keeps the stamp of the original.
    set(constrained(other.value), stamp: updated)
    setStamps(updated: updated, changed: changed, edit: changedStamp == updated ? .next() : lastChange)
  }

  final func setAsRead(_ value: Content?, stamp: ChangeStamp) {
    // The replaced value is not a local change, and needs no baseline.
    flags.subtract(.original)
    let (wasLoaded, oldStamp) = (isLoaded, changedStamp)
    let oldValue = wasLoaded ? nil : storage
    // Constrained first: a value that the domain changed while it was read is not a local change.
    set(flags.contains(.hooksSet) ? constrained(value) : value, stamp: stamp)
    // To assign the initial value to an unset field is an edit, to read it is not a change.
    if !wasLoaded, !isChange(from: oldValue, to: storage) { changedStamp = oldStamp }
    markSaved(asOf: stamp)
  }

  /// The baseline of the field; nil if it is unknown, and for a clean relation.
  final var knownBaseline: Content?? {
    if flags.contains(.dirty) { return replacedBaseline() }
    return isOriginal && !isRelation ? .some(storage) : nil
  }

  /// Returns the baseline of a dirty field; nil if it has none, or is a relation.
  final func replacedBaseline() -> Content?? {
    guard !isRelation, let restoration = details?.restoration else { return nil }
    // Reverts a bare copy: the baseline is needed without observers and rules.
    let bare = Field(unset: nil, metadata: nil, equality: equality)
    return restoration(bare) ? .some(bare.storage) : nil
  }

  final var hasDeclaredAsynchronousRules: Bool {
    metadata?.asynchronousRules.isEmpty == false && storage != nil
  }

  final func violationsOfRules() -> [RuleViolation] {
    guard let metadata, !metadata.rules.isEmpty else { return [] }
    let value = value
    var violations: [RuleViolation] = []
    for rule in metadata.rules {
      if let violation = rule.violation(of: value) { violations.append(violation) }
    }
    return violations
  }
}

@_spi(ModelKitInternals)
extension Field {
  /// The stored value, bypassing the hooks of a subclass. Setting it notifies no observer.
  public final var storedValue: Content? {
    get { storage }
    // In place: a list of many models must not be copied to add one.
    _modify { yield &storage }
  }

  /// Whether the value is read through ``hookedValue()``.
  public final var readsThroughHook: Bool {
    get { flags.contains(.hooksGet) }
    set { if newValue { flags.formUnion(.hooksGet) } else { flags.subtract(.hooksGet) } }
  }

  /// Whether the value may have observers.
  public final var isObserved: Bool { hasRegistry }

  /// Notifies the observers of a change that was made before.
  public final func announce(from oldValue: Content?, to newValue: Content?, isChange: Bool, stamp: ChangeStamp) {
    notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp)
  }

  /// Sets a value that was read. The field then equals the source, and is not dirty.
  public final func load(_ value: Content?, stamp: ChangeStamp) {
    if flags.contains(.ownerWatches) {
      withoutNotifyingOwner { setAsRead(value, stamp: stamp) }
    } else {
      setAsRead(value, stamp: stamp)
    }
  }
}

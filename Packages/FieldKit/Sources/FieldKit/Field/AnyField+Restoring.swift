// The baseline is stored when it is first replaced. Unchanged fields therefore need no memory for it, and setting a
// field without a baseline costs only a test of flags that is done anyway.

@_spi(ModelKitInternals)
extension AnyField {
  /// Copies the states of another field, apart from its value and declaration.
  public final func copyStates(of original: AnyField) {
    updatedStamp = original.updatedStamp
    changedStamp = original.changedStamp
    let copied: FieldFlags = [.dirty, .initial, .original, .hasForeignStamps]
    flags.subtract([copied, .validationStateMask])
    flags.formUnion(original.flags.intersection(copied))
    if flags.contains(.hasForeignStamps) { detailsForWriting.editStamp = original.lastChange }
    if original.details?.restoration != nil || details?.restoration != nil {
      detailsForWriting.restoration = original.details?.restoration
    }
    loadState = original.loadState
  }

  /// Reverts a dirty field to its baseline, the value last read or saved.
  ///
  /// - Returns: `false` if the field is not dirty, or its baseline is unknown.
  public final func restore() -> Bool {
    guard isDirty, let restoration = details?.restoration else { return false }
    return reverting { restoration(self) }
  }

  /// Unloads a dirty field that has no baseline.
  public final func restoreUnset() { reverting { unload() } }

  /// Calls a closure that sets the field back as a read does. The change is an edit all the same.
  private func reverting<Result>(_ body: () -> Result) -> Result {
    noteComingEdit()
    flags.formUnion(.reverting)
    defer {
      flags.subtract(.reverting)
      if !isDirty { flags.formUnion(.reverted) }
    }
    return body()
  }

  /// Marks the field as clean because an edit gave it the value of the baseline again. A save that began before the
  /// edit makes it dirty.
  public final func markReverted(asOf stamp: ChangeStamp) {
    markSaved(asOf: stamp)
    if !isDirty { flags.formUnion(.reverted) }
  }

  /// Runs a read of records that keeps the values of clean fields, as it keeps local changes. A field that an observer
  /// sets meanwhile is dirty afterwards.
  public static func keepingValues<Result>(
    of fields: [AnyField], inReads body: () throws -> Result
  ) rethrows -> Result {
    let wereOriginal = fields.map(\.isOriginal)
    for field in fields { field.flags.formUnion(.dirty) }
    defer {
      for (field, wasOriginal) in zip(fields, wereOriginal) {
        field.flags.subtract(.dirty)
        // An edit has stored the baseline.
        if !wasOriginal || field.isOriginal { continue }
        let announced = field.announceChange(of: .isDirty)
        field.flags.formUnion(.dirty)
        field.concludeChange(of: announced)
      }
    }
    return try body()
  }

  /// Whether the field has no baseline, because it was never read or saved.
  public final var wasNeverSaved: Bool { !flags.contains(.original) && details?.restoration == nil }

  /// Whether the value is the baseline. A subclass with storage of its own captures the baseline before its first
  /// change.
  public final var isOriginal: Bool { flags.contains(.original) }

  /// Marks the field as changed and without baseline, because a save of it failed.
  public final func markNeverSaved() {
    let announced = announceChange(of: .isDirty)
    flags.subtract(.original)
    flags.formUnion(.dirty)
    details?.restoration = nil
    discardBaseline()
    concludeChange(of: announced)
  }

  /// Restores the initial value of the field, which is not an edit.
  public final func markInitial() {
    flags.subtract([.dirty, .original])
    flags.formUnion(.initial)
    details?.restoration = nil
  }

  /// Discards the baseline, because the value was not saved.
  public final func discardSaved() { flags.subtract(.original) }

  /// Stores a closure that reverts the field, until the field is saved, read or unloaded.
  ///
  /// - Parameter restoration: receives the field; returns whether the field was reverted.
  public final func registerRestoration(_ restoration: @escaping (AnyField) -> Bool) {
    flags.subtract(.original)
    detailsForWriting.restoration = restoration
  }
}

extension Field {
  /// Stores the baseline.
  @usableFromInline
  final func keepBaseline(_ original: Content?) {
    flags.subtract(.original)
    detailsForWriting.restoration = { field in
      // Copies of this field share the closure, and are fields of the same type.
      unsafeDowncast(field, to: Field.self).load(original, stamp: .next())
      return true
    }
  }

  final func takeValue(of other: Field) {
    let oldValue = storage
    let newValue = other.value
    let isChange = isChange(from: oldValue, to: newValue)
    prepareToSet(isChange: isChange)
    storage = newValue
    copyStates(of: other)
    if flags.contains(.watched) { announceStates() }
    concludeSet()
    announce(from: oldValue, to: newValue, isChange: isChange, stamp: updatedStamp)
  }

  final func unloadValue() {
    noteComingRead()
    let oldValue = value
    let stamp = ChangeStamp.next()
    prepareToSet(isChange: oldValue != nil)
    storage = nil
    // Not `never`: the other field of a two-way binding must not count as newer.
    updatedStamp = stamp
    changedStamp = stamp
    flags.subtract([.loadStateMask, .stale, .dirty, .original, .hooksGet])
    details?.loadError = nil
    details?.restoration = nil
    if flags.contains(.watched) { announceStates() }
    concludeSet()
    announce(from: oldValue, to: nil, isChange: oldValue != nil, stamp: stamp)
  }
}

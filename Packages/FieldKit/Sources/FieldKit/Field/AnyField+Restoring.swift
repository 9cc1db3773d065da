// What was last read or saved is kept when it is replaced for the first time, not before: fields that nobody changes pay
// nothing, and a set of a field that was never read or saved only looks at flags that it looks at anyway.

extension AnyField {
  /// Takes over what a copy shares with its original beside value and declaration.
  @_spi(ModelKitInternals)
  public final func takeStates(of original: AnyField) {
    updatedStamp = original.updatedStamp
    changedStamp = original.changedStamp
    flags.subtract([.dirty, .initial, .valid, .invalid, .original])
    flags.formUnion(original.flags.intersection([.dirty, .initial, .original]))
    if original.details?.restoration != nil || details?.restoration != nil {
      detailsForWriting.restoration = original.details?.restoration
    }
    loadState = original.loadState
  }

  /// Sets a dirty field back to what was last read or saved.
  ///
  /// - Returns: `false` if the field is not dirty, or that is not known.
  @_spi(ModelKitInternals)
  public final func restore() -> Bool {
    guard isDirty, let restoration = details?.restoration else { return false }
    return restoration(self)
  }

  /// Whether nothing is known of what was read or saved, because nothing was.
  @_spi(ModelKitInternals)
  public final var wasNeverSaved: Bool { !flags.contains(.original) && details?.restoration == nil }

  /// Whether the value is what was last read or saved: a subclass that stores values by itself keeps it before it changes
  /// it for the first time.
  @_spi(ModelKitInternals)
  public final var isOriginal: Bool { flags.contains(.original) }

  /// Says that the value was not saved after all, and that there is nothing to go back to.
  @_spi(ModelKitInternals)
  public final func forgetSaved() { flags.subtract(.original) }

  /// Keeps what sets the field back, until the field is saved, read or unloaded.
  ///
  /// - Parameter restoration: gets the field; says whether it could be set back.
  @_spi(ModelKitInternals)
  public final func keepRestoration(_ restoration: @escaping (AnyField) -> Bool) {
    flags.subtract(.original)
    detailsForWriting.restoration = restoration
  }
}

extension Field {
  /// Keeps what was last read or saved.
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
    takeStates(of: other)
    if flags.contains(.watched) { announceStates() }
    concludeSet()
    announce(from: oldValue, to: newValue, isChange: isChange, stamp: updatedStamp)
  }

  final func unloadValue() {
    let oldValue = value
    let stamp = ChangeStamp.next()
    prepareToSet(isChange: oldValue != nil)
    storage = nil
    // Not `never`: what is bound to this field both ways must not be taken for newer.
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

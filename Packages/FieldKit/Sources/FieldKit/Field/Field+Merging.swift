extension Field {
  /// Takes the value of another field if that value is loaded and newer.
  ///
  /// The value keeps the other field's stamp, so a second merge changes nothing. Two fields merged with each other end
  /// up equal in either order, and neither is newer. Observers are notified as for any set, and a different value makes
  /// the field dirty. A relation references the other's models; they are not copied.
  ///
  /// - Returns: whether the value was taken.
  @discardableResult
  public final func merge(from other: Field) -> Bool {
    let value = other.value
    // The load state is read after the value: reading a relation may change it.
    guard other.loadState == .loaded, isUnset || other.updatedStamp > updatedStamp else { return false }
    // Constrained first, so that a value changed by the domain keeps the stamp of the original.
    let stamp = other.updatedStamp
    set(constrained(value), stamp: stamp)
    if changedStamp == stamp { setStamps(updated: updatedStamp, changed: stamp, edit: .next()) }
    return true
  }
}

extension AnyField {
  /// Returns whether the value was set later than that of another field, whether or not it changed. A field that was
  /// never set is older than any that was.
  public final func isNewer(than other: AnyField) -> Bool {
    updatedStamp > other.updatedStamp
  }
}

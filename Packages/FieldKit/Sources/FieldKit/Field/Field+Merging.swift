extension Field {
  /// Takes the value of another field if that is loaded and newer.
  ///
  /// The value keeps the other field's stamp. So merging twice does no more than merging once, two fields that are merged
  /// with each other end alike, whichever comes first, and neither is newer afterwards. Observers are told as of any other
  /// set, and a value that differs makes the field dirty. A relation refers to the other's models; they are not copied.
  ///
  /// - Returns: whether the value was taken.
  @discardableResult
  public final func merge(from other: Field) -> Bool {
    let value = other.value
    // Only now: a relation may find out while it is read that it is not whole.
    guard other.loadState == .loaded, isUnset || other.updatedStamp > updatedStamp else { return false }
    // Constrained beforehand, so that what the field makes of the value is not newer than the value.
    set(constrained(value), stamp: other.updatedStamp)
    return true
  }
}

extension AnyField {
  /// Whether the value was set later than that of another field, whether or not it changed. A field that was never set is
  /// older than every other, and not newer than another of its kind.
  public final func isNewer(than other: AnyField) -> Bool {
    updatedStamp > other.updatedStamp
  }
}

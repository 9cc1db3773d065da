@_spi(ModelKitInternals) import FieldKit

extension ModelArrayField {
  /// Returns whether setting the current members has to be saved. It makes the list complete, and the records of
  /// members don't contain the owner.
  func isNews(_ models: [Related]?, _ change: RelationChange) -> Bool {
    if isClearing, lacksMembers { return true }
    // The first value of a list is an edit even if it is empty: the stored one may have members.
    if change.kind == .local, loadState == .notLoaded { return true }
    guard hasFollowed, change.kind == .local, let models else { return false }
    return !models.allSatisfy { isKept(inRecordOf: $0) }
  }

  /// Searches through a long list are fast enough now and then. Repeated searches without reading the list get a table.
  func makeTableIfWorthwhile() {
    guard table == nil, let storedValue, storedValue.count > 64 else { return }
    if scans < 8 {
      scans += 1
      // So that reads call `hookedValue()`.
      readsThroughHook = true
    } else {
      keep(MemberTable(retaining: storedValue))
    }
  }

  /// Marks a change of members. It does not make an incomplete list complete.
  ///
  /// - Parameter isFollowing: whether the change is saved with the inverse, because the record of this model has no
  ///   list.
  func mark(from oldValue: [Related]?, isPartial: Bool, isFollowing: Bool, _ change: RelationChange) {
    markSet(isChange: true, stamp: change.stamp, isRead: change.isRead)
    if !change.isRead { hasFollowed = isFollowing }
    if isPartial { loadState = .incomplete }
    announceLater(from: oldValue, change)
  }

  /// Notifies observers once all sides are changed. A notification that is already pending, from this change or an
  /// enclosing one, uses the value at its time.
  func announceLater(from oldValue: [Related]?, _ change: RelationChange) {
    guard isObserved, !isToBeAnnounced else { return }
    isToBeAnnounced = true
    change.add { [self, stamp = change.stamp] in
      isToBeAnnounced = false
      let newValue = liveValue
      let isChange = Self.isChange(from: oldValue, to: newValue)
      announce(from: oldValue, to: newValue, isChange: isChange, stamp: max(stamp, lastChange))
    }
  }

  static func isChange(from oldValue: [Related]?, to newValue: [Related]?) -> Bool {
    (oldValue == nil) != (newValue == nil) || !(oldValue ?? []).elementsEqual(newValue ?? [], by: ===)
  }

  /// Sets the baseline whose restoration was reinstated.
  func reinstateBaseline(_ members: ToManyBaseline<Related>?) { original = members }

  func keepBaseline(_ members: ToManyBaseline<Related>) {
    original = members
    registerRestoration { [members] field in
      withExtendedLifetime(members) { (field as? any Relation)?.revertToBaseline() ?? false }
    }
  }
}

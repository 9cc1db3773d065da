/// An owner that is notified of changes and saves of its fields, such as a model whose scope retains it until it is
/// saved.
///
/// Only fields watched with ``AnyField/beginTracking(isFollowed:)`` notify it; the others have no cost.
@_spi(ModelKitInternals)
public protocol FieldWatcher: AnyObject {
  /// Called when a field that may identify its owner was set, before its observers are notified.
  func followedFieldWasSet(_ field: AnyField)
  /// Called at the first change since ``AnyField/beginTracking(isFollowed:)``, before the observers are notified. Not
  /// called again until the field is watched again.
  func fieldBecameDirty(_ field: AnyField)
  /// Called before a value is edited, or replaced by one from elsewhere, while ``FieldRecording/isOn``.
  func fieldWillChange(_ field: AnyField, isEdit: Bool)
  /// Calls a closure that notifies the observers of a set, while ``FieldRecording/isOn``.
  func notifyObservers(of field: AnyField, _ notify: () -> Void)
  /// Called before a change is marked as saved, while ``FieldRecording/isOn``.
  func fieldWillBeSaved(_ field: AnyField, asOf stamp: ChangeStamp?)
  /// Called when a change was saved, or replaced by a value that was read. The field is still dirty if it was edited
  /// during the save.
  func fieldWasSaved(_ field: AnyField)
}

// A set tests one flag to find out whether more than the value is observed. The flag is set while the owner waits for
// the first change, and cleared with it.
@_spi(ModelKitInternals)
extension AnyField {
  /// Notifies the owner of the next change, and of the save after it.
  ///
  /// - Parameter isFollowed: whether the owner is notified of every set.
  /// - Returns: whether the field has unsaved changes already.
  @inlinable
  @discardableResult
  public final func beginTracking(isFollowed: Bool = false) -> Bool {
    flags.formUnion(isFollowed ? [.watched, .ownerWatches, .ownerFollows] : [.watched, .ownerWatches])
    return flags.contains(.dirty)
  }

  /// Stops notifying the owner.
  public final func endTracking() {
    flags.subtract([.ownerWatches, .ownerFollows])
    lowerFlag()
  }

  final func notifyOwnerOfSet() {
    let isNewlyDirty = flags.contains([.ownerWatches, .dirty])
    guard isNewlyDirty || flags.contains(.ownerFollows) else { return }
    if isNewlyDirty { lowerFlag() }
    guard let watcher = owner as? any FieldWatcher else { return }
    if flags.contains(.ownerFollows) { watcher.followedFieldWasSet(self) }
    if isNewlyDirty { watcher.fieldBecameDirty(self) }
  }

  final func notifyOwnerOfSave() { (owner as? any FieldWatcher)?.fieldWasSaved(self) }

  /// Runs a closure that reads a value, and hides its intermediate changes from the owner. Notifies the owner
  /// afterwards if the field became dirty or clean.
  final func withoutNotifyingOwner(_ read: () -> Void) {
    let wasDirty = isDirty
    noteComingRead()
    flags.subtract(.ownerWatches)
    read()
    flags.formUnion(.ownerWatches)
    if isDirty, !wasDirty {
      notifyOwnerOfDirtiness()
    } else if wasDirty, !isDirty {
      notifyOwnerOfSave()
    }
  }

  /// Marks a reverted field as dirty, because a save has stored the value from before the revert.
  final func becomeDirtyAfterSave() {
    flags.subtract(.reverted)
    markNeverSaved()
    detailsForWriting.restoration = { _ in false }
    // A field without a value is in no record: the next save removes the stored value.
    if flags.isDisjoint(with: .loadStateMask) { loadState = .loaded }
    if flags.contains(.ownerWatches) {
      notifyOwnerOfDirtiness()
      notifyOwnerOfSave()
    }
  }

  private func notifyOwnerOfDirtiness() {
    lowerFlag()
    (owner as? any FieldWatcher)?.fieldBecameDirty(self)
  }

  private func lowerFlag() {
    guard !flags.contains(.ownerFollows), details?.validationStates == nil, details?.loadStates == nil else { return }
    flags.subtract(.watched)
  }
}

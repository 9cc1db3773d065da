/// An owner that wants to know of what happens to its fields, such as a model whose scope keeps it until it is saved.
///
/// Only fields of which ``AnyField/beWatched(isFollowed:)`` was asked tell anything; the others pay nothing for it.
@_spi(ModelKitInternals)
public protocol FieldWatcher: AnyObject {
  /// Called when a field that may identify its owner was set, before its observers are told.
  func followedFieldWasSet(_ field: AnyField)
  /// Called at the first change since ``AnyField/beWatched(isFollowed:)``, before the observers are told. Not called
  /// again until the field is watched anew.
  func fieldBecameDirty(_ field: AnyField)
  /// Called when a change was saved, or replaced by what was read.
  func fieldWasSaved(_ field: AnyField)
}

// A set tests one flag, which it tested before, to find out whether anybody is to be told of more than the value. It is
// up while the owner waits for the first change, and comes down with that.
extension AnyField {
  /// Tells the owner of the next change, and of the save after it.
  ///
  /// - Parameter isFollowed: whether to tell of every set.
  /// - Returns: whether there are changes already that were not saved.
  @_spi(ModelKitInternals)
  @discardableResult
  public final func beWatched(isFollowed: Bool = false) -> Bool {
    flags.formUnion(isFollowed ? [.watched, .ownerWatches, .ownerFollows] : [.watched, .ownerWatches])
    return flags.contains(.dirty)
  }

  /// Tells the owner of nothing any more.
  @_spi(ModelKitInternals)
  public final func endWatching() {
    flags.subtract([.ownerWatches, .ownerFollows])
    lowerFlag()
  }

  final func tellOwnerOfSet() {
    let isNewlyDirty = flags.contains([.ownerWatches, .dirty])
    guard isNewlyDirty || flags.contains(.ownerFollows) else { return }
    if isNewlyDirty { lowerFlag() }
    guard let watcher = owner as? any FieldWatcher else { return }
    if flags.contains(.ownerFollows) { watcher.followedFieldWasSet(self) }
    if isNewlyDirty { watcher.fieldBecameDirty(self) }
  }

  final func tellOwnerOfSave() { (owner as? any FieldWatcher)?.fieldWasSaved(self) }

  /// Does what reads a value without telling the owner of a change that is none; tells it afterwards what is left.
  final func withoutTellingOfChange(_ read: () -> Void) {
    let wasDirty = isDirty
    flags.subtract(.ownerWatches)
    read()
    flags.formUnion(.ownerWatches)
    if isDirty, !wasDirty {
      lowerFlag()
      (owner as? any FieldWatcher)?.fieldBecameDirty(self)
    } else if wasDirty, !isDirty {
      tellOwnerOfSave()
    }
  }

  private func lowerFlag() {
    guard !flags.contains(.ownerFollows), details?.validationStates == nil, details?.loadStates == nil else { return }
    flags.subtract(.watched)
  }
}

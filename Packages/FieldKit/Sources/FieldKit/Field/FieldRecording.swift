import Synchronization

/// The number of recorders of edits in this process. While it is zero, an edit need not look for one.
@_spi(ModelKitInternals)
public enum FieldRecording {
  private static let count = Atomic<Int>(0)

  /// Whether there may be a recorder.
  public static var isOn: Bool { count.load(ordering: .relaxed) != 0 }

  /// Counts a recorder.
  public static func begin() { count.add(1, ordering: .relaxed) }

  /// Ends the recording that ``begin()`` began.
  public static func end() { count.subtract(1, ordering: .relaxed) }
}

extension AnyField {
  /// Notifies a recorder, if the owner has one, before the value is edited.
  final func noteComingEdit() {
    guard FieldRecording.isOn, flags.contains(.ownerWatches) else { return }
    (owner as? any FieldWatcher)?.fieldWillChange(self, isEdit: true)
  }

  /// Notifies the observers of an edit. The recorder, if the owner has one, adds their edits to this one.
  @usableFromInline
  final func notifyAsOneEdit(_ notify: () -> Void) {
    guard FieldRecording.isOn, flags.contains(.ownerWatches), let watcher = owner as? any FieldWatcher else {
      return notify()
    }
    watcher.notifyObservers(of: self, notify)
  }

  @usableFromInline
  final func noteEdit(isChange: Bool) {
    if isChange { noteComingEdit() }
  }

  /// Notifies a recorder, if the owner has one, before a change is marked as saved.
  ///
  /// - Parameter stamp: when the save captured the value; nil for the present.
  @_spi(ModelKitInternals)
  public final func noteComingSave(asOf stamp: ChangeStamp? = nil) {
    guard FieldRecording.isOn, flags.contains(.ownerWatches) else { return }
    // A change that was reverted since the save captured it is saved, too.
    let isReverted = flags.contains(.reverted) && stamp.map { lastChange > $0 } == true
    guard flags.contains(.dirty) || isReverted else { return }
    (owner as? any FieldWatcher)?.fieldWillBeSaved(self, asOf: stamp)
  }

  /// Notifies a recorder, if the owner has one, before the value is replaced by one from elsewhere.
  final func noteComingRead() {
    guard FieldRecording.isOn, flags.contains(.ownerWatches), !flags.contains(.reverting) else { return }
    (owner as? any FieldWatcher)?.fieldWillChange(self, isEdit: false)
  }
}

@_spi(ModelKitInternals) import StoreEngine

/// The failures that a change survives after a write has returned.
public enum Durability: Sendable, Hashable {
  /// The change is on the disk: it survives a crash of the process, of the system, and a power cut.
  ///
  /// Writes that wait at the same time share one sync.
  case everyCommit

  /// The operating system has the change, so it survives a crash of the process. A sync begins at the latest after this
  /// time. A power cut can lose the latest changes: each completely, and never one without all later ones. If a sync
  /// fails, the next write throws the error, and so does closing the store.
  case interval(Duration)

  /// The operating system has the change, so it survives a crash of the process. The system decides when it writes the
  /// change to the disk. The store syncs when it is closed, and when a journal file is full or is closed for another
  /// group. A compaction, a check, a repair and a backup sync, too. A power cut can lose the latest changes, as with
  /// ``interval(_:)``.
  case none
}

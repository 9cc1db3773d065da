@_spi(ModelKitInternals) import StoreEngine

/// The durability of a change when a write returns.
public enum Durability: Sendable, Hashable {
  /// The change is on the disk: it outlives a crash of the process, of the system, and a power cut.
  ///
  /// Writes that are waiting at the same time share one trip to the disk.
  case everyCommit

  /// The change is with the operating system, so it outlives a crash of the process. A sync begins when this much time has
  /// passed, or earlier, after the writes under way. A power cut can take the last changes with it, never a part of one, and
  /// never an earlier one without the later ones. If a sync fails, the next write throws the error, and so does closing the
  /// store.
  case interval(Duration)

  /// The change is with the operating system, so it outlives a crash of the process. The system chooses when it reaches the
  /// disk. The store syncs when it is closed, and when a journal file is full or closed in favour of another group's.
  /// A compaction, a check, a repair and a backup sync, too. A power cut can take the last changes with it, as with
  /// ``interval(_:)``.
  case none
}

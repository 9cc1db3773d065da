@_spi(ModelKitInternals) import StoreEngine

/// What a file store promises when a write returns.
public enum Durability: Sendable, Hashable {
  /// The change is on the disk: it outlives a crash of the process, of the system, and a power cut.
  ///
  /// Writes that are waiting at the same time share one trip to the disk.
  case everyCommit

  /// The change is with the operating system, so it outlives a crash of the process. Bringing it to the disk begins when this
  /// much time has passed, or earlier; what is being written just then comes first. A power cut can take the last changes with
  /// it, never a part of one, and never an earlier one without the later ones. If it can't be brought to the disk, the next write
  /// says so, and so does closing the store.
  case interval(Duration)

  /// The change is with the operating system, so it outlives a crash of the process. When it comes to the disk is left to the
  /// system. The store brings it there when it is closed, and on the way to what needs it: when a journal file is full, or closed
  /// to make room for those of other groups, and for a compaction, a check, a repair or a backup. A power cut can take the last
  /// changes with it, as with ``interval(_:)``.
  case none
}

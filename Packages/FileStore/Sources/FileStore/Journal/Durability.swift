/// What a file store promises when a write returns.
public enum Durability: Sendable, Hashable {
  /// The change is on the disk: it outlives a crash of the process, of the system, and a power cut.
  ///
  /// Writes that are waiting at the same time share one trip to the disk.
  case everyCommit

  /// The change is with the operating system, so it outlives a crash of the process; it is brought to the disk at most
  /// this much later. A power cut can take the last changes with it, never a part of one, and never an earlier one
  /// without the later ones.
  case interval(Duration)

  /// The change is with the operating system, so it outlives a crash of the process; when it comes to the disk is
  /// left to the system, or happens with the next durable write or when the store is closed.
  case none
}

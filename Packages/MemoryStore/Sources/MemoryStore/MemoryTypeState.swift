import Synchronization

/// When records of one type were last written, for fronts that want to know without waiting for anybody.
final class MemoryTypeState: Sendable {
  private static let latest = Atomic<UInt64>(0)
  private let written: Atomic<UInt64>

  init() { written = Atomic(Self.nextRevision()) }

  /// A number above all that any store of this process had before, so that what was read from one store is never taken
  /// for what another one has.
  static func nextRevision() -> UInt64 { latest.wrappingAdd(1, ordering: .relaxed).newValue }

  /// The revision of the last write.
  var lastWrite: UInt64 { written.load(ordering: .acquiring) }

  /// Notes a write. Only to be called by one thread at a time.
  func noteWrite(_ revision: UInt64) { written.store(revision, ordering: .releasing) }
}

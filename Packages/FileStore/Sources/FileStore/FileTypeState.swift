import Synchronization

/// When records of one type were last written, for fronts that want to know without waiting for anybody.
final class FileTypeState: Sendable {
  private static let latest = Atomic<UInt64>(0)
  private let written: Atomic<UInt64>

  init() { written = Atomic(Self.latest.wrappingAdd(1, ordering: .relaxed).newValue) }

  /// The number of the last write. It is above all that any store of this process had before, so that what was read from
  /// one store is never taken for what another one has.
  var lastWrite: UInt64 { written.load(ordering: .acquiring) }

  /// Notes a write. Only to be called by one thread at a time, and before the write can be seen by readers that ask again.
  func noteWrite() {
    written.store(Self.latest.wrappingAdd(1, ordering: .relaxed).newValue, ordering: .releasing)
  }
}

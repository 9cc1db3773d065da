public import Synchronization

/// When records of one type were last written, for store instances that want to know without waiting.
///
/// An engine that has one for each type spares its stores the second reading of records that did not change.
public final class WriteState: Sendable {
  private static let latest = Atomic<UInt64>(0)
  @usableFromInline let written: Atomic<UInt64>

  /// Creates the state of a type.
  public init() { written = Atomic(Self.nextRevision()) }

  /// Returns a number above all that any engine of this process had before, so that what was read from one engine is never
  /// taken for what another one has.
  public static func nextRevision() -> UInt64 { latest.wrappingAdd(1, ordering: .relaxed).newValue }

  /// The number of the last write.
  @inlinable @inline(__always) public var lastWrite: UInt64 { written.load(ordering: .acquiring) }

  /// Notes a write. To be called by one thread at a time, and before readers can see the write.
  ///
  /// - Parameter revision: the number of the write.
  public func noteWrite(_ revision: UInt64 = WriteState.nextRevision()) {
    written.store(revision, ordering: .releasing)
  }
}

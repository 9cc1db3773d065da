public import Synchronization

/// The time of the last write to records of one type, which store instances can read without waiting.
///
/// If an engine has one for each type, its stores don't read unchanged records again.
public final class WriteState: Sendable {
  private static let latest = Atomic<UInt64>(0)
  @usableFromInline let written: Atomic<UInt64>

  /// Creates the state of a type.
  public init() { written = Atomic(Self.nextRevision()) }

  /// Returns a number larger than all previous ones in this process. So a record of one engine is never mistaken for a
  /// record of another.
  public static func nextRevision() -> UInt64 { latest.wrappingAdd(1, ordering: .relaxed).newValue }

  /// The number of the last write.
  @inlinable @inline(__always) public var lastWrite: UInt64 { written.load(ordering: .acquiring) }

  /// Records a write. Call it on one thread at a time, before readers can see the write.
  ///
  /// - Parameter revision: the number of the write.
  public func noteWrite(_ revision: UInt64 = WriteState.nextRevision()) {
    written.store(revision, ordering: .releasing)
  }
}

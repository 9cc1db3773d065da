import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#elseif canImport(ucrt)
  import ucrt
#endif

/// A unique timestamp of a change: the wall clock in nanoseconds, strictly increasing within this process.
///
/// Two stamps are never equal, even when the clock stands still or is set back. So one of two changes is always newer.
/// Stamps of different processes are ordered as precisely as their clocks agree.
///
/// ```swift
/// let first = ChangeStamp.next()
/// let second = ChangeStamp.next()
/// assert(first < second)
/// ```
@frozen
public struct ChangeStamp: Hashable, Comparable, Sendable {
  /// The time in nanoseconds since 1970-01-01 00:00 UTC, adjusted to be unique within this process.
  public let nanoseconds: UInt64

  /// Creates a stamp from nanoseconds since 1970.
  @inlinable
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// A stamp older than every other: no change happened yet.
  @inlinable
  public static var never: ChangeStamp { ChangeStamp(nanoseconds: 0) }

  /// Returns whether the left stamp is older.
  @inlinable
  public static func < (left: ChangeStamp, right: ChangeStamp) -> Bool { left.nanoseconds < right.nanoseconds }

  private static let latest = Atomic<UInt64>(0)

  /// Returns a stamp newer than every stamp made before by this thread, and by every thread outside a
  /// ``transaction(_:)``.
  ///
  /// - Complexity: one clock read and one atomic exchange; in a transaction neither.
  public static func next() -> ChangeStamp {
    if let stamp = Transaction.stamp() { return stamp }
    return ChangeStamp(nanoseconds: reserve(1, readingClock: true))
  }

  /// Reserves a number of consecutive stamps, and returns the first.
  static func reserve(_ count: UInt64, readingClock: Bool) -> UInt64 {
    let now = readingClock ? wallClock() : 0
    var last = latest.load(ordering: .relaxed)
    while true {
      let first = now > last ? now : last &+ 1
      let (exchanged, original) = latest.weakCompareExchange(
        expected: last, desired: first &+ (count &- 1), ordering: .relaxed)
      if exchanged { return first }
      last = original
    }
  }

  private static func wallClock() -> UInt64 {
    var time = timespec()
    #if canImport(ucrt)
      timespec_get(&time, TIME_UTC)
    #else
      clock_gettime(CLOCK_REALTIME, &time)
    #endif
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }
}

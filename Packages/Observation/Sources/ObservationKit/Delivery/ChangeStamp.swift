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

/// A moment in the life of this process: the wall clock in nanoseconds, made strictly increasing.
///
/// Two stamps are never equal, even when the clock stands still or is set back, so "newer" always has an answer. Between
/// processes a stamp is as good as the clock.
///
/// ```swift
/// let first = ChangeStamp.next()
/// let second = ChangeStamp.next()
/// assert(first < second)
/// ```
@frozen
public struct ChangeStamp: Hashable, Comparable, Sendable {
  /// Nanoseconds since 1970-01-01 00:00 UTC, as this process counts them.
  public let nanoseconds: UInt64

  /// Creates a stamp from nanoseconds since 1970.
  @inlinable
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// Older than every other stamp: nothing happened yet.
  @inlinable
  public static var never: ChangeStamp { ChangeStamp(nanoseconds: 0) }

  /// Whether the left stamp is older.
  @inlinable
  public static func < (left: ChangeStamp, right: ChangeStamp) -> Bool { left.nanoseconds < right.nanoseconds }

  private static let latest = Atomic<UInt64>(0)

  /// A stamp newer than every stamp made before by this thread, and by every thread outside a ``transaction(_:)``.
  ///
  /// - Complexity: one clock read and one atomic exchange; in a transaction neither.
  public static func next() -> ChangeStamp {
    if let stamp = Transaction.stamp() { return stamp }
    return ChangeStamp(nanoseconds: reserve(1, readingClock: true))
  }

  /// Takes a number of stamps in a row, and returns the first.
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

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

  /// A stamp newer than every stamp made before, by any thread.
  ///
  /// - Complexity: one clock read and one atomic exchange.
  public static func next() -> ChangeStamp {
    let now = wallClock()
    var last = latest.load(ordering: .relaxed)
    while true {
      let candidate = now > last ? now : last &+ 1
      let (exchanged, original) = latest.weakCompareExchange(
        expected: last, desired: candidate, ordering: .relaxed)
      if exchanged { return ChangeStamp(nanoseconds: candidate) }
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

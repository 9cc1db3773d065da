#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The clock of the engine, which tests can replace.
package protocol EngineClock: Sendable {
  /// Returns monotonic nanoseconds since a fixed time.
  func nanoseconds() -> UInt64

  /// Returns the date and time as ISO 8601, for people.
  func timestamp() -> String
}

/// The clock of the system.
package struct SystemClock: EngineClock {
  package init() {}

  package func nanoseconds() -> UInt64 { MonotonicClock.nanoseconds() }

  package func timestamp() -> String { Date().ISO8601Format() }
}

enum MonotonicClock {
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

extension Duration {
  /// The duration in nanoseconds: 0 if it is negative, a century if it is longer.
  var clampedNanoseconds: UInt64 {
    let century: Duration = .seconds(100 * 365 * 86_400)
    let (seconds, attoseconds) = Swift.min(Swift.max(self, .zero), century).components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

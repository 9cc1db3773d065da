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

/// The time as the engine sees it, so that tests can make it pass.
package protocol EngineClock: Sendable {
  /// Nanoseconds from some fixed moment, never running backwards.
  func nanoseconds() -> UInt64

  /// The date and time of day as ISO 8601, for people.
  func timestamp() -> String
}

/// The time of the machine.
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

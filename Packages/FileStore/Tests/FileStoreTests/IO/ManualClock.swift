@_spi(ModelKitInternals) import StoreProtocol

@testable import FileStore

/// A clock that a test moves.
final class ManualClock: EngineClock {
  private let time = Lock<UInt64>(1_000)

  func advance(by duration: Duration) { time.withLock { $0 += duration.clampedNanoseconds } }
  func nanoseconds() -> UInt64 { time.withLock { $0 } }
  func timestamp() -> String { "2001-01-01T00:00:00Z" }
}

import Dispatch
import Foundation

/// The clock and the sources of random values of the synchronisation, which a simulation replaces.
struct SyncEnvironment: Sendable {
  /// Returns the time in milliseconds since 1970. It is shown, and decides nothing.
  var now: @Sendable () -> Int
  /// Returns an identifier that was never returned before.
  var makeIdentifier: @Sendable () -> String
  /// Returns a temporary integer identifier that was never returned before. It is negative.
  var makeTemporaryInteger: @Sendable () -> Int
  /// Returns a number from 0 to 1, for the jitter of delays.
  var random: @Sendable () -> Double
  /// Returns milliseconds that never go backwards, for delays.
  var uptime: @Sendable () -> Int
  /// Waits for a number of milliseconds, or until the task is cancelled.
  var sleep: @Sendable (Int) async throws -> Void
  /// Returns whether an answer is stored before the next request of a group is sent, where they are sent one by one.
  var storesAnswersAtOnce: @Sendable () -> Bool = { true }

  init(
    now: @escaping @Sendable () -> Int = { Date().milliseconds },
    makeIdentifier: @escaping @Sendable () -> String = { UUID().uuidString },
    makeTemporaryInteger: @escaping @Sendable () -> Int = { -Int.random(in: 1..<1 << 53) },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    uptime: @escaping @Sendable () -> Int = {
      Int(DispatchTime.now().uptimeNanoseconds / 1_000_000)
    },
    sleep: @escaping @Sendable (Int) async throws -> Void = { try await Task.sleep(for: .milliseconds($0)) }
  ) {
    (self.now, self.makeIdentifier, self.makeTemporaryInteger) = (now, makeIdentifier, makeTemporaryInteger)
    (self.random, self.uptime, self.sleep) = (random, uptime, sleep)
  }

  /// The time.
  var date: Date { Date(milliseconds: now()) }

  /// The clock of the system and random UUIDs.
  static let system = SyncEnvironment()
}

import Dispatch
public import Foundation

/// The clock and the sources of random values of the synchronisation, which a simulation replaces.
///
/// ```swift
/// var environment = SyncEnvironment.system
/// environment.now = { 0 }
/// let store = SyncModelStore(local: files, remote: rest, options: SyncOptions(environment: environment))
/// ```
public struct SyncEnvironment: Sendable {
  /// Returns the time in milliseconds since 1970. It is shown, and decides nothing.
  public var now: @Sendable () -> Int
  /// Returns an identifier that was never returned before.
  public var makeIdentifier: @Sendable () -> String
  /// Returns a temporary integer identifier that was never returned before. It is negative.
  public var makeTemporaryInteger: @Sendable () -> Int
  /// Returns a number from 0 to 1, for the jitter of delays.
  public var random: @Sendable () -> Double
  /// Returns milliseconds that never go backwards, for delays.
  public var uptime: @Sendable () -> Int
  /// Waits for a number of milliseconds, or until the task is cancelled.
  public var sleep: @Sendable (Int) async throws -> Void

  /// Creates an environment with the clock of the system and random UUIDs, for those parts that are not given.
  ///
  /// - Parameters:
  ///   - now: returns the time in milliseconds since 1970.
  ///   - makeIdentifier: returns an identifier that was never returned before.
  ///   - makeTemporaryInteger: returns a negative integer that was never returned before.
  ///   - random: returns a number from 0 to 1.
  ///   - uptime: returns milliseconds that never go backwards.
  ///   - sleep: waits for a number of milliseconds, or until the task is cancelled.
  public init(
    now: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970 * 1_000) },
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

  /// The clock of the system and random UUIDs.
  public static let system = SyncEnvironment()
}

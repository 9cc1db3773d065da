import Foundation

/// The clock and the source of random identifiers of the synchronisation, which a simulation replaces.
///
/// ```swift
/// let engine = SyncEngine(local, environment: SyncEnvironment(now: { 0 }, makeIdentifier: { "1" }))
/// ```
public struct SyncEnvironment: Sendable {
  /// Returns the time in milliseconds since 1970. It is shown, and decides nothing.
  public var now: @Sendable () -> Int
  /// Returns an identifier that was never returned before.
  public var makeIdentifier: @Sendable () -> String

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - now: returns the time in milliseconds since 1970.
  ///   - makeIdentifier: returns an identifier that was never returned before.
  public init(now: @escaping @Sendable () -> Int, makeIdentifier: @escaping @Sendable () -> String) {
    (self.now, self.makeIdentifier) = (now, makeIdentifier)
  }

  /// The clock of the system and random UUIDs.
  public static let system = SyncEnvironment(
    now: { Int(Date().timeIntervalSince1970 * 1_000) }, makeIdentifier: { UUID().uuidString })
}

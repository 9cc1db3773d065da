public import Foundation

/// The health of a store, as an ``Inspector`` shows it: figures about its files, and a check of them.
///
/// ```swift
/// let health = StoreHealth {
///   [StoreHealth.Figure("Folder", .text(folder.path))]
/// } check: { progress in
///   try await FileModelStore(handle).verify(progress: progress).map { "\($0)" }
/// }
/// let inspector = Inspector(serving: [Book.self]).showing(health)
/// ```
public struct StoreHealth: Sendable {
  /// A named value about a store.
  public struct Figure: Sendable, Hashable {
    /// The name for people.
    public var name: String
    /// The value.
    public var value: Value

    /// Creates a figure.
    public init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
  }

  /// The value of a figure.
  public enum Value: Sendable, Hashable {
    /// A number of bytes.
    case bytes(Int)
    /// A point in time.
    case date(Date)
    /// A text for people.
    case text(String)
  }

  let figures: @Sendable () async throws -> [Figure]
  let check: @Sendable (@escaping @Sendable (Double) -> Void) async throws -> [String]

  /// Creates the health of a store.
  ///
  /// - Parameters:
  ///   - figures: returns the figures, each time that a user opens or refreshes the page.
  ///   - check: checks the store, and returns a description of each problem. It calls its argument with the checked
  ///     fraction, from 0 to 1. It is cancelled if a user stops the check.
  public init(
    figures: @escaping @Sendable () async throws -> [Figure],
    check: @escaping @Sendable (_ progress: @escaping @Sendable (Double) -> Void) async throws -> [String]
  ) {
    (self.figures, self.check) = (figures, check)
  }
}

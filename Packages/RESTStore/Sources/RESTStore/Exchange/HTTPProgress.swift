@_spi(ModelKitInternals) import StoreProtocol

/// How far the exchange of one request is.
///
/// ```swift
/// let people = try await HTTPProgress.observing({ progress in
///   print(progress.receivedBytes, progress.expectedBytes ?? "?")
/// }) {
///   try await store.list(Person.self)
/// }
/// ```
public struct HTTPProgress: Sendable, Hashable {
  /// The address of the request without its query.
  public var path: String
  /// How many bytes of the body were sent.
  public var sentBytes: Int
  /// How many bytes of the answer came, after it was unpacked.
  public var receivedBytes: Int
  /// How many bytes the answer will have, as the server says; nil if it does not. A packed answer has more once it is
  /// unpacked.
  public var expectedBytes: Int?

  /// Creates a progress, such as for a transport of your own.
  public init(path: String, sentBytes: Int = 0, receivedBytes: Int = 0, expectedBytes: Int? = nil) {
    self.path = path
    self.sentBytes = sentBytes
    self.receivedBytes = receivedBytes
    self.expectedBytes = expectedBytes
  }

  /// What the requests of this task tell their progress; nil for nothing. For those who write transports.
  @TaskLocal public static var observer: (@Sendable (HTTPProgress) -> Void)?

  /// Runs `body`, and hears of the progress of every request it makes.
  ///
  /// - Parameters:
  ///   - observer: called on any thread, whenever bytes went or came. Return soon: the transfer waits, and with it others
  ///     of the transport.
  ///   - isolation: the isolation in which `body` runs, that of the caller.
  ///   - body: makes requests.
  public static func observing<Result>(
    _ observer: @escaping @Sendable (HTTPProgress) -> Void, in isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $observer.withValue(observer, in: isolation, body)
  }
}

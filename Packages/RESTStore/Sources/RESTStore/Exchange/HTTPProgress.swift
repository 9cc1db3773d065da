@_spi(ModelKitInternals) import StoreProtocol

/// The progress of one request.
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
  /// The number of bytes of the body that were sent. `AsyncHTTPClientTransport` counts those of a body in memory when
  /// the answer begins.
  public var sentBytes: Int
  /// The number of bytes of the answer that were received, after unpacking.
  public var receivedBytes: Int
  /// The length of the answer in bytes, as the server declares it; nil if it does not. A packed answer is longer after
  /// unpacking.
  public var expectedBytes: Int?

  /// Creates a progress, such as for your own transport.
  public init(path: String, sentBytes: Int = 0, receivedBytes: Int = 0, expectedBytes: Int? = nil) {
    self.path = path
    self.sentBytes = sentBytes
    self.receivedBytes = receivedBytes
    self.expectedBytes = expectedBytes
  }

  /// The function that receives the progress of the requests of this task; nil for none. It is meant for authors of
  /// transports.
  @TaskLocal public static var observer: (@Sendable (HTTPProgress) -> Void)?

  /// Runs `body`, and receives the progress of every request it makes.
  ///
  /// - Parameters:
  ///   - observer: called on any thread, whenever bytes were sent or received. Return soon: the transfer waits, and so
  ///     do others of the transport.
  ///   - isolation: the isolation in which `body` runs, that of the caller.
  ///   - body: makes requests.
  public static func observing<Result>(
    _ observer: @escaping @Sendable (HTTPProgress) -> Void, in isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $observer.withValue(observer, in: isolation, body)
  }
}

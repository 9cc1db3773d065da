@_spi(ModelKitInternals) import FieldKit
public import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// A request for a transport: everything that is sent, and its limits of time and size.
///
/// ```swift
/// var request = HTTPRequestData(.get, url)
/// request.headers["Authorization"] = "Bearer \(token)"
/// ```
///
/// The module swift-http-types owns the shorter name; inside ``HTTPTransport`` it is an alias for this type.
public struct HTTPRequestData: Sendable, Hashable {
  /// The method of a request.
  public struct Method: Sendable, Hashable, CustomStringConvertible {
    /// The method as it is sent, such as `GET`.
    public let description: String

    /// Creates a method from its name.
    public init(_ name: String) { description = name }

    /// Read.
    public static let get = Method("GET")
    /// Add.
    public static let post = Method("POST")
    /// Replace.
    public static let put = Method("PUT")
    /// Change some values.
    public static let patch = Method("PATCH")
    /// Remove.
    public static let delete = Method("DELETE")
  }

  /// The use of a cache of the transport. The transport of a store has none unless you configure one.
  public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
    /// The server answers.
    case ignoringCache
    /// By the rules of the protocol: the cache answers as long as an answer is fresh.
    case usingProtocol
    /// A cached answer is used regardless of its age; otherwise the request is sent.
    case preferringCache
    /// The cache answers however old its answer is; without one the request fails.
    case onlyCache
  }

  /// The number of redirects that are followed by default: 10.
  public static let defaultMaximumRedirects = 10

  /// The maximum length of an answer by default: 64 MiB.
  public static let defaultMaximumResponseBytes = 64 * 1024 * 1024

  /// The method.
  public var method: Method
  /// The address of the resource.
  public var url: URL
  /// The header fields. The transport adds fields that the protocol needs, such as the length of the body.
  public var headers: HTTPHeaderList
  /// The body; nil for none.
  public var body: Data?
  /// The time limit of the whole exchange, from the connection to the last byte of the answer.
  public var timeout: Duration
  /// The maximum length of the answer's body in bytes. A longer one is rejected, and not read to its end.
  public var maximumResponseBytes: Int
  /// The largest number of redirects that are followed. One more fails the request.
  public var maximumRedirects = HTTPRequestData.defaultMaximumRedirects
  /// Whether a cache of the transport may answer.
  public var cachePolicy = CachePolicy.ignoringCache
  /// The names of headers that an authentication added: no text shows their values.
  var credentialNames: Set<String> = []

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - url: the address of the resource.
  ///   - headers: the header fields.
  ///   - body: the body; nil for none.
  ///   - timeout: the time limit of the whole exchange.
  ///   - maximumResponseBytes: the maximum length of the answer's body in bytes.
  public init(
    _ method: Method, _ url: URL, headers: HTTPHeaderList = [:], body: Data? = nil, timeout: Duration = .seconds(60),
    maximumResponseBytes: Int = HTTPRequestData.defaultMaximumResponseBytes
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.maximumResponseBytes = maximumResponseBytes
  }

  /// Hashes the method and the address, in which requests differ that are in progress at the same time.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    hasher.combine(url)
  }

  /// Rejects headers that could inject other headers or a body. The error does not repeat the value: it may be a
  /// secret.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`.
  func checkHeaders() throws {
    guard let entry = headers.firstUnsafeEntry else { return }
    throw ModelStoreError(
      .invalid,
      """
      Nothing was sent: the name or value of the header \(entry.name.quotedForMessage) has a line break or another \
      character that headers can't have.
      """)
  }
}

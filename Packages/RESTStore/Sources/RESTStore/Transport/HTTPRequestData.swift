@_spi(ModelKitInternals) import FieldKit
public import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// A request on its way to a transport: everything that goes over the wire, and how long it may take.
///
/// ```swift
/// var request = HTTPRequestData(.get, url)
/// request.headers["Authorization"] = "Bearer \(token)"
/// ```
///
/// The module swift-http-types owns the shorter name; inside ``HTTPTransport`` it is an alias for this type.
public struct HTTPRequestData: Sendable, Hashable {
  /// What is to be done with the resource.
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
    /// Change in part.
    public static let patch = Method("PATCH")
    /// Remove.
    public static let delete = Method("DELETE")
  }

  /// Whether a cache of the transport may answer. The transport of a store has none unless it is given one.
  public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
    /// The server answers.
    case ignoringCache
    /// What the protocol says: the cache as long as an answer is fresh.
    case usingProtocol
    /// The cache however old an answer is, the server if there is none.
    case preferringCache
    /// The cache however old an answer is; without one the request fails.
    case onlyCache
  }

  /// How many redirects are followed unless the options of a store say otherwise: 10.
  public static let defaultMaximumRedirects = 10

  /// The longest answer that is taken unless a dialect says otherwise: 64 MiB.
  public static let defaultMaximumResponseBytes = 64 * 1024 * 1024

  /// What is to be done with the resource.
  public var method: Method
  /// Where the resource is.
  public var url: URL
  /// The header fields. The transport adds what the protocol needs, such as the length of the body.
  public var headers: HTTPHeaderList
  /// What is sent along; nil for nothing.
  public var body: Data?
  /// How long the whole exchange may take, from the connection to the last byte of the answer.
  public var timeout: Duration
  /// How many bytes the body of the answer may have. A longer one is refused, and not read to its end.
  public var maximumResponseBytes: Int
  /// How many redirects are followed. With one more the request fails.
  public var maximumRedirects = HTTPRequestData.defaultMaximumRedirects
  /// Whether a cache of the transport may answer.
  public var cachePolicy = CachePolicy.ignoringCache
  /// The names of headers that an authentication added: no text shows their values.
  var credentialNames: Set<String> = []

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: what is to be done with the resource.
  ///   - url: where the resource is.
  ///   - headers: the header fields.
  ///   - body: what is sent along.
  ///   - timeout: how long the whole exchange may take.
  ///   - maximumResponseBytes: how many bytes the body of the answer may have.
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

  /// Hashes method and address, by which requests differ that are under way at the same time.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    hasher.combine(url)
  }

  /// Refuses headers that could pose as something else. The value is not repeated: it may be a secret.
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

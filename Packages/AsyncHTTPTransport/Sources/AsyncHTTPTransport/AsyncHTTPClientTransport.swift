public import AsyncHTTPClient
public import Foundation
import NIOCore
public import RESTStore
import StoreProtocol

/// A transport over AsyncHTTPClient, which is built on SwiftNIO: for servers and for all other programs on Linux.
///
/// ```swift
/// let store = RESTModelStore(
///   baseURL: url, transport: AsyncHTTPClientTransport.shared)
/// ```
///
/// Only connections are kept between requests: no cookies, no cache, no passwords. No request is sent twice. A redirect
/// is followed if it keeps the method; credentials are not sent to another host. Proxies are set in the configuration,
/// not by the environment. HTTP/2 is used over TLS if the server offers it.
public final class AsyncHTTPClientTransport: StreamingTransport {
  /// A transport for the whole process, whose stores share its connections.
  public static let shared = AsyncHTTPClientTransport()

  let client: HTTPClient

  /// Creates a transport with its own client, which is shut down with the transport. All clients of the process share
  /// their threads.
  ///
  /// - Parameter configuration: the proxy, the certificates, the number of connections and so on. The default allows 64
  ///   connections to a host. Settings for redirects, decompression and retries of connections are ignored, because the
  ///   transport does these itself. The time limit for connecting is 60 seconds unless the configuration has one.
  public init(configuration: HTTPClient.Configuration? = nil) {
    var configuration = configuration ?? Self.defaultConfiguration
    configuration.redirectConfiguration = .disallow
    // The limit of a request holds for the unpacked body. A limit of the client would be one for all requests.
    configuration.decompression = .disabled
    // A missing server is an error at once, not when the time is over.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.networkFrameworkWaitForConnectivity = false
    configuration.timeout.connect = configuration.timeout.connect ?? .seconds(60)
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit {
    client.shutdown { _ in }
  }

  private static var defaultConfiguration: HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration()
    // Stores limit their requests before the time of a request begins to run. Here it runs while a request waits.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    return configuration
  }

  /// The longest time limit: clocks of the system count no further than a few centuries.
  private static let longestTimeout = Duration.seconds(10 * 365 * 24 * 60 * 60)

  /// Sends a request and waits for the whole response, in any isolation.
  ///
  /// - Parameter request: the request. Its time limit applies to the whole exchange with all redirects.
  /// - Returns: the response, decompressed if it was sent as gzip or deflate.
  /// - Throws: `ModelStoreError` with the code `offline`, `timeout` or `cancelled`. The code is `unauthorized` if a
  ///   proxy requires credentials, and `server` if the response is too long or not HTTP. It is `invalid` if the request
  ///   can't be sent.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let timeout = min(request.timeout, Self.longestTimeout)
    return try await response(to: request, Exchange(self, HTTPProgress.observer)) {
      try await Task.sleep(for: timeout, clock: .continuous)
    }
  }

  /// Sends a request in any isolation. Its body is read from a file in parts, or its response is passed to a function
  /// in parts.
  ///
  /// The body of a response is passed on as it was sent: it is not decompressed.
  ///
  /// - Throws: `ModelStoreError` as ``send(_:)`` does.
  public func send(
    _ request: HTTPRequest, from file: URL?, receive: @escaping @Sendable (HTTPResponse, Data?) throws -> Bool
  ) async throws -> HTTPResponse {
    let pauses = Pauses(limit: min(request.timeout, Self.longestTimeout))
    let exchange = Exchange(
      self, HTTPProgress.observer, stream: Exchange.Stream(file: file, receive: receive, pauses: pauses))
    return try await response(to: request, exchange) { try await pauses.waitForLimit() }
  }

  /// - Parameter wait: waits until the time is over.
  private func response(
    to request: HTTPRequestData, _ exchange: Exchange, until wait: @escaping @Sendable () async throws -> Void
  ) async throws -> HTTPResponseData {
    try request.check()
    do {
      return try await withThrowingTaskGroup(of: HTTPResponseData.self) { group in
        group.addTask { try await exchange.response(to: request) }
        group.addTask {
          try await wait()
          throw ModelStoreError(.timeout, "no response arrived in time")
        }
        defer { group.cancelAll() }
        guard let response = try await group.next() else { throw CancellationError() }
        return response
      }
    } catch {
      throw Task.isCancelled ? .cancelledTask : ModelStoreError(clientError: error)
    }
  }
}

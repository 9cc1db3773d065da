/// The address and the limits of a server.
///
/// ```swift
/// let options = ModelServerOptions(port: 8080, hostNames: ["shop.example.com"])
/// ```
public struct ModelServerOptions: Sendable {
  /// The host name or IP address on which the server listens. The default is reachable from the same machine only.
  public var host: String
  /// The port; 0 for a free one.
  public var port: Int
  /// The host names under which clients reach the server, beside `localhost` and IP addresses. A request for another
  /// name is rejected, because a web page could have bound that name to this address (DNS rebinding).
  public var hostNames: Set<String>
  /// The time that a client has to send a body. A slower one gets the status 408.
  public var bodyTimeout: Duration
  /// The time after which an unused connection is closed. The headers of a request have to arrive within it, too.
  public var idleTimeout: Duration
  /// The maximum number of connections. Others wait until one is closed.
  public var maximumConnections: Int
  /// The time that requests have to finish after the server was stopped.
  public var stopTimeout: Duration

  /// Creates options.
  ///
  /// - Parameters:
  ///   - host: the host name or IP address on which the server listens.
  ///   - port: the port; 0 for a free one.
  ///   - hostNames: the host names under which clients reach the server, beside `localhost` and IP addresses.
  ///   - bodyTimeout: the time that a client has to send a body.
  ///   - idleTimeout: the time after which an unused connection is closed.
  ///   - maximumConnections: the maximum number of connections.
  ///   - stopTimeout: the time that requests have to finish after the server was stopped.
  public init(
    host: String = "127.0.0.1", port: Int = 0, hostNames: Set<String> = [], bodyTimeout: Duration = .seconds(30),
    idleTimeout: Duration = .seconds(60), maximumConnections: Int = 1_024, stopTimeout: Duration = .seconds(30)
  ) {
    self.host = host
    self.port = port
    self.hostNames = hostNames
    self.bodyTimeout = bodyTimeout
    self.idleTimeout = idleTimeout
    self.maximumConnections = maximumConnections
    self.stopTimeout = stopTimeout
  }

  /// Whether only programs on the same machine reach the server.
  var isLoopback: Bool { host == "localhost" || host == "::1" || (HostName.isAddress(host) && host.hasPrefix("127.")) }
}

public import Foundation
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import RESTService
import ServiceLifecycle
import UnixSignals

/// An HTTP server for a `RESTService`, on Hummingbird.
///
/// ```swift
/// let service = RESTService(store.handle, serving: [Author.self, Book.self])
/// try await ModelServer(service, options: ModelServerOptions(port: 8080)).run()
/// ```
///
/// It listens on the loopback address unless its options name another one. A service without access rules can't be
/// served to other machines. Requests for unknown host names, and those of pages of other origins, are rejected.
public struct ModelServer: Sendable {
  private let service: RESTService
  private let inspector: Inspector?
  private let authentication: RequestAuthentication
  private let options: ModelServerOptions
  private let logger: Logger

  /// Creates a server without starting it.
  ///
  /// - Parameters:
  ///   - service: the service that responds to requests.
  ///   - inspector: the page on the store; nil for none.
  ///   - authentication: determines the user of a request.
  ///   - options: the address and the limits of the server.
  ///   - logger: receives one line for each request, with an identifier that the response also has. The line has
  ///     neither query nor headers. The error behind a status from 500 on is a line of its own.
  /// - Throws: ``ModelServerError/publicWithoutRules(host:)`` if other machines can reach the address and the service
  ///   has no access rules.
  public init(
    _ service: RESTService, inspector: Inspector? = nil, authentication: RequestAuthentication = .none,
    options: ModelServerOptions = ModelServerOptions(), logger: Logger = Logger(label: "ModelServer")
  ) throws {
    guard options.isLoopback || service.hasAccessRules else {
      throw ModelServerError.publicWithoutRules(host: options.host)
    }
    self.service = service
    self.inspector = inspector
    self.authentication = authentication
    self.options = options
    self.logger = logger
  }

  /// Runs the server until it is stopped: by cancelling the task, or by a signal.
  ///
  /// A stopped server accepts no connection. Requests in progress have the time
  /// ``ModelServerOptions/stopTimeout`` to finish.
  ///
  /// - Parameters:
  ///   - stopsOnSignals: whether SIGINT and SIGTERM stop the server.
  ///   - onStart: receives the address of the server once it listens. Requests wait until it returns.
  /// - Throws: ``ModelServerError/unusableAddress(host:port:reason:)``.
  public func run(
    stopsOnSignals: Bool = true, onStart: @escaping @Sendable (URL) async -> Void = { _ in }
  ) async throws {
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(service: application(onStart)),
        .init(service: StopService(stops: stops, stop: stop), successTerminationBehavior: .gracefullyShutdownGroup),
      ], gracefulShutdownSignals: stopsOnSignals ? [.sigterm, .sigint] : [], logger: quietLogger)
    configuration.maximumGracefulShutdownDuration = options.stopTimeout
    let group = ServiceGroup(configuration: configuration)
    // Not a child task: cancellation would end requests in progress.
    let running = Task { try await group.run() }
    do {
      try await withTaskCancellationHandler {
        try await running.value
      } onCancel: {
        stop.finish()
      }
    } catch let error as IOError {
      let reason = String(cString: strerror(error.errnoCode))
      throw ModelServerError.unusableAddress(host: options.host, port: options.port, reason: reason)
    }
  }

  private func application(_ onStart: @escaping @Sendable (URL) async -> Void) -> some ApplicationProtocol {
    let options = options
    let responder = ServiceResponder(
      service: service, inspector: inspector, authentication: authentication, options: options,
      guarded: RequestGuard(options))
    let idleTimeout = TimeAmount.nanoseconds(Int64(options.idleTimeout / .nanoseconds(1)))
    return Application(
      responder: responder, server: .http1(configuration: .init(idleTimeout: idleTimeout)),
      configuration: .init(
        address: .hostname(options.host, port: options.port),
        availableConnectionsDelegate: MaximumAvailableConnections(options.maximumConnections)),
      onServerRunning: { channel in
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        let port = channel.localAddress?.port ?? options.port
        if let url = URL(string: "http://\(host):\(port)") { await onStart(url) }
      },
      logger: logger)
  }

  /// The logger of the libraries below: their progress is not that of the server.
  private var quietLogger: Logger {
    var logger = logger
    logger.logLevel = max(logger.logLevel, .warning)
    return logger
  }
}

/// A service that ends when the server is to be stopped. A stream that was finished stays finished, so a stop is not
/// lost if it comes before the service runs.
private struct StopService: Service {
  let stops: AsyncStream<Void>
  let stop: AsyncStream<Void>.Continuation

  func run() async throws {
    await withGracefulShutdownHandler {
      for await _ in stops {}
    } onGracefulShutdown: {
      stop.finish()
    }
  }
}

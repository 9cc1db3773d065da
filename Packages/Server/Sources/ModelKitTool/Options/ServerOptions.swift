import ArgumentParser
import FieldKit
import Foundation
import Logging
import ModelCore
import ModelServer
import RESTService
import StoreEngine

/// Where a server listens, and who may use it.
struct ServerOptions: ParsableArguments {
  @Option(help: "The host name or IP address to listen on.")
  var host = "127.0.0.1"
  @Option(help: "The port; 0 for a free one.")
  var port = 8080
  @Option(name: .customLong("host-name"), help: "A host name of the server, beside localhost; may be repeated.")
  var hostNames: [String] = []
  @Flag(name: .customLong("no-token"), help: "Every program on this machine may use the server.")
  var needsNoToken = false
  @Flag(help: "Print a line for each request to standard error.")
  var verbose = false

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535.") }
  }

  /// Serves models, with the inspector, until a signal.
  ///
  /// - Parameters:
  ///   - title: the first line that is printed.
  ///   - service: the limits of the service.
  ///   - inspecting: adds to the inspector.
  func serve<Engine: RecordEngine>(
    _ models: ServedModels, of handle: Engine, readOnly: Bool, _ title: String, _ output: OutputOptions,
    service serviceOptions: RESTServiceOptions = RESTServiceOptions(),
    inspecting: (Inspector) -> Inspector = { $0 }
  ) async throws {
    let token = needsNoToken ? nil : try Token.current()
    let rules: ((inout RESTAccess) -> Void)? =
      token == nil && !readOnly
      ? nil
      : { access in
        for type in models.types { Self.allow(readOnly ? .read : .all, type, &access) }
      }
    let service = RESTService(handle, serving: models.types, options: serviceOptions, access: rules)
    let server = try ModelServer(
      service, inspector: inspecting(Inspector(serving: models.types)),
      authentication: token.map { .tokens([$0: "modelkit"]) } ?? .none,
      options: ModelServerOptions(host: host, port: port, hostNames: Set(hostNames)), logger: logger)
    try await server.run { url in announce(url, token, title, output) }
  }

  private static func allow<M: Model>(_ actions: RESTAccess.Action, _ type: M.Type, _ access: inout RESTAccess) {
    access.allow(actions, type)
  }

  private var logger: Logger {
    var logger = Logger(label: "modelkit") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .info : .error
    return logger
  }

  /// Prints the address of the server.
  private func announce(_ url: URL, _ token: String?, _ title: String, _ output: OutputOptions) {
    let style = Style(forStandardStream: STDOUT_FILENO)
    // A fragment is not sent, so the token is in no log.
    let page = url.absoluteString + "/_inspect/" + (token.map { "#token=\(Token.encoded($0))" } ?? "")
    try? output.print(
      [
        "address": .string(url.absoluteString), "page": .string(page), "token": token.map { .string($0) } ?? .null,
      ],
      [
        title,
        "  Open  \(style.bold(page))",
        "  API   \(url.absoluteString)" + (token.map { "  Authorization: Bearer \($0)" } ?? ""),
        "Stop with Control-C.",
      ])
  }
}

import Foundation
import RESTStore

/// A store on the fault server, with a log of its own there.
struct FaultRun {
  let server: RESTServer
  let fault: String
  let run = UUID().uuidString
  let transport: any HTTPTransport

  /// Creates a run with its own transport by default: a request that waits forever must not keep others from a
  /// connection.
  init(_ fault: String, transport: any HTTPTransport = URLSessionTransport()) throws {
    server = try RESTServer.faults()
    self.fault = fault
    self.transport = transport
  }

  /// The time-out, which is short only where it has to run out: a machine may be busy.
  private var timeout: Duration {
    ["silence", "stalled-headers", "one-byte-per-second"].contains(fault) ? .seconds(1) : .seconds(240)
  }

  /// A dialect with short limits of time and length.
  struct Hasty: RESTDialect {
    var timeout: Duration
    var headers: [String: String] = [:]

    func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
      request.timeout = timeout
      request.maximumResponseBytes = 1_000_000
      for (name, value) in headers { request.headers[name] = value }
    }
  }

  func store(
    _ options: RESTOptions = RESTOptions(), headers: [String: String] = [:], scope: ModelScope = ModelScope()
  ) -> RESTModelStore {
    RESTModelStore(
      baseURL: server.url.appendingPathComponent("fault/\(fault)/\(run)"),
      dialect: Hasty(timeout: timeout, headers: headers),
      transport: transport, options: options, scope: scope)
  }

  /// The requests that came to the server.
  func log(_ suffix: String = "") async throws -> [JSONValue] {
    try await server.control(.get, "log/\(run)\(suffix)")?.arrayValue ?? []
  }

  func methods() async throws -> [String] { try await log().compactMap { $0["method"]?.stringValue } }
}

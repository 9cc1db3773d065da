import Foundation
import ModelServer
import RESTService
import RESTStore
import StoreEngine
import SyncStore

/// The server with which a served store is synchronised.
struct RemoteServer {
  /// The name of the environment variable with the token for the server.
  static let variable = "MODELKIT_REMOTE_TOKEN"

  private let address: URL
  private let token: String?

  /// - Throws: ``ToolError`` for an address that is not one of HTTP.
  init(_ address: String, _ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ToolError("'\(address)' is not an address of HTTP. Give one like --remote http://127.0.0.1:8080")
    }
    self.address = url
    token = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the synchronisation of an engine with the server. Each conflict waits for a user.
  func synchronization<Local: RecordEngine>(
    of engine: SyncEngine<Local>, _ models: ServedModels
  ) -> InspectedSync<Local> {
    var options = RESTOptions()
    if let token { options.authentication = BearerAuthentication(token) }
    let remote = RESTModelStore(baseURL: address, router: RESTRouter(maxPathDepth: 0), options: options)
    let store = SyncModelStore(engine, remote: remote, types: models.types)
    func wait<M: Model>(_ type: M.Type) { store.resolve(type) { _ in .wait } }
    for type in models.types { wait(type) }
    return InspectedSync(store)
  }
}

import Foundation
import Logging
import MemoryStore
import ModelServer
import RESTService
import Testing

final class Novel: Model {
  @Field var id: Int?
  @Required(.length(1...20)) var title = "Untitled"
  @Field var writer: String?
  override var identifierField: AnyField? { $id }
}

/// Runs a function with the address of a server on a free port, and stops the server afterwards.
func withServer<Result>(
  _ service: RESTService, inspector: Inspector? = nil, authentication: RequestAuthentication = .none,
  options: ModelServerOptions = .init(), logger: Logger = .silent, _ body: (URL) async throws -> Result
) async throws -> Result {
  let server = try ModelServer(
    service, inspector: inspector, authentication: authentication, options: options, logger: logger)
  let (addresses, address) = AsyncStream.makeStream(of: URL.self)
  let running = Task {
    defer { address.finish() }
    try await server.run(stopsOnSignals: false) { address.yield($0) }
  }
  var iterator = addresses.makeAsyncIterator()
  guard let url = await iterator.next() else {
    try await running.value
    throw CancellationError()
  }
  do {
    let result = try await body(url)
    running.cancel()
    try await running.value
    return result
  } catch {
    running.cancel()
    try? await running.value
    throw error
  }
}

extension RESTService {
  /// A service of novels in memory.
  static func novels(
    _ store: MemoryModelStore = MemoryModelStore(), options: RESTServiceOptions = .init(),
    access: ((inout RESTAccess) -> Void)? = nil
  ) -> RESTService {
    RESTService(store.handle, serving: [Novel.self], options: options, access: access)
  }
}

extension RESTService {
  /// A service of novels in memory, which sends events.
  static func followedNovels() -> RESTService {
    RESTService(ChangeLogEngine(MemoryModelStore().handle), serving: [Novel.self])
  }
}

extension Logger {
  static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}

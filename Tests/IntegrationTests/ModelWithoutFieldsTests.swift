import Foundation
import ModelKit
import Synchronization
import Testing

/// A model without a field of its own. Its overrides identify and route it.
private final class Settings: Model {
  private let constants = [Field<String>("main", key: "id")]
  override var identifierField: AnyField? { constants[0] }
}

/// A model with nothing at all.
private final class Ping: Model {}

/// A server that answers every request with an empty object, and keeps the requests.
private final class EmptyServer: HTTPTransport {
  private let sent = Mutex<[String]>([])
  var requests: [String] { sent.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    sent.withLock { $0.append(request.url.path) }
    return HTTPResponseData(status: 200, body: Data("{}".utf8))
  }
}

@Suite struct `A model without any field of AK-18` {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "NoFields-\(UUID().uuidString)")

  @Test func `A model without any field is stored, found and deleted by its overrides, in memory and in files`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = FileModelStore(directory: directory)
    for store in [MemoryModelStore(), files] as [any ModelStore] {
      #expect(Settings.fieldKeys.isEmpty)
      let settings = Settings()
      try await store.create(settings)
      #expect(settings.identifier == "main")
      #expect(settings.dictionaryValue.isEmpty)
      #expect(try await store.lookup(Settings.self, identifier: "main").identifier == "main")
      #expect(try await store.list(Settings.self).count == 1)
      try await store.delete(settings)
      #expect(try await store.list(Settings.self).isEmpty)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(Ping()) }
      #expect(error?.code == .noIdentifier)
    }
    try await files.close()
  }

  @Test func `A model without any field is routed behind REST by its overrides`() async throws {
    let server = EmptyServer()
    let store = RESTModelStore(baseURL: try #require(URL(string: "https://a.example")), transport: server)
    #expect(RESTRouter().collectionPath(for: Settings.self) == "/settings")
    #expect(RESTRouter().instancePath(for: Settings()) == "/settings/main")
    _ = try await store.lookup(Settings.self, identifier: "main")
    #expect(server.requests == ["/settings/main"])
  }
}

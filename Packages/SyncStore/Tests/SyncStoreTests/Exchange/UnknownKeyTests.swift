import Foundation
import MemoryStore
import StoreProtocol
import SyncStore
import Testing

private final class Crate: Model {
  @Field var id: Int?
  @Field var title: String?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Values of unknown keys that are kept` {
  private let scopes = { ModelScope(transformers: ValueTransformerContext(keepsUnknownKeys: true)) }
  private let server = MemoryModelStore().handle

  private func record(_ engine: MemoryEngine, _ identifier: String = "1") async throws -> JSONValue {
    try JSONValue(json: #require(try await engine.read("Crate", identifier)).bytes)
  }

  @Test func `Values of unknown keys are sent with a creation and an update, and are pulled`() async throws {
    let local = MemoryModelStore()
    let store = SyncModelStore(
      local: local, remote: MemoryModelStore(server, scope: scopes()), types: [Crate.self], scope: scopes())
    let crate = try Crate.from(json: Data(#"{"title": "A", "shelf": "B7"}"#.utf8), in: store.scope)
    try await store.save(crate)
    try await store.sync()
    #expect(try await record(server) == ["id": 1, "title": "A", "shelf": "B7"])
    _ = try Crate.from(json: Data(#"{"id": 1, "shelf": "C1"}"#.utf8), in: store.scope)
    try await store.save(crate)
    #expect(try await store.sync().pushed == 1)
    #expect(try await record(server)["shelf"] == "C1")
    #expect(try await store.outbox().isEmpty)
    let other = MemoryModelStore(server, scope: scopes())
    let theirs = try await other.lookup(Crate.self, identifier: "1")
    _ = try Crate.from(json: Data(#"{"id": 1, "title": "B", "row": 4}"#.utf8), in: other.scope)
    try await other.save(theirs)
    #expect(try await store.sync().pulled == 1)
    #expect(try await record(local.handle)["row"] == 4)
  }
}

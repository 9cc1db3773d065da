@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import SyncStore
import Testing

@Suite struct `An answer of the server` {
  let server = RESTFixture()
  private let list = HTTPResponseData(status: 200, body: Data("[]".utf8))

  private func client(_ local: MemoryEngine = MemoryModelStore().handle) -> MemorySyncStore {
    SyncModelStore(local: MemoryModelStore(local), remote: server.store(), types: [Tag.self, Author.self])
  }

  private func answer(_ json: String, status: Int = 200) -> HTTPResponseData {
    HTTPResponseData(status: status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
  }

  /// A client with a tag of which a change waits.
  private func withEdit() async throws -> (store: MemorySyncStore, tag: Tag) {
    let (store, tag) = (client(), Tag.labeled("a", "A"))
    try await store.save(tag)
    try await store.sync()
    tag.label.value = "B"
    try await store.save(tag)
    return (store, tag)
  }

  // MARK: Messages by field

  @Test(arguments: [409, 422])
  func `The messages of a rejection are on the fields of the model`(status: Int) async throws {
    let (store, tag) = (client(), Tag.labeled("a", "A"))
    try await store.save(tag)
    server.plan(list, list, answer(#"{"errors": {"label": ["is taken", "is short"]}}"#, status: status))
    #expect(try await store.sync().waiting == 1)
    #expect(tag.validationErrors.map(\.description) == ["label is taken", "label is short"])
    tag.label.value = "Other"
    try await store.save(tag)
    #expect(try await store.sync().waiting == 0)
    #expect(tag.validationErrors.isEmpty)
  }

  @Test func `A message about a field of an update is on the field of the model`() async throws {
    let (store, tag) = try await withEdit()
    tag.label.value = "poison"
    try await store.save(tag)
    try await store.sync()
    #expect(tag.validationErrors.map(\.message) == ["is poison"])
  }
}

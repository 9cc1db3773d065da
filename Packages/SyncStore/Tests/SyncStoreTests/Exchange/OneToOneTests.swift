import MemoryStore
import StoreEngine
import StoreProtocol
import SyncStore
import Testing

private final class Pilot: Model {
  let id = Field<String>()
  let name = Field<String>()
  let license = ModelField<License>()
  override var identifierField: AnyField? { id }
}

private final class License: Model {
  let id = Field<String>()
  let number = Field<String>()
  let pilot = ModelField<Pilot>(foreignKey: true, inverse: \.license)
  override var identifierField: AnyField? { id }
}

@Suite struct `Two records of a server with the same one-to-one link` {
  private let server = MemoryModelStore().handle

  private func put(_ identifier: String, _ pilot: String?) throws {
    let link = pilot.map { #""\#($0)""# } ?? "null"
    let bytes = Array(#"{"id":"\#(identifier)","number":"N","pilot":\#(link)}"#.utf8)
    let isKnown = server.snapshot(pinned: false).record("License", identifier) != nil
    try server.commit(
      RecordBatch([isKnown ? .update("License", identifier, bytes) : .create("License", identifier, bytes)]))
  }

  private func client() -> MemorySyncStore {
    SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore(server), types: [Pilot.self, License.self])
  }

  private func links(_ store: MemorySyncStore) async throws -> [String: JSONValue?] {
    var links: [String: JSONValue?] = [:]
    _ = try await store.handle.local.readRecords(of: "License") { records in
      for record in records { links[record.identifier] = try JSONValue(json: record.bytes)["pilot"] }
    }
    return links
  }

  @Test func `A pull leaves a local record as the server has it when another one gets its link`() async throws {
    try await MemoryModelStore(server).create(pilot())
    try put("a", "p")
    let store = client()
    try await store.sync()
    try put("b", "p")
    #expect(try await store.sync().pulled == 1)
    #expect(try await links(store) == ["a": "p", "b": "p"])
    let license = try await store.lookup(License.self, identifier: "a")
    license.number.value = "N1"
    try await store.save(license, fields: [license.number])
    #expect(try await store.sync().waiting == 0)
    #expect(try await store.discardedValues().isEmpty)
  }

  @Test func `A link that the server moved to another record is moved by the pull`() async throws {
    try await MemoryModelStore(server).create(pilot())
    try put("a", "p")
    let store = client()
    try await store.sync()
    try put("a", nil)
    try put("b", "p")
    try await store.sync()
    #expect(try await links(store) == ["a": .null, "b": "p"])
  }

  private func pilot() -> Pilot {
    let pilot = Pilot()
    (pilot.id.value, pilot.name.value) = ("p", "Ada")
    return pilot
  }
}

import Foundation
import MemoryStore
import StoreEngine
import StoreProtocolTesting
import Testing

@Suite struct `A snapshot of a memory engine` {
  @Test func `A snapshot has no records after the largest position`() async throws {
    let store = MemoryModelStore()
    let person = ContractPerson()
    person.name.value = "Ada"
    try await store.create(person)
    let snapshot = store.handle.snapshot(pinned: true)
    #expect(snapshot.records(ContractPerson.typeName, after: 0, atMost: 10).records.count == 1)
    #expect(snapshot.records(ContractPerson.typeName, after: .max, atMost: 10).records.isEmpty)
  }

  /// A store over a memory engine as other stores are over theirs.
  private final class EngineStore: RecordStore<MemoryEngine>, TransactionalModelStore {}

  private func store(with count: Int) async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    for number in 0..<count {
      let person = ContractPerson()
      person.name.value = "\(number)"
      try await store.create(person)
    }
    return store
  }

  @Test(arguments: [[], [ModelSort<ContractPerson>.ascending(\.name)]])
  func `A page continues after that of another kind of store over the same engine`(
    order: [ModelSort<ContractPerson>]
  ) async throws {
    let store = try await store(with: 7)
    let query = ModelQuery(ContractPerson.self, sort: order, limit: 2)
    var (names, mark, isFirst) = ([String?](), ModelPageMark?.none, true)
    repeat {
      let page =
        isFirst
        ? try await store.page(query, after: mark) : try await EngineStore(store.handle).page(query, after: mark)
      names += page.models.map(\.name.value)
      mark = page.next
      isFirst.toggle()
    } while mark != nil
    #expect(names == (0..<7).map(String.init))
  }

  @Test func `A mark from before all records were replaced continues after the same record`() async throws {
    let store = try await store(with: 6)
    let query = ModelQuery(ContractPerson.self, limit: 3)
    let snapshot = try await self.store(with: 6).snapshot()
    let pages = [
      try await store.page(query, after: nil), try await EngineStore(store.handle).page(query, after: nil),
    ]
    for person in try await store.list(ContractPerson.self).prefix(2) { try await store.delete(person) }
    try store.restore(snapshot)
    for page in pages {
      let rest = try await EngineStore(store.handle).page(query, after: page.next)
      #expect(rest.models.map(\.name.value) == ["3", "4", "5"])
      #expect(try await store.page(query, after: page.next).models.map(\.name.value) == ["3", "4", "5"])
    }
  }

  @Test func `A mark of another process names its record, not its number`() async throws {
    let query = ModelQuery(ContractPerson.self, limit: 3)
    let mark = try #require(try await EngineStore(store(with: 6).handle).page(query, after: nil).next)
    let restarted = try await store(with: 6)
    try await restarted.delete(try await restarted.lookup(ContractPerson.self, identifier: mark.record))
    await #expect(throws: ModelStoreError.self) {
      _ = try await EngineStore(restarted.handle).page(query, after: mark)
    }
  }
}

extension ModelPageMark {
  fileprivate var record: String {
    get throws {
      let position = try #require(JSONValue(json: JSONEncoder().encode(self))["position"]?.stringValue)
      return try #require(JSONValue(json: position)["id"]?.stringValue)
    }
  }
}

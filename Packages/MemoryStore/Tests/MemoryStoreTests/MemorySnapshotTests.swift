import MemoryStore
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
}

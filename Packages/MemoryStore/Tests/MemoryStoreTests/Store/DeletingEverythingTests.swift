import MemoryStore
@_spi(ModelKitInternals) import StoreEngine
import StoreProtocolTesting
import Testing

@Suite struct `Deleting everything` {
  @Test func `Everything is deleted although a record can't be read`() async throws {
    let store = MemoryModelStore()
    let person = ContractPerson()
    (person.name.value, person.age.value) = ("Ada", 36)
    try await store.create(person)
    try store.handle.commit(
      RecordBatch([.create(ContractPerson.typeName, "77", Array(#"{"id":77,"name":5}"#.utf8))]))
    await #expect(throws: ModelStoreError.self) { _ = try await store.list(ContractPerson.self) }
    #expect(try await store.deleteAll() == 2)
    #expect(!person.isPersisted)
    #expect(try await store.count(ContractPerson.self) == 0)
    #expect(try await store.list(ContractPerson.self).isEmpty)
  }
}

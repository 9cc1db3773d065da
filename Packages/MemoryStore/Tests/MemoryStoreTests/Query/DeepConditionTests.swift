import MemoryStore
import StoreProtocol
import StoreProtocolTesting
import Testing

@Suite struct `A condition that is nested too deeply` {
  @Test func `A condition that is nested too deeply is rejected by list and by observe`() async throws {
    let store = MemoryModelStore()
    var condition = QueryExpression.constant(true)
    for _ in 0..<20_000 { condition = .not(condition) }
    var query = ModelQuery(ContractPerson.self)
    query.filter = condition
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(query) }
    #expect(error?.code == .invalid)
    var results = store.observe(query).makeAsyncIterator()
    let first = await results.next()
    #expect(first?.error?.code == .invalid)
  }
}

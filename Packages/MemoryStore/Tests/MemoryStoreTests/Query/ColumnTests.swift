import MemoryStore
import Testing

@Suite struct `Columns of values and groups` {
  final class Invoice: Model {
    @Field var id: Int?
    @Required var isPaid = false
    @Field var isSent: Bool?
    @Required var tags: [String] = []
    @ModelArrayField(foreignKey: true) var parts: [Invoice]?
    override var identifierField: AnyField? { $id }
  }

  private func makeStore() async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    for number in 1...3 {
      let invoice = Invoice()
      invoice.isPaid = number == 1
      invoice.isSent = number == 3 ? nil : number == 1
      invoice.tags = Array(repeating: "tag", count: number)
      try await store.create(invoice)
    }
    return store
  }

  @Test func `A Boolean field is a column where the type of a column is written`() async throws {
    let store = try await makeStore()
    let groups = try await store.groups(Invoice.self, by: { $0.isPaid as QueryColumn<Bool> }) { $0.count }
    #expect(groups.map(\.key) == [true, false])
    #expect(groups.map(\.values) == [1, 2])
    let sent = try await store.groups(
      Invoice.self, by: { ($0.isPaid as QueryColumn<Bool>, $0.isSent as QueryColumn<Bool>) }
    ) { $0.count }
    #expect(sent.map(\.key.1) == [true, false, nil])
    #expect(try await store.values(Invoice.self, of: { $0.isSent as QueryColumn<Bool> }) == [true, false, nil])
  }

  @Test func `A closure that returns a condition instead of a column is an error`() async throws {
    let store = try await makeStore()
    func check(_ body: () async throws -> Void) async {
      let error = await #expect(throws: ModelStoreError.self) { try await body() }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("as QueryColumn<Bool>") == true)
    }
    await check {
      _ = try await store.groups(Invoice.self, by: { _ = $0.isPaid }) { $0.count } as [(key: (), values: Int)]
    }
    await check { _ = try await store.values(Invoice.self, of: { _ = $0.isPaid }) as [()] }
    for await groups in store.observeGroups(Invoice.self, by: { _ = $0.isPaid }, { $0.count }) {
      await check { _ = try groups.get() }
      break
    }
  }

  @Test func `The number of elements of a list is a column`() async throws {
    let store = try await makeStore()
    #expect(try await store.values(Invoice.self, of: { $0.tags.count }) == [1, 2, 3])
    #expect(try await store.sum(Invoice.self, of: { $0.tags.count }) == 6)
    #expect(try await store.maximum(Invoice.self, of: { $0.tags.count }, where: { $0.tags.count < 3 }) == 2)
    let groups = try await store.groups(Invoice.self, by: { $0.tags.count }) { ($0.count, $0.sum { $0.tags.count }) }
    #expect(groups.map(\.key) == [1, 2, 3])
    #expect(groups.map(\.values.1) == [1, 2, 3])
  }

  @Test func `The number of models of a relation is no column`() async throws {
    let store = try await makeStore()
    let error = await #expect(throws: ModelStoreError.self) {
      _ = try await store.sum(Invoice.self, of: { $0.parts.count })
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("parts") == true)
    #expect(try await store.count(Invoice.self, where: { $0.parts.count == 0 }) == 3)
  }
}

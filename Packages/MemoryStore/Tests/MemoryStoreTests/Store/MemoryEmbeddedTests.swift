import MemoryStore
import StoreProtocolTesting
import Testing

/// New models that share one that is written inside each of them.
@Suite struct `A batch of new models that share an embedded one` {
  private let store = MemoryModelStore()

  private func books(by author: ContractAuthor) -> [ContractBook] {
    ["Emma", "Persuasion", "Sanditon"].map { title in
      let book = ContractBook()
      book.title.value = title
      book.author.value = author
      return book
    }
  }

  private func author(_ identifier: Int?) -> ContractAuthor {
    let author = ContractAuthor()
    author.id.value = identifier
    author.name.value = "Jane"
    return author
  }

  @Test
  func `A batch of new models with one embedded author references it by identifier, and the author references all`()
    async throws
  {
    try await store.createAll(books(by: author(5)))
    let instance = MemoryModelStore(store.handle)
    let found = try instance.listImmediately(ContractBook.self)
    #expect(found.map(\.title.value) == ["Emma", "Persuasion", "Sanditon"])
    let author = try #require(found[0].author.value)
    #expect(author.name.value == "Jane")
    #expect(found.allSatisfy { $0.author.value === author })
    #expect(author.books.value == found)
    for number in 1...3 {
      let alone = MemoryModelStore(store.handle)
      let book = try alone.lookupImmediately(ContractBook.self, identifier: String(number))
      #expect(book.author.value?.books.value?.map(\.id.value) == [1, 2, 3])
    }
  }

  @Test func `A batch of new models has the embedded author without identifier in every record`() async throws {
    let created = books(by: author(nil))
    try await store.createAll(created)
    #expect(created.allSatisfy { $0.author.value === created[0].author.value && !$0.isDirty })
    let found = try MemoryModelStore(store.handle).listImmediately(ContractBook.self)
    #expect(found.map(\.title.value) == ["Emma", "Persuasion", "Sanditon"])
    #expect(found.map(\.author.value?.name.value) == ["Jane", "Jane", "Jane"])
  }

  @Test func `A batch of new models that share an embedded one leaves nothing behind when it is refused`() async throws
  {
    let taken = ContractBook()
    taken.id.value = 9
    try await store.create(taken)
    let refused = books(by: author(5))
    refused[2].id.value = 9
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.createAll(refused) }
    #expect(error?.code == .conflict)
    #expect(refused.map(\.id.value) == [nil, nil, 9])
    #expect(refused[0].isDirty && refused[0].author.value?.books.value?.count == 3)
    #expect(try await store.count(ContractBook.self) == 1)
    refused[2].id.value = nil
    try await store.createAll(refused)
    #expect(try await store.count(ContractBook.self) == 4)
  }

  @Test func `A batch of new models in a transaction refers to one author, and to none after a failed one`()
    async throws
  {
    struct Refusal: Error {}
    let created = books(by: author(5))
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        try await store.createAll(created)
        #expect(created.map(\.id.value) == [1, 2, 3])
        throw Refusal()
      }
    }
    #expect(created.map(\.id.value) == [nil, nil, nil])
    try await store.transaction { try await $0.createAll(created) }
    let found = try MemoryModelStore(store.handle).listImmediately(ContractBook.self)
    #expect(found.map(\.title.value) == ["Emma", "Persuasion", "Sanditon"])
    #expect(found[0].author.value?.books.value == found)
  }
}

private final class Order: Model {
  @Field var id: Int?
  @ModelArrayField var lines: [OrderLine]?
  override var identifierField: AnyField? { $id }
}

private final class OrderLine: Model {
  @Field var count: Int?
}

@Suite struct `A list of embedded models` {
  @Test func `A store lists embedded models without identifiers as the record of their owner has them`() async throws {
    let store = MemoryModelStore()
    let order = Order(), line = OrderLine()
    line.count = 3
    order.lines = [line]
    try await store.create(order)
    let other = MemoryModelStore(store.handle)
    let found = Order.with(identifier: "\(order.id ?? 0)", in: other.scope)
    #expect(try await other.list(in: found.$lines).map(\.count) == [3])
    #expect(try await other.deleteAll(in: found.$lines) == 0)
    #expect(found.lines?.count == 1)
  }
}

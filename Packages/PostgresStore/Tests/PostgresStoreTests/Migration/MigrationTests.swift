#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Migrations of a PostgreSQL store` {
    private struct Failed: Error {}

    /// The steps to version 2 and 3.
    private static let steps = [
      Migration(Item.self, to: 3) { record in try record.convert("amount") { .int(($0.intValue ?? 0) * 10) } },
      Migration(Item.self, to: 2) { record in
        try record.rename("name", to: "title")
        record.setDefault(.int(1), for: "amount")
        if record.identifier == "4" { record.remove() }
      },
    ]

    /// Fills a store with items of version 1.
    private func fill(_ options: PostgresStoreOptions, _ count: Int) async throws {
      let store = try await TestServer.makeStore(options)
      try await store.createAll(
        (1...count).map { number -> OldItem in
          let item = OldItem()
          (item.id.value, item.name.value) = (number, "Item \(number)")
          return item
        })
    }

    private func row(_ identifier: Int, _ options: PostgresStoreOptions) async throws -> String {
      try await TestServer.shared.value.psql("SELECT body FROM \(options.schema).item WHERE id = '\(identifier)'")
    }

    @Test func `Pending steps run once, in their order, on all records`() async throws {
      var options = TestServer.options()
      try await fill(options, 2_500)
      options.migrations = Self.steps
      for _ in 0..<2 {
        let items = try await TestServer.makeStore(options).list(Item.self)
        #expect(items.map(\.id.value) == (1...2_500).filter { $0 != 4 })
        #expect(items.allSatisfy { $0.title.value == "Item \($0.id.value ?? 0)" && $0.amount.value == 10 })
      }
    }

    @Test func `Columns with indexes have the values of migrated records`() async throws {
      var options = TestServer.options()
      try await fill(options, 10)
      try await TestServer.makeStore(options).index(\Item.amount)
      options.migrations = Self.steps
      let store = try await TestServer.makeStore(options)
      #expect(try await store.count(Item.self, where: { $0.amount == 10 }) == 9)
    }

    @Test func `A step that throws changes nothing, and the store is not opened`() async throws {
      var options = TestServer.options()
      try await fill(options, 1_500)
      let before = try await row(1, options)
      options.migrations =
        Self.steps + [Migration(Item.self, to: 4) { if $0.identifier == "1400" { throw Failed() } }]
      let store = try await TestServer.makeStore(options)
      for _ in 0..<2 {
        let error = await #expect(throws: ModelStoreError.self) { _ = try await store.count(Item.self) }
        #expect(error?.code == .invalid)
        #expect(error?.identifier == "1400")
        #expect(error?.cause is Failed)
      }
      #expect(try await row(1, options) == before)
      options.migrations = []
      #expect(try await TestServer.makeStore(options).count(OldItem.self) == 1_500)
    }

    @Test func `Processes that begin at the same time run each step once`() async throws {
      var options = TestServer.options()
      try await fill(options, 50)
      options.migrations = Self.steps
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          let store = try await TestServer.makeStore(options).handle
          group.addTask {
            let count = try await PostgresModelStore(store).count(Item.self)
            #expect(count == 49)
          }
        }
        try await group.waitForAll()
      }
      let items = try await TestServer.makeStore(options).list(Item.self)
      #expect(items.allSatisfy { $0.amount.value == 10 })
    }

    @Test func `Without the right to create tables, records are migrated by prepare only`() async throws {
      var options = TestServer.options()
      try await fill(options, 3)
      (options.migrations, options.createsTables) = (Self.steps, false)
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await TestServer.makeStore(options).count(Item.self)
      }
      #expect(error?.code == .unsupported)
      let before = try await row(1, options)
      let store = try await TestServer.makeStore(options)
      #expect(
        try await store.prepare([Item.self], dryRun: true)
          == ["-- Migration of the records of 'Item' to version 2, 3"])
      #expect(try await row(1, options) == before)
      try await store.prepare([Item.self])
      #expect(try await TestServer.makeStore(options).list(Item.self).map(\.amount.value) == [10, 10, 10])
      #expect(try await store.prepare([Item.self], dryRun: true) == [])
    }

    @Test func `A program that lacks steps can neither open the store nor write with an open one`() async throws {
      var options = TestServer.options()
      try await fill(options, 3)
      let open = try await TestServer.makeStore(options)
      #expect(try await open.count(OldItem.self) == 3)
      let older = options
      options.migrations = Self.steps
      let new = try await TestServer.makeStore(options)
      #expect(try await new.count(Item.self) == 3)
      let item = OldItem()
      (item.id.value, item.name.value) = (9, "Late")
      let error = await #expect(throws: ModelStoreError.self) { _ = try await open.create(item) }
      #expect(error?.code == .unsupported)
      #expect(try await new.count(Item.self) == 3)
      let late = await #expect(throws: ModelStoreError.self) {
        _ = try await TestServer.makeStore(older).count(OldItem.self)
      }
      #expect(late?.code == .unsupported)
    }

    @Test func `Observers in other processes receive the migrated records`() async throws {
      var options = TestServer.options()
      try await fill(options, 5)
      let reader = try await TestServer.makeStore(options)
      #expect(try await reader.count(OldItem.self) == 5)
      var changes = reader.changes(of: OldItem.self).makeAsyncIterator()
      options.migrations = Self.steps
      #expect(try await TestServer.makeStore(options).count(Item.self) == 4)
      let batch = try #require(await changes.next())
      #expect(batch.map(\.identifier) == ["4", "1", "2", "3", "5"])
      #expect(batch.first?.kind == .deleted)
    }

    @Test(arguments: [
      [Migration("Item", to: 1) { _ in }],
      [Migration("Item", to: 2) { _ in }, Migration("Item", to: 4) { _ in }],
      [Migration("Item", to: 2) { _ in }, Migration("Item", to: 2) { _ in }],
      [Migration("Item", to: 3) { _ in }],
    ])
    func `Steps with wrong versions are rejected`(steps: [Migration]) async throws {
      var options = TestServer.options()
      options.migrations = steps
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await TestServer.makeStore(options).count(Item.self)
      }
      #expect(error?.code == .invalid)
    }
  }

  private final class OldItem: Model {
    let id = Field<Int>()
    let name = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Item" }
  }

  private final class Item: Model {
    let id = Field<Int>()
    let title = Field<String>()
    let amount = Field<Int>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Item" }
  }
#endif

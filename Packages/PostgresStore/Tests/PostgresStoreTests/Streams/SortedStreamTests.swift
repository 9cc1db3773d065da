#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Sorted streams of a PostgreSQL store` {
    /// A store with parcels, whose times are spelled in two ways if they are to be irregular.
    private func makeStore(
      irregularFrom first: Int, _ options: PostgresStoreOptions = TestServer.options()
    ) async throws -> PostgresModelStore {
      let store = try await TestServer.makeStore(options)
      try await store.prepare([Parcel.self])
      try await TestServer.shared.value.psql(
        """
        INSERT INTO \(options.schema).parcel (id, seq, revision, body) \
        SELECT n, n, 1, json_build_object('id', n, 'weight', n % 7, 'sent', \
        '2024-01-01T' || to_char(n * 37 % 24, 'FM00') || ':00:00' || CASE WHEN n < \(first) THEN 'Z' ELSE '+00:00' END) \
        FROM generate_series(1, 1000) AS n
        """)
      return store
    }

    private func identifiers(_ stream: StoredModelSequence<Parcel>) async throws -> [Int?] {
      var identifiers: [Int?] = []
      for try await parcel in stream { identifiers.append(parcel.id.value) }
      return identifiers
    }

    @Test func `A sorted stream has the order of a list`() async throws {
      let store = try await makeStore(irregularFrom: .max)
      let sort = [ModelSort<Parcel>.descending(\.weight), .ascending(\.sent)]
      let list = try await store.list(Parcel.self, sort: sort).map(\.id.value)
      #expect(list.count == 1_000)
      #expect(try await identifiers(store.stream(Parcel.self, sort: sort)) == list)
    }

    // SQL can't compare them, so the store does, from the same snapshot.
    @Test(arguments: [1, 500])
    func `A sorted stream of values that SQL can't compare has the order of a list`(first: Int) async throws {
      let store = try await makeStore(irregularFrom: first)
      let sort = [ModelSort<Parcel>.descending(\.sent)]
      let list = try await store.list(Parcel.self, sort: sort).map(\.id.value)
      #expect(list.count == 1_000)
      #expect(try await identifiers(store.stream(Parcel.self, sort: sort)) == list)
    }

    @Test func `Two sorted streams and a write of another process do not disturb each other`() async throws {
      let options = TestServer.options()
      let store = try await makeStore(irregularFrom: .max, options)
      let writer = try await TestServer.makeStore(options)
      var first = store.stream(Parcel.self, sort: [.ascending(\.id)]).makeAsyncIterator()
      var second = store.stream(Parcel.self, sort: [.descending(\.id)]).makeAsyncIterator()
      var (ascending, descending): ([Int], [Int]) = ([], [])
      while let parcel = try await first.next(), let other = try await second.next() {
        ascending.append(parcel.id.value ?? 0)
        descending.append(other.id.value ?? 0)
        if ascending.count == 300 { try await writer.deleteAll(Parcel.self, where: { $0.id > 900 }) }
      }
      #expect(ascending == Array(1...1_000))
      #expect(descending == ascending.reversed())
    }
  }

  private final class Parcel: Model {
    let id = Field<Int>()
    let weight = Field<Int>()
    let sent = Field<Date>()
    override var identifierField: AnyField? { id }
  }
#endif

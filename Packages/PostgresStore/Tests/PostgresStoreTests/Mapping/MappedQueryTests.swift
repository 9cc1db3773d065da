#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Queries of existing tables` {
    /// A store whose queries are SQL, or errors.
    private func makeStore(_ statements: String) async throws -> PostgresModelStore {
      var options = try await Library.options(statements)
      options.evaluation = .byStore
      return try await TestServer.makeStore(options)
    }

    private func titles(
      _ store: PostgresModelStore, _ condition: @escaping (ModelColumns<Volume>) -> QueryExpression
    ) async throws -> [String?] {
      try await store.list(Volume.self, where: condition).map(\.title.value)
    }

    @Test func `Conditions hold for the same rows as in other stores`() async throws {
      let shelf = "0F4E6A52-0000-4000-8000-00000000000A"
      let store = try await makeStore(
        """
        INSERT INTO shelves VALUES ('\(shelf)', 'north');
        INSERT INTO volumes (title, page_count, price, weight, is_lent, wrote_at, "boughtAt", printed, code, condition, tags,
          details, shelf_id) VALUES
          ('A', 1, 1.10, 0.1, true, '2020-01-01 00:00:00', '2020-01-01 00:00:00+00', '2020-01-01', '\(shelf)', 'worn', '{x,y}',
            '{"a": 1}', '\(shelf)'),
          ('B', 2, 1.20, 0.2, false, '2020-01-01 00:00:00.000001', '2020-01-01 00:00:00.000001+00', '2020-01-02', NULL, 'good',
            '{}', 'null', NULL),
          ('C', NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        """)
      let (uuid, day) = (try #require(UUID(uuidString: shelf)), Day(2020, 1, 1))
      let start = Date(timeIntervalSince1970: 1_577_836_800)
      let between = Date(timeIntervalSince1970: 1_577_836_800.0000005)
      #expect(try await titles(store) { $0.pageCount == 1 } == ["A"])
      #expect(try await titles(store) { $0.pageCount != 1 } == ["B", "C"])
      #expect(try await titles(store) { [1, 3].contains($0.pageCount) } == ["A"])
      #expect(try await titles(store) { $0.price > Decimal(string: "1.1")! } == ["B"])
      #expect(try await titles(store) { $0.weight == 0.1 } == ["A"])
      #expect(try await titles(store) { $0.isLent == true } == ["A"])
      #expect(try await titles(store) { $0.code == uuid } == ["A"])
      #expect(try await titles(store) { $0.state == .good } == ["B"])
      #expect(try await titles(store) { $0.printed > day } == ["B"])
      #expect(try await titles(store) { $0.tags.contains("x") } == ["A"])
      #expect(try await titles(store) { $0.tags.count == 0 } == ["B", "C"])
      #expect(try await titles(store) { $0.details == nil } == ["B", "C"])
      #expect(try await titles(store) { $0.shelf == nil } == ["B", "C"])
      #expect(try await titles(store) { $0.shelf.label == "north" } == ["A"])
      #expect(try await titles(store) { $0.shelf.id == uuid } == ["A"])
      // A date is finer than the columns.
      #expect(try await titles(store) { $0.boughtAt == start } == ["A"])
      #expect(try await titles(store) { $0.boughtAt == between } == [])
      #expect(try await titles(store) { $0.boughtAt < between } == ["A"])
      #expect(try await titles(store) { $0.boughtAt >= between } == ["B"])
      #expect(try await titles(store) { $0.wroteAt <= between } == ["A"])
      #expect(try await titles(store) { $0.wroteAt > between } == ["B"])
      #expect(try await titles(store) { [start, between].contains($0.wroteAt) } == ["A"])
      #expect(try await store.count(Volume.self, where: { $0.pageCount > 0 }) == 2)
    }

    @Test func `Text is compared and sorted by its bytes in any collation`() async throws {
      let store = try await makeStore(
        """
        ALTER TABLE volumes DROP slug; ALTER TABLE volumes ALTER title TYPE text COLLATE "en-x-icu";
        INSERT INTO volumes (title) VALUES ('b'), ('B'), ('a'), ('é'), ('Z');
        """)
      let sorted = try await store.list(Volume.self, sort: [.ascending(\.title)]).map(\.title.value)
      #expect(sorted == ["B", "Z", "a", "b", "é"])
      #expect(try await titles(store) { $0.title < "a" } == ["B", "Z"])
      #expect(try await titles(store) { $0.title.hasPrefix("b") } == ["b"])
    }

    @Test func `A condition on an indexed column uses its index`() async throws {
      var options = try await Library.options(
        """
        CREATE INDEX by_title ON volumes (title); CREATE INDEX by_pages ON volumes (page_count);
        CREATE INDEX by_shelf ON volumes (shelf_id); CREATE INDEX by_date ON volumes ("boughtAt");
        INSERT INTO volumes (title, page_count) SELECT 'title ' || n, n FROM generate_series(1, 5000) AS n; ANALYZE volumes;
        """)
      options.evaluation = .byStore
      let store = try await TestServer.makeStore(options)
      #expect(try await titles(store) { $0.title == "title 7" } == ["title 7"])
      #expect(try await titles(store) { $0.pageCount >= 5000 } == ["title 5000"])
      #expect(try await titles(store) { $0.boughtAt > Date(timeIntervalSince1970: 1_577_927_046) } == [])
      #expect(try await titles(store) { $0.shelf.id == UUID() } == [])
      #expect(try await store.lookup(Volume.self, identifier: "9").title.value == "title 9")
      store.close()
      // The server counts the use of indexes when connections end.
      let unused = """
        SELECT coalesce(string_agg(indexrelname, ','), '') FROM pg_stat_user_indexes \
        WHERE schemaname = '\(options.schema)' AND relname = 'volumes' AND idx_scan = 0
        """
      for _ in 0..<200 {
        if try await Library.run(unused, options).isEmpty { break }
      }
      #expect(try await Library.run(unused, options) == "")
    }
  }
#endif

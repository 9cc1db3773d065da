#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Reading existing tables` {
    private let shelf = "0f4e6a52-0000-4000-8000-00000000000a"

    private func error(
      of type: any Model.Type, _ statements: String, _ mapping: TableMapping
    ) async throws -> ModelStoreError {
      let store = try await TestServer.makeStore(try await Library.options(statements, mappings: [mapping]))
      return try #require(await #expect(throws: ModelStoreError.self) { _ = try await store.prepare([type]) })
    }

    @Test func `A row without a position in the order is reported by a list`() async throws {
      let options = try await Library.options(
        """
        ALTER TABLE volumes ALTER id TYPE bigint;
        INSERT INTO volumes (id, title) OVERRIDING SYSTEM VALUE VALUES (-5, 'Emma'), (1, 'Ivy');
        """)
      let store = try await TestServer.makeStore(options)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Volume.self) }
      #expect(error?.identifier == "-5")
    }

    @Test func `A table is read although the type of its identifier is changed`() async throws {
      let options = try await Library.options("INSERT INTO volumes (title) VALUES ('Emma');")
      let store = try await TestServer.makeStore(options)
      func titles() async throws -> [String?] { try await store.list(Volume.self).map(\.title.value) }
      #expect(try await titles() == ["Emma"])
      try await Library.run("ALTER TABLE volumes ALTER id TYPE bigint", options)
      #expect(try await titles() == ["Emma"])
    }

    @Test func `A model has the values of the columns of its row`() async throws {
      let options = try await Library.options(
        """
        INSERT INTO shelves VALUES ('\(shelf)', 'north');
        INSERT INTO volumes (title, page_count, price, weight, is_lent, wrote_at, printed, code, cover, tags, visits, details,
          remarks_note, shelf_id) VALUES ('Em"ma', 474, 12345678.90, 0.1, true, '2001-02-03 04:05:06.789012', '1815-12-23',
          '\(shelf)', '\\x00ff10', '{a,"c,d"}', '{2020-01-01 00:00:00+00}', '{"a": [1, null]}', 'dusty', '\(shelf)');
        """)
      let store = try await TestServer.makeStore(options)
      let volume = try await store.lookup(Volume.self, identifier: "1")
      #expect(volume.id.value == 1)
      #expect(volume.title.value == "Em\"ma")
      #expect(volume.pageCount.value == 474)
      #expect(volume.price.value == Decimal(string: "12345678.90"))
      #expect(volume.weight.value == 0.1)
      #expect(volume.isLent.value == true)
      #expect(volume.boughtAt.value == Date(timeIntervalSince1970: 1_577_927_045.5))
      #expect(volume.wroteAt.value == Date(timeIntervalSinceReferenceDate: 2_865_906.789012))
      #expect(volume.printed.value == Day(1815, 12, 23))
      #expect(volume.code.value == UUID(uuidString: shelf))
      #expect(volume.cover.value == Data([0, 255, 16]))
      #expect(volume.state.value == .good)
      #expect(volume.tags.value == ["a", "c,d"])
      #expect(volume.visits.value == [Date(timeIntervalSince1970: 1_577_836_800)])
      #expect(volume.details.value == ["a": [1, nil]])
      #expect(volume.note.value == "dusty")
      #expect(volume.shelf.value?.identifier == shelf.uppercased())
    }

    @Test func `A column that is null is nil`() async throws {
      let options = try await Library.options("INSERT INTO volumes (title, price) VALUES ('Emma', NULL);")
      let store = try await TestServer.makeStore(options)
      let volume = try #require(try await store.list(Volume.self).first)
      #expect(volume.price.value == nil)
      #expect(volume.tags.value == nil)
      #expect(volume.shelf.value == nil)
      #expect(volume.details.value == nil)
    }

    @Test func `Numbers that no floating-point number holds are exact`() async throws {
      let digits = "12345678901234567890.123456789"
      let options = try await Library.options(
        "INSERT INTO receipts VALUES (1, \(digits)), (98765432109876543210, 2.50);")
      let store = try await TestServer.makeStore(options)
      #expect(try await store.lookup(Receipt.self, identifier: "1").amount.value == Decimal(string: digits))
      #expect(try await store.lookup(Receipt.self, identifier: "98765432109876543210").amount.value == 2.5)
    }

    @Test(arguments: ["1", "01", "1 ", "+1", "x", "99999999999", "", "1\u{0}"])
    func `An integer identifies a row only as it is spelled`(identifier: String) async throws {
      let options = try await Library.options("INSERT INTO volumes (title) VALUES ('Emma');")
      let store = try await TestServer.makeStore(options)
      let found = try? await store.lookup(Volume.self, identifier: identifier)
      #expect((found != nil) == (identifier == "1"))
    }

    @Test func `Rows are identified by integers, text, exact numbers and UUIDs`() async throws {
      let options = try await Library.options(
        """
        INSERT INTO shelves VALUES ('\(shelf)', 'north');
        INSERT INTO readers VALUES ('a''b', 'Ada'), ('A''B', 'Bob');
        INSERT INTO receipts VALUES (1.50, 3);
        """)
      let store = try await TestServer.makeStore(options)
      #expect(try await store.lookup(Shelf.self, identifier: shelf.uppercased()).label.value == "north")
      #expect(try await store.lookup(Reader.self, identifier: "a'b").name.value == "Ada")
      #expect(try await store.lookup(Reader.self, identifier: "A'B").name.value == "Bob")
      #expect(try await store.lookup(Receipt.self, identifier: "1.5").amount.value == 3)
      await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(Shelf.self, identifier: shelf) }
      await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(Receipt.self, identifier: "1.50") }
    }

    @Test func `Models without another order are sorted by their integers, in parts of any size`() async throws {
      let options = try await Library.options(
        """
        CREATE TABLE signs (id bigint PRIMARY KEY, text text, count int);
        INSERT INTO signs SELECT n::bigint * 1000000007, 'sign ' || n FROM generate_series(0, 2500) AS n;
        """, mappings: [TableMapping(Note.self, table: "signs")])
      let store = try await TestServer.makeStore(options)
      let identifiers = try await store.list(Note.self).map(\.id.value)
      #expect(identifiers == (0...2500).map { $0 * 1_000_000_007 })
      let first = try await store.page(ModelQuery(Note.self, limit: 2), after: nil)
      let second = try await store.page(ModelQuery(Note.self, limit: 2), after: first.next)
      #expect((first.models + second.models).map(\.text.value) == (0...3).map { "sign \($0)" })
    }

    @Test func `Rows with text as identifiers keep their order while others are added`() async throws {
      let options = try await Library.options("INSERT INTO readers SELECT 'r' || n FROM generate_series(1, 40) AS n;")
      let store = try await TestServer.makeStore(options)
      let before = try await store.list(Reader.self).map(\.code.value)
      try await Library.run("INSERT INTO readers SELECT 'x' || n FROM generate_series(1, 40) AS n;", options)
      let after = try await store.list(Reader.self).map(\.code.value)
      #expect(Set(before).count == 40)
      #expect(after.count == 80)
      #expect(after.filter { $0?.hasPrefix("r") == true } == before)
    }

    @Test func `A value that no field can hold is an error about its row`() async throws {
      let options = try await Library.options("INSERT INTO volumes (title, printed) VALUES ('Emma', 'infinity');")
      let store = try await TestServer.makeStore(options)
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await store.lookup(Volume.self, identifier: "1")
      }
      #expect(error?.code == .corrupt)
      #expect(error?.message.contains("printed") == true)
    }

    // MARK: Tables that do not fit

    @Test func `A table that is missing is named`() async throws {
      let error = try await error(of: Note.self, "", TableMapping(Note.self, table: "lost"))
      #expect(error.code == .unsupported)
      #expect(error.message.contains(".lost: it does not exist"))
    }

    @Test func `A field without a column is named with the column that it needs`() async throws {
      let error = try await error(
        of: Note.self, "CREATE TABLE n (id int PRIMARY KEY, text text);", TableMapping(Note.self, table: "n"))
      #expect(error.message.contains("has no column \"count\" for the field \"count\""))
      #expect(error.message.contains("name another one in the mapping"))
    }

    @Test func `A column that can't hold the values of its field is named with its type`() async throws {
      let error = try await error(
        of: Note.self, "CREATE TABLE n (id int PRIMARY KEY, text text, count text);",
        TableMapping(Note.self, table: "n"))
      #expect(error.message.contains("its column \"count\" of the type text can't hold integers"))
    }

    @Test(arguments: [
      "CREATE TABLE n (id int, text text, count int);", "CREATE TABLE n (id int UNIQUE, text text, count int);",
      "CREATE TABLE n (id int, text text, count int, PRIMARY KEY (id, text));",
      "CREATE TABLE n (id int PRIMARY KEY DEFERRABLE, text text, count int);",
      "CREATE VIEW n AS SELECT id, title AS text, page_count AS count FROM volumes;",
    ])
    func `An identifier needs a unique index of its own`(statement: String) async throws {
      let error = try await error(of: Note.self, statement, TableMapping(Note.self, table: "n"))
      #expect(error.message.contains("its column \"id\" does not identify rows"))
      #expect(error.message.contains("a unique index of its own"))
    }

    @Test func `A mapping of a field that the class does not have is an error`() async throws {
      let error = try await error(
        of: Reader.self, "", TableMapping(Reader.self, table: "readers", columns: ["nmae": "name"]))
      #expect(error.message.contains("Reader has no field \"nmae\""))
    }

    @Test func `A type whose equal values have different bytes can't identify models`() async throws {
      let error = try await error(
        of: Reader.self,
        """
        CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE TABLE r (code text COLLATE blind PRIMARY KEY, name text);
        """, TableMapping(Reader.self, table: "r"))
      #expect(error.message.contains("its column \"code\" of the type text can't identify models by text"))
    }
  }
#endif

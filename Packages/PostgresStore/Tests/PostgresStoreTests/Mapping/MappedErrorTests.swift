#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Errors of constraints` {
    private func makeVolume(_ change: (Volume) -> Void) -> Volume {
      let volume = Volume()
      volume.title.value = "Emma"
      change(volume)
      return volume
    }

    private func error(
      _ statements: String = "", _ change: (Volume) -> Void
    ) async throws -> ModelStoreError {
      let options = try await Library.options(statements)
      let store = try await TestServer.makeStore(options)
      let volume = makeVolume(change)
      let error = try #require(await #expect(throws: ModelStoreError.self) { _ = try await store.create(volume) })
      #expect(try await Library.run("SELECT count(*) FROM volumes WHERE id > 0", options) == "0")
      return error
    }

    @Test func `A value that has to be unique is a conflict about its field`() async throws {
      let store = try await TestServer.makeStore(try await Library.options())
      let shelves = ["north", "north"].map { label in
        let shelf = Shelf()
        shelf.label.value = label
        return shelf
      }
      try await store.create(shelves[0])
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(shelves[1]) }
      #expect(error?.code == .conflict)
      #expect(error?.fields == ["label": ["is taken"]])
      #expect((error?.cause as? PostgresError)?.sqlState == "23505")
    }

    @Test func `A unique constraint that is checked by COMMIT is a conflict about its fields`() async throws {
      let error = try await error(
        """
        ALTER TABLE volumes ADD UNIQUE (title, page_count) DEFERRABLE INITIALLY DEFERRED;
        INSERT INTO volumes (id, title, page_count) OVERRIDING SYSTEM VALUE VALUES (-1, 'Emma', 3);
        """
      ) { $0.pageCount.value = 3 }
      #expect(error.code == .conflict)
      #expect(error.fields.keys.sorted() == ["pageCount", "title"])
    }

    @Test func `The cause of an error about a value does not contain the value`() async throws {
      let integer = try await error { $0.pageCount.value = 99_999_999_999 }
      #expect((integer.cause as? PostgresError)?.sqlState == "22003")
      #expect(!"\(integer) \(String(describing: integer.cause))".contains("99999999999"))
      let number = try await error { $0.weight.value = 1.2345e300 }
      #expect(!"\(number) \(String(describing: number.cause))".contains("1.2345"))
    }

    @Test func `A missing value is invalid`() async throws {
      let error = try await error { $0.title.value = nil }
      #expect(error.code == .invalid)
      #expect(error.fields == ["title": ["is missing"]])
    }

    @Test func `A foreign key to nothing is invalid`() async throws {
      let error = try await error { volume in
        let shelf = Shelf()
        shelf.id.value = UUID()
        volume.shelf.value = shelf
      }
      #expect(error.code == .invalid)
      #expect(error.fields == ["shelf": ["references nothing"]])
    }

    @Test func `A value that a check of its domain or table does not allow is invalid`() async throws {
      let domain = try await error { $0.pageCount.value = -1 }
      #expect(domain.code == .invalid)
      #expect(domain.fields == ["pageCount": ["is not allowed"]])
      let table = try await error("ALTER TABLE volumes ADD CHECK (price > 0);") { $0.price.value = -1 }
      #expect(table.code == .invalid)
      #expect(table.fields == ["price": ["is not allowed"]])
    }

    @Test func `A text that is too long is invalid`() async throws {
      let error = try await error { $0.note.value = "very dusty" }
      #expect(error.code == .invalid)
      #expect(error.fields == ["remarks.note": ["is too long"]])
    }

    @Test func `A number out of the range of its column is invalid`() async throws {
      let integer = try await error { $0.pageCount.value = 5_000_000_000 }
      #expect(integer.code == .invalid)
      #expect(integer.fields == ["pageCount": ["is out of range"]])
      let decimal = try await error { $0.price.value = 123_456_789 }
      #expect(decimal.fields == ["price": ["is out of range"]])
    }

    @Test func `A row that others reference is not deleted`() async throws {
      let options = try await Library.options(
        """
        INSERT INTO shelves VALUES ('0f4e6a52-0000-4000-8000-00000000000a', 'north');
        INSERT INTO volumes (title, shelf_id) SELECT 'Emma', id FROM shelves;
        """, mappings: [TableMapping(Shelf.self, table: "shelves")])
      let engine = try await TestServer.makeStore(options).handle
      let error = await #expect(throws: ModelStoreError.self) {
        try await PostgresModelStore(engine).transaction { store in
          for shelf in try await store.list(Shelf.self) { try await store.delete(shelf) }
        }
      }
      #expect(error?.code == .denied)
      #expect(error?.message.contains("volumes") == true)
    }

    @Test func `A row is not deleted if others reference it when the transaction is committed`() async throws {
      let options = try await Library.options(
        """
        CREATE TABLE loans (shelf uuid REFERENCES shelves DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO shelves VALUES ('0f4e6a52-0000-4000-8000-00000000000a', 'north');
        INSERT INTO loans SELECT id FROM shelves;
        """)
      let store = try await TestServer.makeStore(options)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.deleteAll(Shelf.self) }
      #expect(error?.code == .denied)
      #expect(error?.message.contains("loans") == true)
    }
  }
#endif

#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Writing existing tables` {
    private func makeVolume(_ title: String) -> Volume {
      let volume = Volume()
      volume.title.value = title
      return volume
    }

    private func row(_ columns: String, _ options: PostgresStoreOptions, of table: String = "volumes") async throws
      -> String
    {
      try await Library.run("SELECT \(columns) FROM \(table)", options)
    }

    @Test func `Another store reads each value unchanged`() async throws {
      let options = try await Library.options()
      let store = try await TestServer.makeStore(options)
      let shelf = Shelf()
      shelf.label.value = "north"
      try await store.create(shelf)
      let volume = makeVolume("Em\"ma'; --")
      volume.pageCount.value = 474
      volume.price.value = Decimal(string: "12345678.95")
      volume.weight.value = 0.1
      volume.isLent.value = true
      volume.boughtAt.value = Date(timeIntervalSinceReferenceDate: 2_865_906.789012)
      volume.wroteAt.value = Date(timeIntervalSinceReferenceDate: -2_865_906.5)
      volume.printed.value = Day(1815, 12, 23)
      volume.code.value = UUID()
      volume.cover.value = Data((0...255).map { $0 })
      volume.state.value = .worn
      volume.tags.value = ["a", "c,d", "{\"}", ""]
      volume.visits.value = [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1.5)]
      volume.details.value = ["a": [1, nil, 1.5], "b": "é"]
      volume.note.value = "dusty"
      volume.shelf.value = shelf
      try await store.create(volume)
      let other = try await TestServer.makeStore(options).lookup(Volume.self, identifier: "1")
      #expect(other.shelf.value?.identifier == shelf.identifier)
      #expect(other.note.value == "dusty")
      for (mine, theirs) in zip(volume.fields, other.fields) where !(mine is any RelationField) {
        #expect("\(mine.anyValue ?? "nil")" == "\(theirs.anyValue ?? "nil")", "\(mine.key ?? "")")
      }
      #expect(
        try await row("remarks_note || '|' || secret || '|' || slug || condition", options)
          == "dusty|hidden|em\"ma'; --worn")
    }

    @Test func `Records in one batch that lack values leave those of their rows alone`() async throws {
      let options = try await Library.options("INSERT INTO readers VALUES ('a', 'Ada'), ('b', 'Bob')")
      let store = try await TestServer.makeStore(options)
      try await store.handle.commit(
        RecordBatch([
          .update(Reader.typeName, "a", Array(#"{"code":"a","name":"Eve"}"#.utf8)),
          .update(Reader.typeName, "b", Array(#"{"code":"b"}"#.utf8)),
        ]))
      #expect(try await row("string_agg(name, ',' ORDER BY code)", options, of: "readers") == "Eve,Bob")
    }

    @Test func `A new model has the defaults and the computed values of its row`() async throws {
      final class Draft: Model {
        let id = Field<Int>()
        let title = Field<String>()
        let price = Field<Decimal>()
        let isLent = Field<Bool>()
        let boughtAt = Field<Date>()
        let slug = Field<String>()
        override var identifierField: AnyField? { id }
        override static var typeName: String { "Draft" }
      }
      let options = try await Library.options(mappings: [TableMapping(Draft.self, table: "volumes")])
      let store = try await TestServer.makeStore(options)
      let draft = Draft()
      draft.title.value = "Emma"
      try await store.create(draft)
      #expect(draft.id.value == 1)
      #expect(draft.price.value == Decimal(string: "9.99"))
      #expect(draft.isLent.value == false)
      #expect(draft.boughtAt.value == Date(timeIntervalSince1970: 1_577_927_045.5))
      #expect(draft.slug.value == "emma")
      draft.title.value = "PERSUASION"
      draft.price.value = nil
      try await store.update(draft)
      #expect(draft.slug.value == "persuasion")
      #expect(draft.price.value == nil)
      #expect(!draft.isDirty)
      #expect(try await row("price IS NULL", options) == "t")
    }

    @Test func `A value that its column rounds is read again, so that the next save is no conflict`() async throws {
      let options = try await Library.options()
      let store = try await TestServer.makeStore(options)
      let volume = makeVolume("Emma")
      volume.price.value = Decimal(string: "1.999")
      volume.boughtAt.value = Date(timeIntervalSinceReferenceDate: 0.1234567891)
      try await store.create(volume)
      #expect(volume.price.value == 2)
      #expect(volume.boughtAt.value == Date(timeIntervalSinceReferenceDate: 0.123457))
      volume.boughtAt.value = Date(timeIntervalSinceReferenceDate: 0.5)
      try await store.save(volume, onConflict: .fail)
    }

    @Test func `Models of a transaction have the defaults of their rows at its end`() async throws {
      let options = try await Library.options()
      let store = try await TestServer.makeStore(options)
      let volume = makeVolume("Emma")
      try await store.transaction { store in
        try await store.create(volume)
        volume.pageCount.value = 3
        try await store.update(volume)
        #expect(try await row("count(*)", options) == "0")
      }
      #expect(volume.price.value == Decimal(string: "9.99"))
      #expect(volume.pageCount.value == 3)
    }

    @Test func `A new identifier is found without a temporary file on the server`() async throws {
      let options = try await Library.options()
      let server = try await TestServer.shared.value
      let store = PostgresModelStore(server.location + "?options=-c%20log_temp_files%3D0", options: options)
      try await store.create(makeVolume("Emma"))
      let log = try String(contentsOf: server.folder.appending(path: "server.log"), encoding: .utf8)
      // Only the connections of this test log them.
      #expect(!log.contains("temporary file"))
    }

    @Test func `Models that are created together get integers that no row has`() async throws {
      let options = try await Library.options(
        "INSERT INTO volumes (id, title) OVERRIDING SYSTEM VALUE VALUES (2, 'taken'), (3, 'taken');")
      let store = try await TestServer.makeStore(options)
      let volumes = ["a", "b", "c"].map(makeVolume)
      volumes[1].isLent.value = true
      try await store.createAll(volumes)
      #expect(volumes.map(\.id.value) == [1, 4, 5])
      #expect(try await row("string_agg(title, ',' ORDER BY id)", options) == "a,taken,taken,b,c")
    }

    @Test func `An identifier that is taken is a conflict, and nothing is written`() async throws {
      let options = try await Library.options("INSERT INTO readers VALUES ('a', 'Ada');")
      let store = try await TestServer.makeStore(options)
      let readers = ["b", "a"].map { code in
        let reader = Reader()
        reader.code.value = code
        return reader
      }
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.createAll(readers) }
      #expect(error?.code == .conflict)
      #expect(error?.identifier == "a")
      #expect(try await row("count(*)", options, of: "readers") == "1")
    }

    @Test func `A row that another program changed is merged field by field, or reported`() async throws {
      let options = try await Library.options("INSERT INTO volumes (title, page_count) VALUES ('Emma', 1);")
      let store = try await TestServer.makeStore(options)
      let volume = try await store.lookup(Volume.self, identifier: "1")
      try await Library.run("UPDATE volumes SET page_count = 2", options)
      volume.title.value = "Emma, or"
      try await store.update(volume)
      #expect(try await row("title || page_count", options) == "Emma, or2")
      try await Library.run("UPDATE volumes SET page_count = 3", options)
      volume.pageCount.value = 9
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.update(volume) }
      #expect(error?.code == .conflict)
      #expect(error?.conflicts.map(\.key) == ["pageCount"])
      #expect(try await row("page_count", options) == "3")
    }

    @Test func `A transaction fails if another program changed a row that it writes`() async throws {
      let options = try await Library.options("INSERT INTO volumes (title, page_count) VALUES ('Emma', 1);")
      let store = try await TestServer.makeStore(options)
      let error = await #expect(throws: ModelStoreError.self) {
        try await store.transaction { store in
          let volume = try await store.lookup(Volume.self, identifier: "1")
          volume.pageCount.value = 5
          try await store.update(volume)
          try await Library.run("UPDATE volumes SET page_count = 2", options)
        }
      }
      #expect(error?.code == .conflict)
      #expect(try await row("page_count", options) == "2")
    }

    @Test func `Writers that overlap lose no update of a row`() async throws {
      let options = try await Library.options("INSERT INTO volumes (title, page_count) VALUES ('Emma', 1);")
      let committed = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<6 {
          group.addTask {
            let store = try await TestServer.makeStore(options)
            let volume = try await store.lookup(Volume.self, identifier: "1")
            var committed = 0
            for _ in 0..<10 {
              try await store.refresh(volume)
              volume.pageCount.value = (volume.pageCount.value ?? 0) + 1
              do {
                try await store.update(volume)
                committed += 1
              } catch let error as ModelStoreError where error.code == .conflict {
                volume.revert()
              }
            }
            return committed
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(try await row("page_count", options) == "\(1 + committed)")
      #expect(committed >= 10)
    }

    @Test func `Only columns that changed are written`() async throws {
      let options = try await Library.options(
        """
        INSERT INTO volumes (title) VALUES ('Emma');
        CREATE FUNCTION deny() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'title was written'; END $$;
        CREATE TRIGGER deny BEFORE UPDATE OF title ON volumes FOR EACH ROW EXECUTE FUNCTION deny();
        """)
      let store = try await TestServer.makeStore(options)
      let volume = try await store.lookup(Volume.self, identifier: "1")
      volume.pageCount.value = 5
      try await store.update(volume)
      #expect(try await row("page_count", options) == "5")
    }

    @Test func `A deleted model has no row, and links to it are cut first`() async throws {
      let options = try await Library.options()
      let store = try await TestServer.makeStore(options)
      let (shelf, volume) = (Shelf(), makeVolume("Emma"))
      try await store.create(shelf)
      volume.shelf.value = shelf
      try await store.create(volume)
      try await store.delete(shelf)
      #expect(try await row("count(*)", options, of: "shelves") == "0")
      #expect(try await row("shelf_id IS NULL", options) == "t")
      try await store.delete(volume)
      #expect(try await row("count(*)", options) == "0")
    }

    @Test func `A transaction can create, replace and delete rows that reference each other`() async throws {
      let options = try await Library.options()
      let store = try await TestServer.makeStore(options)
      let (shelf, volume) = (Shelf(), makeVolume("Emma"))
      shelf.label.value = "north"
      try await store.transaction { store in
        try await store.create(volume)
        try await store.create(shelf)
        volume.shelf.value = shelf
        try await store.update(volume)
      }
      #expect(try await row("count(shelf_id)", options) == "1")
      let other = Shelf()
      other.label.value = "north"
      try await store.transaction { store in
        try await store.delete(volume)
        try await store.delete(shelf)
        try await store.create(other)
      }
      #expect(try await row("id::text", options, of: "shelves") == other.identifier?.lowercased())
    }

    @Test func `A live query receives the row with its defaults`() async throws {
      let options = try await Library.options()
      let store = try await TestServer.makeStore(options)
      var results = store.observe(Volume.self).makeAsyncIterator()
      #expect(await results.next()?.models.isEmpty == true)
      let writer = try await TestServer.makeStore(options)
      try await writer.create(makeVolume("Emma"))
      let models = await results.next()?.models
      #expect(models?.map(\.price.value) == [Decimal(string: "9.99")])
    }

    @Test func `A text that PostgreSQL can't keep is an error about its field`() async throws {
      let store = try await TestServer.makeStore(try await Library.options())
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(makeVolume("a\u{0}b")) }
      #expect(error?.code == .invalid)
      #expect(error?.fields.keys.first == "title")
    }

    @Test func `A table without a default for identifiers needs models with identifiers`() async throws {
      let options = try await Library.options(
        "CREATE TABLE n (id int PRIMARY KEY, text text, count int);", mappings: [TableMapping(Note.self, table: "n")])
      let store = try await TestServer.makeStore(options)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(Note()) }
      #expect(error?.code == .noIdentifier)
      #expect(error?.message.contains("Give the model one") == true)
    }
  }
#endif

#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreEngine
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Columns of a PostgreSQL store` {
    private func psql(_ sql: String, _ options: PostgresStoreOptions) async throws -> String {
      try await TestServer.shared.value.psql("SET search_path = \(options.schema); \(sql)")
    }

    /// Creates essays, each with its number, and every tenth by the second author.
    private func fill(_ store: PostgresModelStore, _ count: Int) async throws {
      let authors = try await ["Ada", "Eve"].asyncMap { name in
        let author = Author()
        author.name.value = name
        return try await store.create(author)
      }
      try await store.transaction { store in
        for number in 1...count {
          let essay = Essay()
          essay.title.value = "essay \(number)"
          essay.pages.value = number
          essay.author.value = authors[number % 10 == 0 ? 1 : 0]
          try await store.create(essay)
        }
      }
    }

    /// Returns the plan of the server for a query.
    private func plan(
      _ store: PostgresModelStore, _ query: ModelQuery<Essay>, _ values: String, _ options: PostgresStoreOptions
    ) async throws -> String {
      let statement = try #require(try await store.explain(query).statement)
      return try await psql(
        "ANALYZE essay; PREPARE q AS \(statement); EXPLAIN EXECUTE q(\(values))", options)
    }

    @Test func `Foreign keys and indexed fields have legible columns with the values of each record`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.prepare([Author.self, Essay.self])
      try await store.index(\Essay.pages)
      try await store.index(\Essay.finished)
      try await fill(store, 2)
      let essay = try #require(try await store.first(Essay.self, where: { $0.pages == 2 }))
      essay.pages.value = 20
      essay.finished.value = Date(timeIntervalSinceReferenceDate: 0.5)
      try await store.update(essay)
      let rows = try await psql("SELECT id, author_id, pages, finished FROM essay ORDER BY seq", options)
      #expect(try await psql("SELECT count(*) FROM essay WHERE is_irregular", options) == "0")
      #expect(try await store.count(Essay.self, where: { $0.finished >= essay.finished.value }) == 1)
      #expect(rows == "1|1|1|\n2|1|20|2001-01-01T00:00:00.5")
      essay.author.value = nil
      try await store.update(essay)
      #expect(try await psql("SELECT count(author_id) FROM essay", options) == "1")
    }

    @Test func `A lookup by an indexed field or a foreign key uses the index of its column`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.prepare([Author.self, Essay.self])
      try await store.index(\Essay.pages)
      try await store.index(\Essay.title)
      try await fill(store, 3_000)
      let byPages = try await plan(store, ModelQuery(Essay.self, where: { $0.pages == 7 }), "'7'", options)
      #expect(byPages.contains("essay_pages_idx"), "\(byPages)")
      let byTitle = try await plan(
        store, ModelQuery(Essay.self, where: { $0.title < "essay 1001" }), "'essay 1001'", options)
      #expect(byTitle.contains("essay_title_idx"), "\(byTitle)")
      let author = try #require(try await store.first(Author.self, where: { $0.name == "Eve" }))
      let byAuthor = try await plan(store, ModelQuery(Essay.self, where: { $0.author == author }), "'2'", options)
      #expect(byAuthor.contains("essay_author_id_idx"), "\(byAuthor)")
      #expect(try await store.count(Essay.self, where: { $0.author == author }) == 300)
      #expect(try await store.list(Essay.self, where: { $0.title < "essay 1001" }).count == 4)
    }

    @Test func `An existing table gets columns while another process that does not know them writes`() async throws {
      let options = TestServer.options()
      let old = try await TestServer.makeStore(options)
      try await fill(old, 2_500)
      let new = try await TestServer.makeStore(options)
      try await new.prepare([Author.self, Essay.self])
      try await new.index(\Essay.pages)
      let essay = try #require(try await old.first(Essay.self, where: { $0.title == "essay 1" }))
      essay.pages.value = 5_000
      try await old.update(essay)
      let more = Essay()
      more.pages.value = 6_000
      try await old.create(more)
      let differences = "SELECT count(*) FROM essay WHERE pages::text IS DISTINCT FROM body ->> 'pages'"
      #expect(try await psql(differences, options) == "0")
      #expect(try await psql("SELECT count(*) FROM essay WHERE author_id IS NULL", options) == "1")
      #expect(try await new.list(Essay.self, where: { $0.pages > 2_499 }).count == 3)
    }

    @Test func `A schema of the store without columns is completed by prepare`() async throws {
      var options = TestServer.options()
      let old = try await TestServer.makeStore(options)
      try await fill(old, 3)
      _ = try await psql("DROP TABLE modelkit_columns", options)
      options.createsTables = false
      let store = try await TestServer.makeStore(options)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.count(Essay.self) }
      #expect(error?.code == .notFound)
      try await store.prepare([Essay.self])
      #expect(try await psql("SELECT count(author_id) FROM essay", options) == "3")
      #expect(try await store.count(Essay.self) == 3)
    }

    @Test func `A record that its column can't hold is found all the same`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.index(\Essay.pages)
      try await store.index(\Essay.title)
      try await fill(store, 3)
      let zero = Essay()
      zero.title.value = "a\0b"
      zero.pages.value = 9
      try await store.create(zero)
      #expect(try await store.list(Essay.self, where: { $0.pages == 9 }).map(\.title.value) == ["a\0b"])
      #expect(try await store.count(Essay.self, where: { $0.title == "a\0b" }) == 1)
      #expect(try await store.count(Essay.self, where: { $0.pages < 9 }) == 3)
      try await store.delete(zero)
      let large = Array(#"{"id":"90","pages":1e70}"#.utf8)
      try await store.handle.commit(RecordBatch([.create(Essay.typeName, "90", large)]))
      #expect(try await psql("SELECT count(*) FROM essay WHERE is_irregular", options) == "0")
      let text = Array(#"{"id":"91","pages":"many"}"#.utf8)
      try await store.handle.commit(RecordBatch([.create(Essay.typeName, "91", text)]))
      #expect(try await psql("SELECT id FROM essay WHERE is_irregular", options) == "91")
    }

    @Test func `A second value of a unique index is a conflict at its field`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.index(\Author.name, unique: true)
      try await fill(store, 1)
      let author = Author()
      author.name.value = "Ada"
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(author) }
      #expect(error?.code == .conflict)
      #expect(error?.fields == ["name": ["is taken"]])
      try await store.index(\Essay.title)
      let twins = [Essay(), Essay()]
      for twin in twins {
        twin.title.value = "same"
        try await store.create(twin)
      }
      let duplicates = await #expect(throws: ModelStoreError.self) { try await store.index(\Essay.title, unique: true) }
      #expect(duplicates?.code == .conflict)
      let third = Essay()
      third.title.value = "same"
      try await store.create(third)
    }

    @Test func `A dry run returns the statements and changes nothing`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      let planned = try await store.prepare([Author.self, Essay.self], dryRun: true)
      #expect(planned.contains { $0.contains("CREATE TABLE IF NOT EXISTS \"\(options.schema)\".\"essay\"") })
      #expect(planned.contains { $0.hasSuffix("ADD COLUMN \"author_id\" numeric") })
      let exists = "SELECT count(*) FROM pg_namespace WHERE nspname = '\(options.schema)'"
      #expect(try await TestServer.shared.value.psql(exists) == "0")
      #expect(try await store.prepare([Author.self, Essay.self]) == planned)
      #expect(try await store.prepare([Author.self, Essay.self], dryRun: true) == [])
      // The planned statements are all that another program needs.
      let other = TestServer.options()
      let statements = try await TestServer.makeStore(other).prepare([Author.self, Essay.self], dryRun: true)
      try await TestServer.shared.value.psql(statements.joined(separator: ";\n"))
      #expect(try await TestServer.makeStore(other).prepare([Author.self, Essay.self], dryRun: true) == [])
    }

    @Test func `A field that is declared with another type gets another column`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.index(\Essay.pages)
      try await fill(store, 2)
      let retyped = try await TestServer.makeStore(options)
      try await retyped.index(\TextEssay.pages)
      #expect(try await psql("SELECT pg_typeof(pages) FROM essay LIMIT 1", options) == "text")
      #expect(try await psql("SELECT string_agg(pages, ',' ORDER BY seq) FROM essay", options) == "1,2")
      // A process that knows the previous column goes on.
      #expect(try await store.list(Essay.self, where: { $0.pages == 2 }).count == 1)
      let essay = Essay()
      essay.pages.value = 3
      try await store.create(essay)
      #expect(try await psql("SELECT string_agg(pages, ',' ORDER BY seq) FROM essay", options) == "1,2,3")
    }
  }

  private final class Author: Model {
    let id = Field<Int>()
    let name = Field<String>()
    override var identifierField: AnyField? { id }
  }

  private final class Essay: Model {
    let id = Field<Int>()
    let title = Field<String>()
    let pages = Field<Int>()
    let finished = Field<Date>()
    let author = ModelField<Author>(foreignKey: true)
    override var identifierField: AnyField? { id }
  }

  /// The same type with another declaration of a field.
  private final class TextEssay: Model {
    let id = Field<Int>()
    let pages = Field<String>()
    override class var typeName: String { Essay.typeName }
    override var identifierField: AnyField? { id }
  }

  extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
      var results: [Result] = []
      for element in self { results.append(try await transform(element)) }
      return results
    }
  }
#endif

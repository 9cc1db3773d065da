#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `An import into a PostgreSQL store` {
    private func notes(_ range: Range<Int>) -> [Note] {
      range.map { number in
        let note = Note()
        note.id.value = number
        note.text.value = "\(number) \"\\ \n\t \u{0} \u{1F600}"
        note.count.value = number
        return note
      }
    }

    /// A store whose statements the server logs.
    private func makeStore(_ options: PostgresStoreOptions) async throws -> PostgresModelStore {
      let location = try await TestServer.shared.value.location + "?options=-c%20log_statement%3Dall"
      return PostgresModelStore(location, options: options)
    }

    private func copies(_ options: PostgresStoreOptions) async throws -> Int {
      let log = try await TestServer.shared.value.folder.appending(path: "server.log")
      return try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        .count { $0.contains("statement: COPY \"\(options.schema)\"") }
    }

    @Test func `Many new records are added with COPY, in their order`() async throws {
      let options = TestServer.options()
      let store = try await makeStore(options)
      try await store.createAll(notes(0..<1_000))
      #expect(try await copies(options) == 1)
      let other = try await makeStore(options)
      let found = try await other.list(Note.self)
      #expect(found.map(\.count.value) == Array(0..<1_000))
      #expect(found.map(\.text.value) == notes(0..<1_000).map(\.text.value))
      // Further calls use the same connection.
      try await store.createAll(notes(1_000..<1_300))
      #expect(try await store.count(Note.self) == 1_300)
      #expect(try await copies(options) == 2)
    }

    @Test func `An identifier that exists is named, and nothing of the import is written`() async throws {
      let options = TestServer.options()
      let store = try await makeStore(options)
      try await store.createAll(notes(700..<701))
      let error = await #expect(throws: ModelStoreError.self) {
        try await makeStore(options).createAll(notes(0..<1_000))
      }
      #expect(error?.code == .conflict)
      #expect(error?.identifier == "700")
      #expect(try await store.count(Note.self) == 1)
      #expect(try await copies(options) == 1)
      try await store.createAll(notes(0..<600))
      #expect(try await store.count(Note.self) == 601)
    }

    @Test func `Columns with indexes have the values of imported records`() async throws {
      let options = TestServer.options()
      let store = try await makeStore(options)
      try await store.index(\Note.count)
      try await store.createAll(notes(0..<1_000))
      #expect(try await store.count(Note.self, where: { $0.count >= 990 }) == 10)
      #expect(try await copies(options) == 0)
    }

    @Test func `An observer in another process receives each imported record once`() async throws {
      let options = TestServer.options()
      let reader = try await TestServer.makeStore(options)
      #expect(try await reader.count(Note.self) == 0)
      var changes = reader.changes(of: Note.self).makeAsyncIterator()
      let writer = try await TestServer.makeStore(options)
      try await writer.createAll(notes(0..<1_000))
      var received: [String] = []
      while received.count < 1_000, let batch = await changes.next() {
        #expect(!batch.hasGap)
        received += batch.map(\.identifier)
      }
      #expect(received == (0..<1_000).map { "\($0)" })
    }
  }
#endif

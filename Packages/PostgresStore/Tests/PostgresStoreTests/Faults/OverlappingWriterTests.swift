#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreEngine
  import StoreProtocol
  import Testing

  @Suite struct `Overlapping writers of a PostgreSQL store` {
    /// A write as observers receive it.
    private struct Write: Hashable {
      let kind: RecordChange.Kind
      let identifier: String
    }

    @Test(.timeLimit(.minutes(5)))
    func `An observer receives each write of 64 overlapping writers once`() async throws {
      let server = try await TestServer()
      var options = TestServer.options()
      options.pollInterval = .milliseconds(1)
      let reader = PostgresModelStore(server.location, options: options)
      try await reader.prepare([Entry.self])
      // Transactions end in another order than that of their numbers, and of the positions of their changes.
      try server.psql(
        """
        CREATE FUNCTION \(options.schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_sleep(random() * 0.05); RETURN NULL; END $$;
        CREATE TRIGGER wait AFTER INSERT ON \(options.schema).modelkit_changes
          FOR EACH STATEMENT EXECUTE FUNCTION \(options.schema).wait();
        """)
      // The store reads the log from here on.
      #expect(try await reader.count(Entry.self) == 0)
      var changes = reader.changes(of: Entry.self).makeAsyncIterator()
      async let writes = write(server.location, options)
      var received: [Write] = []
      while let batch = await changes.next() {
        #expect(!batch.hasGap)
        received += batch.map { Write(kind: $0.kind, identifier: $0.identifier) }
        // It was created after all other writes.
        if batch.contains(where: { $0.identifier == "last" }) { break }
      }
      let written = try await writes
      #expect(Set(received).count == received.count)
      #expect(Set(received) == Set(written).union([Write(kind: .created, identifier: "last")]))
      #expect(received.count == 64 * 12 + 1)
      // The writers overlapped: their changes did not become visible in the order of their positions.
      let positions = try server.psql(
        "SELECT kind || ' ' || unnest(ids) FROM \(options.schema).modelkit_changes ORDER BY position"
      ).split(separator: "\n")
      #expect(positions.map { String($0) } != received.map { "\($0.kind.rawValue) \($0.identifier)" })
    }

    /// Creates, updates and deletes notes in 64 tasks at the same time, and creates a last one after all of them.
    private func write(_ location: String, _ options: PostgresStoreOptions) async throws -> [Write] {
      var options = options
      options.poolSize = 64
      let handle = PostgresModelStore(location, options: options).handle
      let writes = try await withThrowingTaskGroup(of: [Write].self) { group in
        for writer in 0..<64 {
          group.addTask {
            let store = PostgresModelStore(handle)
            var writes: [Write] = []
            for number in 0..<4 {
              let note = Entry()
              note.id.value = "\(writer)-\(number)"
              try await store.create(note)
              note.text.value = "later"
              try await store.update(note)
              try await store.delete(note)
              writes += [.created, .updated, .deleted].map { Write(kind: $0, identifier: "\(writer)-\(number)") }
            }
            return writes
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let last = Entry()
      last.id.value = "last"
      try await PostgresModelStore(handle).create(last)
      return writes
    }
  }

  private final class Entry: Model {
    let id = Field<String>()
    let text = Field<String>()
    override var identifierField: AnyField? { id }
  }
#endif

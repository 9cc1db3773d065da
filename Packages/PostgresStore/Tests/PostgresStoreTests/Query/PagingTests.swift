#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Pages of a PostgreSQL store` {
    /// A store with notes, some of which have no text or the same one.
    private func makeStore(_ options: PostgresStoreOptions) async throws -> PostgresModelStore {
      let location = try await TestServer.shared.value.location + "?options=-c%20log_statement%3Dall"
      let store = PostgresModelStore(location, options: options)
      let notes = (0..<20).map { number in
        let note = Note()
        note.text.value = number % 3 == 0 ? nil : "\(number % 5)"
        note.count.value = number % 4 == 0 ? nil : number / 4
        return note
      }
      try await store.createAll(notes)
      return store
    }

    @Test(arguments: [false, true], [QueryOrder.Nils.first, .last])
    func `Sorted pages follow each other, and transfer no other records`(
      isDescending: Bool, nils: QueryOrder.Nils
    ) async throws {
      let options = TestServer.options()
      let store = try await makeStore(options)
      var query = ModelQuery(Note.self, limit: 3)
      query.sort = try [("text", isDescending), ("count", !isDescending)].map { field, isDescending in
        ModelSort(
          try QueryOrder(json: [
            "field": .string(field), "descending": .bool(isDescending), "nils": .string(nils.rawValue),
          ]))
      }
      var whole = query
      whole.limit = nil
      let expected = try await store.list(whole).map(\.identifier)
      var (found, mark, pages) = ([String?](), ModelPageMark?.none, 0)
      repeat {
        let page = try await store.page(query, after: mark)
        found += page.models.map(\.identifier)
        (mark, pages) = (page.next, pages + 1)
      } while mark != nil
      #expect(found == expected)
      let log = try String(
        contentsOf: try await TestServer.shared.value.folder.appending(path: "server.log"), encoding: .utf8)
      let bounded = log.split(separator: "\n").filter {
        $0.contains("FROM \"\(options.schema)\".\"note\"") && $0.contains(" ORDER BY ") && $0.contains(" LIMIT ")
      }
      #expect(bounded.count == pages)
    }

    @Test func `The records before an offset are not transferred`() async throws {
      let store = try await makeStore(TestServer.options())
      let sort = [ModelSort<Note>(try QueryOrder(json: ["field": "count"]))]
      let query = ModelQuery(Note.self, sort: sort, limit: 2, offset: 7)
      #expect(try await store.explain(query).readCount == 2)
      let all = try await store.list(ModelQuery(Note.self, sort: sort))
      #expect(try await store.list(query).map(\.identifier) == all[7..<9].map(\.identifier))
    }
  }
#endif

#if Postgres
  import Foundation
  import PostgresStore
  import StoreProtocolTesting
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Related models in a PostgreSQL store` {
    /// Returns the statements that the server has run so far for stores with a schema, and that read a table.
    private func statements(reading table: String, _ options: PostgresStoreOptions) async throws -> [Substring] {
      let log = try await TestServer.shared.value.folder.appending(path: "server.log")
      return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").filter {
        $0.contains("SELECT") && $0.contains("FROM \"\(options.schema)\".\"\(table)\"")
      }
    }

    /// A store whose statements the server logs.
    private func makeStore(_ options: PostgresStoreOptions) async throws -> PostgresModelStore {
      let location = try await TestServer.shared.value.location + "?options=-c%20log_statement%3Dall"
      return PostgresModelStore(location, options: options)
    }

    @Test func `A list reads the models of a foreign key with one statement`() async throws {
      let options = TestServer.options()
      let first = try await makeStore(options)
      for number in 0..<20 {
        let company = ContractCompany()
        (company.id.value, company.name.value) = ("c\(number)", "Company \(number)")
        try await first.create(company)
        let person = ContractPerson()
        person.name.value = "\(number)"
        person.company.value = company
        try await first.create(person)
      }
      let store = try await makeStore(options)
      try await store.prepare([ContractPerson.self, ContractCompany.self])
      let before = try await statements(reading: "contract_company", options).count
      let people = try await store.list(ContractPerson.self, including: [\.company])
      #expect(people.map { $0.company.value?.name.value } == (0..<20).map { "Company \($0)" })
      let new = try await statements(reading: "contract_company", options).dropFirst(before)
      #expect(new.count == 1, "\(new.joined(separator: "\n"))")
    }

    @Test func `Rows with UUIDs of an existing table are read with one statement`() async throws {
      let options = try await Library.options(
        """
        INSERT INTO shelves (label) SELECT 'shelf ' || n FROM generate_series(1, 9) AS n;
        INSERT INTO volumes (title, shelf_id) SELECT label, id FROM shelves;
        """)
      let store = try await makeStore(options)
      let volumes = try await store.list(Volume.self, including: [\.shelf])
      #expect(volumes.count == 9)
      #expect(volumes.allSatisfy { $0.shelf.value?.label.value == $0.title.value })
      let statements = try await statements(reading: "shelves", options)
      #expect(statements.count == 1, "\(statements.joined(separator: "\n"))")
    }
  }
#endif

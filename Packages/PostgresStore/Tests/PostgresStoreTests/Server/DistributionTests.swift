#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreEngine
  import StoreProtocol
  import StoreProtocolTesting
  import Testing

  /// A server whose tables have their rows on two others. The hash of the identifier determines the partition of a row,
  /// and each partition is a foreign table.
  private struct Cluster: Sendable {
    let coordinator: TestServer
    let workers: [TestServer]

    static let shared = Task { try await Cluster() }

    private init() async throws {
      coordinator = try await TestServer()
      workers = [try await TestServer(), try await TestServer()]
      try coordinator.psql("CREATE EXTENSION postgres_fdw")
      for (number, worker) in workers.enumerated() {
        try coordinator.psql(
          """
          CREATE SERVER worker\(number) FOREIGN DATA WRAPPER postgres_fdw \
          OPTIONS (host '127.0.0.1', port '\(worker.port)', dbname 'postgres');
          CREATE USER MAPPING FOR \(coordinator.user) SERVER worker\(number) OPTIONS (user '\(worker.user)');
          """)
      }
    }

    /// Creates the tables of types on all servers, from the statements of a dry run.
    func makeStore(_ types: [any Model.Type], _ options: PostgresStoreOptions) async throws -> PostgresModelStore {
      let store = PostgresModelStore(coordinator.location, options: options)
      let statements = try await store.prepare(types, dryRun: true)
      let schema = "\"\(options.schema)\""
      let names = statements.compactMap { statement in
        statement.firstMatch(of: #/^CREATE TABLE IF NOT EXISTS "[^"]+"\."([^"]+)"/#).map { String($0.1) }
      }
      // The servers of the rows have their tables only.
      let isOfRows = { (statement: String) in statement.contains(#/ (ON|TABLE|TABLE IF NOT EXISTS) "[^"]+"\."/#) }
      for worker in workers {
        try worker.psql(
          (["CREATE SCHEMA \(schema)"] + statements.filter(isOfRows)).map { $0 + ";" }.joined(separator: "\n"))
      }
      try coordinator.psql(
        statements.map { statement in
          guard statement.hasPrefix("CREATE "), isOfRows(statement) else { return statement + ";" }
          if statement.hasPrefix("CREATE TABLE") {
            return statement.replacing("PRIMARY KEY", with: "NOT NULL") + " PARTITION BY HASH (id);"
          }
          return statement.replacing("CREATE UNIQUE INDEX", with: "CREATE INDEX") + ";"
        }.joined(separator: "\n"))
      try coordinator.psql(
        names.flatMap { name in
          workers.indices.map { number in
            """
            CREATE FOREIGN TABLE \(schema)."\(name)_\(number)" PARTITION OF \(schema)."\(name)" \
            FOR VALUES WITH (MODULUS \(workers.count), REMAINDER \(number)) SERVER worker\(number) \
            OPTIONS (schema_name '\(options.schema)', table_name '\(name)');
            """
          }
        }.joined(separator: "\n"))
      return store
    }
  }

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `A PostgreSQL store with rows on several servers` {
    private static func makeStore() async throws -> PostgresModelStore {
      try await Cluster.shared.value.makeStore(
        [
          ContractPerson.self, ContractCompany.self, ContractTeam.self, ContractMember.self, ContractDebt.self,
          ContractTicket.self, ContractAuthor.self, ContractBook.self, ContractAlbum.self, ContractKeeper.self,
          ContractAnimal.self, ContractCourse.self, ContractStudent.self,
        ], TestServer.options())
    }

    /// A part of the checks, because each creates tables on three servers; all with more than the usual effort.
    private static let checks = ModelStoreContract.checks.enumerated()
      .filter { TestEffort.factor > 1 || UInt64($0.offset) % 8 == TestEffort.firstSeed % 8 }.map(\.element)

    @Test(arguments: checks)
    func `A PostgreSQL store with rows on several servers keeps the contract`(check: ModelStoreContract.Check)
      async throws
    {
      try await check.run { try await Self.makeStore() }
    }

    private static let sharedEngineChecks = ModelStoreContract.sharedEngineChecks.enumerated()
      .filter { TestEffort.factor > 1 || UInt64($0.offset) % 8 == TestEffort.firstSeed % 8 }.map(\.element)

    @Test(arguments: sharedEngineChecks)
    func `A PostgreSQL store with rows on several servers keeps the promises about several store instances`(
      check: ModelStoreContract.SharedEngineCheck
    ) async throws {
      let engine = try await Self.makeStore().handle
      try await check.run { PostgresModelStore(engine) }
    }

    @Test(arguments: TestEffort.seeds(1))
    func `A PostgreSQL store with rows on several servers loses no increment unless a conflict is reported`(
      seed: UInt64
    ) async throws {
      let engine = try await Self.makeStore().handle
      try await ModelStoreContract.randomEdits(20, seed: seed).run { PostgresModelStore(engine) }
    }

    @Test func `Rows are distributed by their identifiers, each of which exists once`() async throws {
      let cluster = try await Cluster.shared.value
      let options = TestServer.options()
      let store = try await cluster.makeStore([ContractCompany.self], options)
      for number in 0..<100 {
        let company = ContractCompany()
        company.id.value = "company \(number)"
        try await store.create(company)
      }
      let counts = try cluster.workers.map { worker in
        try #require(Int(try worker.psql("SELECT count(*) FROM \(options.schema).contract_company")))
      }
      #expect(counts.reduce(0, +) == 100 && counts.allSatisfy { $0 > 10 })
      let twin = ContractCompany()
      twin.id.value = "company 7"
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await PostgresModelStore(store.handle).create(twin)
      }
      #expect(error?.code == .conflict)
      #expect(try await store.count(ContractCompany.self) == 100)
    }
  }
#endif

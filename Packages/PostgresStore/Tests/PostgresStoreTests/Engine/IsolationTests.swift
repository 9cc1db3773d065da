#if Postgres
  import Foundation
  import ModelCore
  @testable import PostgresStore
  import StoreEngine
  import StoreProtocol
  import StoreProtocolTesting
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `The isolation of a PostgreSQL store` {
    // Each engine stands for a process.
    @Test(arguments: TestEffort.seeds(1))
    func `Transactions of several processes are serializable`(seed: UInt64) async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.prepare([Account.self, Seat.self])
      try await createAccounts(in: store)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for process in 0..<4 {
          let handle = try await TestServer.makeStore(options).handle
          for task in 0..<2 {
            var random = TestRandom(seed: seed &* 100 &+ UInt64(process * 2 + task))
            let choices = (0..<12).map { _ in random.below(2) }
            group.addTask {
              let store = PostgresModelStore(handle)
              for choice in choices {
                try await withdraw(30, from: choice, in: store, retries: 200)
                try await takeSeat(store)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let balances = try await TestServer.makeStore(options).list(Account.self).map { $0.balance.value ?? 0 }
      #expect(balances.reduce(0, +) == 20)
      #expect(try await TestServer.makeStore(options).count(Seat.self) == 10)
    }

    /// The outcomes of two transactions of different processes that read both accounts at the same time.
    private struct Outcome: Equatable {
      var commitCount = 0
      var conflictCount = 0
      var balance = 0
    }

    /// Withdraws 150 in each of two transactions that read both accounts, which have 100 each.
    ///
    /// - Parameter numbers: the account that each transaction writes.
    private func withdrawTwice(from numbers: [Int], _ isolation: PostgresStoreOptions.Isolation) async throws -> Outcome
    {
      var options = TestServer.options()
      options.isolation = isolation
      let (server, schema) = (try await TestServer.shared.value, options.schema)
      let store = PostgresModelStore(server.location, options: options)
      try await store.prepare([Account.self])
      try await createAccounts(in: store)
      // Each update waits for a lock that the test has, so both transactions have read before one commits.
      let key = Int64.random(in: 1...Int64.max)
      try server.psql(
        """
        CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(\(key)); RETURN NEW; END $$; \
        CREATE TRIGGER wait BEFORE UPDATE ON \(schema).account FOR EACH ROW EXECUTE FUNCTION \(schema).wait();
        """)
      let lock = try await PostgresConnection.open(try PostgresLocation(server.location))
      _ = try await lock.run([PostgresStatement("SELECT pg_advisory_lock($1)", [.integer(key)])])
      var outcome = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in numbers {
          let handle = PostgresModelStore(server.location + "?application_name=\(schema)", options: options).handle
          group.addTask {
            do {
              try await withdraw(150, from: number, in: PostgresModelStore(handle))
              return true
            } catch let error as ModelStoreError where error.code == .conflict {
              return false
            }
          }
        }
        let waiting =
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)' AND wait_event_type = 'Lock'"
        try await yielding { try server.psql(waiting) == "2" }
        _ = try await lock.run([PostgresStatement("SELECT pg_advisory_unlock($1)", [.integer(key)])])
        return try await group.reduce(into: Outcome()) { outcome, isCommitted in
          if isCommitted { outcome.commitCount += 1 } else { outcome.conflictCount += 1 }
        }
      }
      let accounts = try await PostgresModelStore(server.location, options: options).list(Account.self)
      outcome.balance = accounts.reduce(0) { $0 + ($1.balance.value ?? 0) }
      return outcome
    }

    private static func makeStore(_ isolation: PostgresStoreOptions.Isolation) async throws -> PostgresModelStore {
      var options = TestServer.options()
      options.isolation = isolation
      return try await TestServer.makeStore(options)
    }

    /// Every eighth of some checks; all with more than the usual effort.
    private static func part<Check>(of checks: [Check]) -> [Check] {
      checks.enumerated()
        .filter { TestEffort.factor > 1 || UInt64($0.offset) % 8 == TestEffort.firstSeed % 8 }.map(\.element)
    }

    @Test(arguments: part(of: ModelStoreContract.checks))
    func `A PostgreSQL store keeps the contract at repeatable read`(check: ModelStoreContract.Check) async throws {
      try await check.run { try await Self.makeStore(.repeatableRead) }
    }

    // Another transaction can reference a record that is deleted meanwhile, as the option describes.
    @Test(
      arguments: part(of: ModelStoreContract.sharedEngineChecks).filter {
        $0.name != "a deletion beside a transaction that adds a reference leaves no broken link"
      })
    func `A PostgreSQL store keeps the promises about several store instances at repeatable read`(
      check: ModelStoreContract.SharedEngineCheck
    ) async throws {
      let engine = try await Self.makeStore(.repeatableRead).handle
      try await check.run { PostgresModelStore(engine) }
    }

    @Test(arguments: TestEffort.seeds(1))
    func `A PostgreSQL store at repeatable read loses no increment unless a conflict is reported`(seed: UInt64)
      async throws
    {
      let engine = try await Self.makeStore(.repeatableRead).handle
      try await ModelStoreContract.randomEdits(20, seed: seed).run { PostgresModelStore(engine) }
    }

    @Test(.timeLimit(.minutes(2)))
    func `Two transactions that read the same records and write different ones do not both commit by default`()
      async throws
    {
      let isolation = PostgresStoreOptions().isolation
      #expect(
        try await withdrawTwice(from: [0, 1], isolation) == Outcome(commitCount: 1, conflictCount: 1, balance: 50))
    }

    @Test(.timeLimit(.minutes(2)))
    func `At repeatable read, two transactions that read the same records and write different ones both commit`()
      async throws
    {
      #expect(
        try await withdrawTwice(from: [0, 1], .repeatableRead)
          == Outcome(commitCount: 2, conflictCount: 0, balance: -100))
    }

    @Test(.timeLimit(.minutes(2)), arguments: PostgresStoreOptions.Isolation.allCases)
    func `At each isolation level, two transactions that write the same record do not both commit`(
      isolation: PostgresStoreOptions.Isolation
    ) async throws {
      #expect(
        try await withdrawTwice(from: [0, 0], isolation) == Outcome(commitCount: 1, conflictCount: 1, balance: 50))
    }

    @Test(.timeLimit(.minutes(2)), arguments: PostgresStoreOptions.Isolation.allCases)
    func `At each isolation level, a record that can't be read any more is not deleted after another process wrote it`(
      isolation: PostgresStoreOptions.Isolation
    ) async throws {
      var options = TestServer.options()
      options.isolation = isolation
      let (server, schema) = (try await TestServer.shared.value, options.schema)
      let store = PostgresModelStore(server.location + "?application_name=\(schema)", options: options)
      try await store.prepare([Account.self])
      try await createAccounts(in: store)
      // The deletion waits for a lock that the test has, once its transaction has checked its reads.
      let key = Int64.random(in: 1...Int64.max)
      try server.psql(
        """
        CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(\(key)); RETURN OLD; END $$; \
        CREATE TRIGGER wait BEFORE DELETE ON \(schema).account FOR EACH ROW EXECUTE FUNCTION \(schema).wait();
        """)
      let lock = try await PostgresConnection.open(try PostgresLocation(server.location))
      _ = try await lock.run([PostgresStatement("SELECT pg_advisory_lock($1)", [.integer(key)])])
      let handle = store.handle
      let other = PostgresModelStore(server.location + "?application_name=\(schema)", options: options).handle
      let deletion = Task {
        let store = PostgresModelStore(handle)
        let account = try await store.lookup(Account.self, identifier: "a")
        try server.psql("UPDATE \(schema).account SET seq = -1 WHERE id = 'a'")
        try await store.transaction { try await $0.delete(account) }
      }
      let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)' AND wait_event = 'advisory'"
      try await yielding { try server.psql(waiting) == "1" }
      let isEnded = NSLockProtected(false)
      let writing = Task {
        defer { isEnded.withLock { $0 = true } }
        do {
          try await other.commit(
            RecordBatch([.update(Account.typeName, "a", Array(#"{"id":"a","balance":7}"#.utf8))]))
          return true
        } catch is RecordMismatch {
          return false
        }
      }
      try await yielding { try isEnded.withLock { $0 } || server.psql(waiting) == "2" }
      _ = try await lock.run([PostgresStatement("SELECT pg_advisory_unlock($1)", [.integer(key)])])
      try await deletion.value
      let isWritten = try await writing.value
      #expect(try server.psql("SELECT count(*) FROM \(schema).account WHERE id = 'a'") == (isWritten ? "1" : "0"))
    }

    @Test(arguments: PostgresStoreOptions.Isolation.allCases)
    func `At each isolation level, a transaction that read two states of the database throws a conflict`(
      isolation: PostgresStoreOptions.Isolation
    ) async throws {
      var options = TestServer.options()
      options.isolation = isolation
      let store = try await TestServer.makeStore(options), other = try await TestServer.makeStore(options)
      try await store.prepare([Account.self, Seat.self])
      try await createAccounts(in: store)
      // A transfer of 30 between the two reads, which together find more than there is.
      let error = await #expect(throws: ModelStoreError.self) {
        try await PostgresModelStore(store.handle).transaction { store in
          let first = try await store.lookup(Account.self, identifier: "a").balance.value ?? 0
          try await other.transaction { other in
            for (name, change) in [("a", -30), ("b", 30)] {
              let account = try await other.lookup(Account.self, identifier: name)
              account.balance.value = (account.balance.value ?? 0) + change
              try await other.update(account)
            }
          }
          let second = try await store.lookup(Account.self, identifier: "b").balance.value ?? 0
          #expect(first + second == 230)
          try await store.create(Seat())
        }
      }
      #expect(error?.code == .conflict)
      #expect(try await other.count(Seat.self) == 0)
    }

    @Test(arguments: PostgresStoreOptions.Isolation.allCases)
    func `At each isolation level, a transaction that reads a record again has the same values or throws a conflict`(
      isolation: PostgresStoreOptions.Isolation
    ) async throws {
      var options = TestServer.options()
      options.isolation = isolation
      let store = try await TestServer.makeStore(options), other = try await TestServer.makeStore(options)
      try await store.prepare([Account.self])
      try await createAccounts(in: store)
      let error = await #expect(throws: ModelStoreError.self) {
        try await PostgresModelStore(store.handle).transaction { store in
          let account = try await store.lookup(Account.self, identifier: "a")
          let theirs = try await other.lookup(Account.self, identifier: "a")
          theirs.balance.value = 7
          try await other.update(theirs)
          try await store.refresh(account)
          Issue.record("the account has \(account.balance.value ?? 0) now")
        }
      }
      #expect(error?.code == .conflict)
    }
  }

  private func createAccounts(in store: PostgresModelStore) async throws {
    for name in ["a", "b"] {
      let account = Account()
      (account.id.value, account.balance.value) = (name, 100)
      try await store.create(account)
    }
  }

  /// Withdraws an amount from one account if both together have it.
  private func withdraw(
    _ amount: Int, from number: Int, in store: PostgresModelStore, retries: Int = 0
  ) async throws {
    try await store.transaction(retries: retries) { store in
      let accounts = [
        try await store.lookup(Account.self, identifier: "a"), try await store.lookup(Account.self, identifier: "b"),
      ]
      guard accounts.reduce(0, { $0 + ($1.balance.value ?? 0) }) >= amount else { return }
      accounts[number].balance.value = (accounts[number].balance.value ?? 0) - amount
      try await store.update(accounts[number])
    }
  }

  /// Takes a seat if fewer than ten are taken.
  private func takeSeat(_ store: PostgresModelStore) async throws {
    try await store.transaction(retries: 200) { store in
      if try await store.count(Seat.self) < 10 { try await store.create(Seat()) }
    }
  }

  private final class Account: Model {
    let id = Field<String>()
    let balance = Field<Int>()
    override var identifierField: AnyField? { id }
  }

  private final class Seat: Model {
    let id = Field<Int>()
    override var identifierField: AnyField? { id }
  }
#endif

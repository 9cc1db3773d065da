#if Postgres
  import Foundation
  import ModelCore
  @testable import PostgresStore
  import StoreEngine
  import StoreProtocol
  import Testing

  // One test after another, because each occupies many connections of the server.
  @Suite(.serialized) struct `The pool of a PostgreSQL store` {
    @Test(.timeLimit(.minutes(2)), arguments: [4, 64])
    func `As many writes as the pool has connections are in the server at the same time, and no more`(poolSize: Int)
      async throws
    {
      let server = try await TestServer.shared.value
      var options = TestServer.options()
      (options.poolSize, options.connectionTimeout) = (poolSize, .seconds(100))
      let schema = options.schema
      let store = PostgresModelStore(server.location + "?application_name=\(schema)", options: options)
      try await store.prepare([Note.self])
      // Each write waits for a lock that the test has.
      let key = Int64.random(in: 1...Int64.max)
      try server.psql(
        """
        CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(\(key)); RETURN NEW; END $$; \
        CREATE TRIGGER wait BEFORE INSERT ON \(schema).note FOR EACH ROW EXECUTE FUNCTION \(schema).wait();
        """)
      let lock = try await PostgresConnection.open(try PostgresLocation(server.location))
      _ = try await lock.run([PostgresStatement("SELECT pg_advisory_lock($1)", [.integer(key)])])
      let handle = store.handle
      let (waiting, open) = try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<100 {
          group.addTask { _ = try await PostgresModelStore(handle).create(Note()) }
        }
        func count(_ condition: String) throws -> Int? {
          Int(
            try server.psql(
              "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)' AND \(condition)"))
        }
        try await yielding { try count("wait_event = 'advisory' AND query LIKE 'INSERT%'") == poolSize }
        let counts = (
          try count("wait_event = 'advisory' AND query LIKE 'INSERT%'"), try count("backend_type = 'client backend'")
        )
        _ = try await lock.run([PostgresStatement("SELECT pg_advisory_unlock($1)", [.integer(key)])])
        try await group.waitForAll()
        return counts
      }
      #expect(waiting == poolSize && open == poolSize)
      #expect(try await store.count(Note.self) == 100)
    }

    private func makePool(size: Int) async throws -> ConnectionPool {
      ConnectionPool(
        try PostgresLocation(try await TestServer.shared.value.location), size: size, timeout: .seconds(100))
    }

    /// The numbers of tasks in the order in which they got a connection.
    private final class Turns: Sendable {
      private let numbers = NSLockProtected<[Int]>([])
      var all: [Int] { numbers.withLock { $0 } }
      func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [1, 3])
    func `Tasks that wait get connections in the order of their requests, and a cancelled one is passed over`(size: Int)
      async throws
    {
      let pool = try await makePool(size: size)
      let turns = Turns()
      // Each task gets a connection when the one before releases it, so the turns are those of one connection.
      try await withThrowingTaskGroup(of: Void.self) { group in
        var held: [HeldConnection] = []
        for _ in 0..<size { held.append(try await pool.begin([PostgresStatement("SELECT 1")])) }
        var cancelled: [Task<Void, any Error>] = []
        for number in 0..<40 {
          let task = Task {
            try await pool.withConnection { connection in
              turns.add(number)
              _ = try await connection.run([PostgresStatement("SELECT 1")])
            }
          }
          // The next task requests a connection after this one.
          try await yielding { pool.waiterCount > number }
          if number % 5 == 4 { cancelled.append(task) }
          group.addTask { _ = await task.result }
        }
        for task in cancelled { task.cancel() }
        try await yielding { pool.waiterCount <= 32 }
        held.removeFirst()
        try await group.waitForAll()
        withExtendedLifetime(held) {}
      }
      #expect(turns.all == (0..<40).filter { $0 % 5 != 4 })
    }

    @Test(.timeLimit(.minutes(2)))
    func `Each of many tasks that request a connection again and again gets its share of turns`() async throws {
      let pool = try await makePool(size: 2)
      let turns = Turns()
      let (taskCount, turnCount) = (16, 60)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<taskCount {
          group.addTask {
            for _ in 0..<turnCount {
              try await pool.withConnection { connection in
                turns.add(number)
                _ = try await connection.run([PostgresStatement("SELECT 1")])
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let all = turns.all
      #expect(all.count == taskCount * turnCount)
      // While no task has ended, none is far behind the others.
      var counts = [Int](repeating: 0, count: taskCount)
      for number in all {
        counts[number] += 1
        if counts.max() == turnCount { break }
      }
      #expect((counts.min() ?? 0) >= turnCount / 2, "\(counts)")
    }
  }
#endif

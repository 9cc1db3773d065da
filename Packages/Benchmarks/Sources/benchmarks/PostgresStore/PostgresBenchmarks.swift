#if Postgres
  import BenchmarkHarness
  import Foundation
  import PostgresStore

  /// Calls to a PostgreSQL server on the loopback interface. All sides of a case use the same server and table.
  enum PostgresBenchmarks {
    static func all(in place: StoreFolder.Place) -> [Benchmark] {
      [lookups(in: place), batch(in: place), query(in: place), groups(in: place), tasks(in: place)]
    }

    /// A server with people in the table `people`.
    private static func makeServer(
      in place: StoreFolder.Place, _ count: Int, poolSize: Int = 8
    ) async throws -> (server: DatabaseServer, store: PostgresModelStore) {
      let server = try DatabaseServer(in: place)
      let store = makeStore(server.location, poolSize: poolSize)
      try await store.prepare([Person.self])
      for start in stride(from: 0, to: count, by: 1_000) {
        let samples = PersonRecord.samples(identifiers: start..<min(start + 1_000, count))
        try await store.createAll(samples.map { Person($0) })
      }
      try server.psql("VACUUM ANALYZE people")
      return (server, store)
    }

    private static func makeStore(_ location: String, poolSize: Int = 8) -> PostgresModelStore {
      PostgresModelStore(
        location, options: PostgresStoreOptions(poolSize: poolSize, tableNames: [Person.typeName: "people"]))
    }

    private static func lookups(in place: StoreFolder.Place) -> Benchmark {
      Benchmark(group: "postgres", name: "lookup by identifier", operation: "lookup", size: 2_000) { size in
        let (server, store) = try await makeServer(in: place, size)
        let handle = store.handle
        let bare = try BareConnection(server.location)
        try bare.prepare("lookup", "SELECT body FROM people WHERE id = $1")
        return [
          Side(
            "ModelKit", prepare: { _ in },
            run: {
              let store = PostgresModelStore(handle)
              var sum = 0
              for identifier in 0..<size {
                sum += try await store.lookup(Person.self, identifier: String(identifier)).id.value ?? 0
              }
              return UInt64(sum)
            }, checksum: { $0 }, finish: { server.stop() }),
          Side("bare libpq, prepared, without decoding", goal: 1.2) { _ in
            var sum = 0
            for identifier in 0..<size {
              try bare.run("lookup", [String(identifier)]) { if $0.count > 0 { sum += identifier } }
            }
            return UInt64(sum)
          },
          Side("bare libpq, prepared, and JSONDecoder") { _ in
            var sum = 0
            for identifier in 0..<size {
              try bare.run("lookup", [String(identifier)]) {
                sum += try JSONDecoder().decode(CodablePerson.self, from: Data($0)).id ?? 0
              }
            }
            return UInt64(sum)
          },
        ]
      }
    }

    private static func batch(in place: StoreFolder.Place) -> Benchmark {
      Benchmark(
        group: "postgres", name: "batch of new records", operation: "create", size: 50_000, maximumRounds: 5
      ) { size in
        let (server, store) = try await makeServer(in: place, 0)
        let file = FileManager.default.temporaryDirectory.appending(path: "people-\(UUID().uuidString).copy")
        try server.psql("CREATE TABLE copied (LIKE people INCLUDING ALL)")
        func samples(_ round: Int) -> [PersonRecord] {
          PersonRecord.samples(identifiers: round * size..<(round + 1) * size)
        }
        return [
          Side(
            "ModelKit",
            prepare: { round in
              try server.psql("TRUNCATE people; CHECKPOINT")
              return samples(round).map { Person($0) }
            },
            run: { (people: [Person]) in try await store.createAll(people) }, checksum: { UInt64($0.count) },
            finish: {
              server.stop()
              try? FileManager.default.removeItem(at: file)
            }),
          Side(
            "psql, \\copy of a file", goal: 1 / 0.8,
            prepare: { round in
              try server.psql("TRUNCATE copied; CHECKPOINT")
              let encoder = JSONEncoder()
              let lines = try samples(round).map { person in
                let json = String(decoding: try encoder.encode(person), as: UTF8.self).replacing("\\", with: "\\\\")
                return "\(person.id)\t\(person.id + 1)\t1\t\(json)\n"
              }
              try Data(lines.joined().utf8).write(to: file)
            },
            run: { try server.psql("\\copy copied (id, seq, revision, body) from '\(file.path())'") },
            checksum: { UInt64(size) }),
        ]
      }
    }

    private static func query(in place: StoreFolder.Place) -> Benchmark {
      Benchmark(group: "postgres", name: "indexed query, 274 of 20,000", operation: "query", size: 50) { size in
        let (server, store) = try await makeServer(in: place, 20_000)
        try await store.index(\Person.age)
        try server.psql("VACUUM ANALYZE people")
        let handle = store.handle
        let bare = try BareConnection(server.location)
        try bare.prepare("query", "SELECT body FROM people WHERE age = $1 ORDER BY seq")
        func ages(_ round: Int) -> [Int] { (0..<size).map { 18 + ($0 + round) % 73 } }
        return [
          Side(
            "ModelKit", prepare: ages,
            run: { ages in
              var checksum: UInt64 = 0
              for age in ages {
                let people = try await PostgresModelStore(handle).list(Person.self, where: { $0.age == age })
                checksum &+= Person.checksum(people)
              }
              return checksum
            }, checksum: { $0 }, finish: { server.stop() }),
          Side("hand-written SQL and JSONDecoder", goal: 1.3) { round in
            var checksum: UInt64 = 0
            for age in ages(round) {
              var people: [CodablePerson] = []
              try bare.run("query", [String(age)]) {
                people.append(try JSONDecoder().decode(CodablePerson.self, from: Data($0)))
              }
              checksum &+= CodablePerson.checksum(people)
            }
            return checksum
          },
        ]
      }
    }

    /// The number of people in each city, and the sum of their scores.
    private static func groups(in place: StoreFolder.Place) -> Benchmark {
      Benchmark(
        group: "postgres", name: "sums of groups of 100,000", operation: "record", size: 100_000, maximumRounds: 5
      ) { size in
        let (server, store) = try await makeServer(in: place, size)
        let handle = store.handle
        let bare = try BareConnection(server.location)
        try bare.prepare(
          "groups", "SELECT count(*) * 31 + sum((body ->> 'score')::bigint) FROM people GROUP BY body ->> 'city'")
        /// A query with a limit reads the records.
        func checksum(limit: Int?) async throws -> UInt64 {
          let groups = try await PostgresModelStore(handle).groups(
            ModelQuery(Person.self, limit: limit), by: { $0.city }
          ) { ($0.count, $0.sum(\.score)) }
          return groups.reduce(0) { $0 &+ UInt64($1.values.0 * 31 + ($1.values.1 ?? 0)) }
        }
        return [
          Side(
            "ModelKit", prepare: { _ in }, run: { try await checksum(limit: nil) }, checksum: { $0 },
            finish: { server.stop() }),
          Side("hand-written SQL", goal: 1.3) { _ in
            var checksum: UInt64 = 0
            try bare.run("groups", []) { checksum &+= UInt64(String(decoding: $0, as: UTF8.self)) ?? 0 }
            return checksum
          },
          Side(
            "the same with a limit, from the records", prepare: { _ in }, run: { try await checksum(limit: size) },
            checksum: { $0 }),
        ]
      }
    }

    /// Lookups over a connection with a delay of 5 ms, by 64 tasks instead of one.
    private static func tasks(in place: StoreFolder.Place) -> Benchmark {
      Benchmark(
        group: "postgres", name: "lookups with 5 ms latency, 64 tasks", operation: "lookup", size: 512,
        maximumRounds: 5
      ) { size in
        let (server, _) = try await makeServer(in: place, size)
        let proxy = try DelayingProxy(to: server.port, delay: 5)
        let location = "postgres://tester@127.0.0.1:\(proxy.port)/postgres"
        let handle = makeStore(location, poolSize: 16).handle
        return [
          Side(
            "ModelKit", prepare: { _ in }, run: { try await lookUp(size, inTasks: 64, handle) }, checksum: { $0 },
            finish: {
              proxy.stop()
              server.stop()
            }),
          Side(
            "one task", goal: 1 / 5, prepare: { _ in }, run: { try await lookUp(size, inTasks: 1, handle) },
            checksum: { $0 }),
        ]
      }
    }

    private static func lookUp(_ count: Int, inTasks tasks: Int, _ handle: PostgresEngine) async throws -> UInt64 {
      try await withThrowingTaskGroup(of: UInt64.self) { group in
        for task in 0..<tasks {
          group.addTask {
            let store = PostgresModelStore(handle)
            var sum: UInt64 = 0
            for number in stride(from: task, to: count, by: tasks) {
              let person = try await store.lookup(Person.self, identifier: String(number))
              sum &+= Person.checksum([person])
            }
            return sum
          }
        }
        return try await group.reduce(0, &+)
      }
    }
  }
#endif

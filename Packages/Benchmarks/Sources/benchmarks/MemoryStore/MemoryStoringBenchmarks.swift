import BenchmarkHarness
import MemoryStore

/// Writes to a memory store.
enum MemoryStoringBenchmarks {
  static var all: [Benchmark] { [1_000, 100_000, 1_000_000].map(create) + [update, fronts] }

  private static func create(_ count: Int) -> Benchmark {
    Benchmark(
      group: "memory store", name: "create \(count) in one batch", operation: "create", size: count,
      maximumRounds: FilledMemoryStore.rounds(count)
    ) { size in
      [
        Side(
          "ModelKit",
          prepare: { round in
            (MemoryModelStore(), PersonRecord.samples(identifiers: round * 10..<round * 10 + size).map { Person($0) })
          },
          run: { store, people in
            try await store.createAll(people)
            return (store, people)
          },
          checksum: { Person.checksum(try await MemoryModelStore($0.0.handle).list(Person.self)) }),
        Side(
          "GRDB, one transaction", goal: 1 / 3.0,
          prepare: { round in
            (try GRDBPersonsInMemory(), PersonRecord.samples(identifiers: round * 10..<round * 10 + size))
          },
          run: { database, records in
            try database.createAll(records)
            return database
          },
          checksum: { PersonRecord.checksum(try $0.all()) }),
      ]
    }
  }

  private static var update: Benchmark {
    Benchmark(group: "memory store", name: "update one field, one by one", operation: "update", size: 10_000) { size in
      let store = try await FilledMemoryStore.make(count: size)
      let people = try await store.list(Person.self)
      return [
        Side(
          "ModelKit",
          prepare: { round in for person in people { person.score.value = round } },
          run: { for person in people { try await store.update(person) } },
          checksum: { Person.checksum(try await MemoryModelStore(store.handle).list(Person.self)) })
      ]
    }
  }

  /// Nine reads for one write; each store instance creates its own models.
  private static var fronts: Benchmark {
    Benchmark(
      group: "memory store", name: "store instances in 8 tasks, 90 % reads", operation: "operation", size: 80_000
    ) { size in
      let stores = [try await FilledMemoryStore.make(count: size), try await FilledMemoryStore.make(count: size)]
      func side(_ name: String, _ store: MemoryModelStore, tasks: Int, goal: Double?) -> Side {
        Side(
          name, goal: goal, prepare: { round in (store.handle, round) },
          run: { handle, round in
            try await withThrowingTaskGroup(of: Void.self) { group in
              for task in 0..<tasks {
                let share = size / tasks * task..<size / tasks * (task + 1)
                group.addTask { try await work(MemoryModelStore(handle), share, size, round) }
              }
              try await group.waitForAll()
            }
          }, checksum: { Person.checksum(try await MemoryModelStore(store.handle).list(Person.self)) })
      }
      return [
        side("ModelKit, 8 tasks", stores[0], tasks: 8, goal: nil),
        side("ModelKit, 1 task", stores[1], tasks: 1, goal: 1),
      ]
    }
  }

  private static func work(_ front: MemoryModelStore, _ share: Range<Int>, _ count: Int, _ round: Int) async throws {
    for number in share {
      if number.isMultiple(of: 10) {
        // Each task writes to people of its own, so that the result does not depend on the order.
        let person = try front.lookupImmediately(Person.self, identifier: String(number))
        person.score.value = round * count + number
        try await front.update(person)
      } else {
        blackHole(try front.lookupImmediately(Person.self, identifier: String(number * 7_919 % count)))
      }
    }
  }
}

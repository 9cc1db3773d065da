import BenchmarkHarness
import MemoryStore

/// Live queries of a memory store. The time is from the start of a write through one store instance until a consumer of
/// another has the result. Both are in one isolation.
enum LiveBenchmarks {
  static var all: [Benchmark] { [oneChange, queries(100), queries(1_000), noConsumer, feedAlone] }

  /// A consumer of one query, with the number of its notifications.
  private final class Consumer {
    private var iterator: LiveResults<Person>.AsyncIterator
    private(set) var models: [Person] = []

    init(_ results: LiveResults<Person>) async {
      iterator = results.makeAsyncIterator()
      await takeNext()
    }

    func takeNext() async { models = await iterator.next()?.models ?? [] }
  }

  private static var oneChange: Benchmark {
    Benchmark(
      group: "live", name: "one change in a sorted list of 1,000 of 100,000", operation: "change", size: 200,
      goal: 100_000
    ) { size in
      let store = try await FilledMemoryStore.make(count: 100_000)
      let consumer = await Consumer(
        MemoryModelStore(store.handle).observe(Person.self, where: { $0.score < 1_000 }, sort: [.ascending(\.name)]))
      let people = try await store.list(Person.self, where: { $0.score < 1_000 }, limit: size)
      return [
        Side(
          "ModelKit",
          prepare: { round in
            for (number, person) in people.enumerated() { person.name.value = "\((number * 7_919 + round) % 1_000)" }
          },
          run: {
            for person in people {
              try await store.update(person)
              await consumer.takeNext()
            }
          },
          checksum: {
            Person.checksum(consumer.models)
          })
      ]
    }
  }

  private static func queries(_ count: Int) -> Benchmark {
    Benchmark(
      group: "live", name: "\(Format.count(count)) queries, a change concerns one", operation: "change", size: 1_000
    ) { size in
      func side(_ name: String, queries: Int, goal: Double?) async throws -> Side {
        let store = try await FilledMemoryStore.make(count: 10_000)
        let front = MemoryModelStore(store.handle)
        let person = try store.lookupImmediately(Person.self, identifier: "0")
        person.score.value = 1_000_000
        try await store.update(person)
        var consumers: [Consumer] = []
        for number in 0..<queries {
          consumers.append(
            await Consumer(
              front.observe(Person.self, where: { $0.score == 1_000_000 + number }, sort: [.ascending(\.name)])))
        }
        let kept = consumers
        return Side(
          name, goal: goal, prepare: { $0 },
          run: { round in
            for number in 0..<size {
              person.age.value = (round + number) % 100
              try await store.update(person)
              await kept[0].takeNext()
            }
          }, checksum: { UInt64(kept[0].models[0].age.value ?? -1) })
      }
      return [
        try await side("\(Format.count(count)) queries", queries: count, goal: nil),
        try await side("1 query", queries: 1, goal: 1.2),
      ]
    }
  }

  private static var noConsumer: Benchmark {
    Benchmark(
      group: "live", name: "update without observers", operation: "update", size: 10_000
    ) { size in
      func side(_ name: String, listens: Bool, goal: Double?) async throws -> Side {
        let store = try await FilledMemoryStore.make(count: size)
        let people = try await store.list(Person.self)
        let changes = listens ? store.changes(of: OtherModel.self) : nil
        return Side(
          name, goal: goal, prepare: { round in for person in people { person.score.value = round } },
          run: { for person in people { try await store.update(person) } },
          checksum: { Person.checksum(try await MemoryModelStore(store.handle).list(Person.self)) },
          finish: { withExtendedLifetime(changes) {} })
      }
      return [
        try await side("no observers", listens: false, goal: nil),
        try await side("observers of another type", listens: true, goal: 1),
      ]
    }
  }

  /// The work of the feed in a write without observers, compared with the whole write.
  private static var feedAlone: Benchmark {
    Benchmark(
      group: "live", name: "the feed of a create without observers", operation: "create", size: 10_000
    ) { size in
      [
        Side(
          "the feed alone", prepare: { _ in StoreChangeFeed() },
          run: { feed in
            // An engine reads the feed twice: inside its lock, and after releasing it.
            var toldCount = 0
            for _ in 0..<size {
              if feed.isObserved { toldCount += 1 }
              feed.deliver()
            }
            return toldCount
          }, checksum: { UInt64($0) }),
        Side(
          "create without observers", goal: 1 / 100.0,
          prepare: { round in
            (MemoryModelStore(), PersonRecord.samples(identifiers: round * 10..<round * 10 + size).map { Person($0) })
          },
          run: { store, people in
            for person in people { try await store.create(person) }
            return store.changeFeed.position
          }, checksum: { $0 }),
      ]
    }
  }

  private final class OtherModel: Model {
    let id = Field<Int>()
  }
}

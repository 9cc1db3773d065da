import BenchmarkHarness
import MemoryStore

/// A query with two conditions that finds 1 % of 100,000 people, without an index. A store instance builds columns for
/// the second scan, and keeps them for later ones.
enum EverydayQueries {
  static var all: [Benchmark] { Scan.allCases.flatMap { [models($0), identifiers($0)] } }

  private enum Scan: String, CaseIterable {
    case first = "first scan"
    case second = "second scan"
    case later = "later scans"

    /// The number of scans before the timed one.
    var scansBefore: Int {
      switch self {
      case .first: 0
      case .second: 1
      case .later: 2
      }
    }

    /// The goal for the ratio to the scan of the peer.
    var goal: Double { self == .first ? 0.8 : 0.2 }
  }

  private static var query: ModelQuery<Person> {
    ModelQuery(Person.self, where: { $0.age < maximumAge && $0.city == city })
  }
  private static let maximumAge = 23
  private static let city = "Lisbon"

  private static func models(_ scan: Scan) -> Benchmark {
    benchmark(
      "new models", scan,
      ours: { store, round in
        let people = try store.listImmediately(query)
        return round == 0 ? Person.checksum(people) : Person.sum(people)
      },
      theirs: { database, round in
        let people = try database.people(youngerThan: maximumAge, in: city)
        return round == 0 ? PersonRecord.checksum(people) : PersonRecord.sum(people)
      })
  }

  private static func identifiers(_ scan: Scan) -> Benchmark {
    benchmark(
      "identifiers", scan,
      ours: { store, _ in try await store.identifiers(query).reduce(0) { $0 &+ (UInt64($1) ?? 0) } },
      theirs: { database, _ in
        try database.identifiers(youngerThan: maximumAge, in: city).reduce(0) { $0 &+ UInt64($1) }
      })
  }

  private static func benchmark(
    _ result: String, _ scan: Scan, ours: @escaping (MemoryModelStore, Int) async throws -> UInt64,
    theirs: @escaping (GRDBPersonsInMemory, Int) throws -> UInt64
  ) -> Benchmark {
    Benchmark(
      group: "everyday", name: "find 1 % with two conditions, \(result), \(scan.rawValue)",
      operation: "record", size: 100_000
    ) { size in
      let store = try await FilledMemoryStore.make(count: size)
      let database = try GRDBPersonsInMemory()
      try database.createAll(PersonRecord.samples(identifiers: 0..<size))
      return [
        Side(
          "ModelKit",
          prepare: { round in
            let instance = MemoryModelStore(store.handle)
            for _ in 0..<scan.scansBefore { blackHole(try await ours(instance, round)) }
            return (instance, round)
          },
          run: { try await ours($0, $1) }, checksum: { $0 }),
        Side("GRDB in memory", goal: scan.goal) { try theirs(database, $0) },
      ]
    }
  }
}

import BenchmarkHarness
import MemoryStore

/// Reads from a memory store.
enum MemoryLookupBenchmarks {
  static var all: [Benchmark] {
    [lookup(1_000)]
      + [100_000, 1_000_000].flatMap { [lookup(1_000, of: $0), lookup($0, of: $0)] }
      + [1_000, 100_000, 1_000_000].flatMap { [listLive($0), list($0)] }
  }

  /// Lookups of live models: of a thousand models, which stay in the processor's cache, or of all, which come from
  /// memory.
  private static func lookup(_ different: Int, of total: Int? = nil) -> Benchmark {
    let count = total ?? different
    let some = different < count ? "one of 1,000 among" : "any of"
    return Benchmark(
      group: "memory store", name: "look up a live model, \(some) \(Format.count(count))", operation: "lookup",
      size: 30_000, goal: different == 1_000 ? 200 : nil, maximumRounds: FilledMemoryStore.rounds(count)
    ) { size in
      func identifiers(of round: Int) -> [Int] {
        let step = count / different
        return (0..<size).map { ($0 * 7_919 + round) % different * step }
      }
      let store = try await FilledMemoryStore.make(count: count)
      let live = try await store.list(Person.self)
      // A practical lower bound: hash the identifier and load the model.
      let byIdentifier = Dictionary(uniqueKeysWithValues: live.map { ($0.identifier ?? "", $0) })
      let database = try GRDBPersonsInMemory()
      try database.createAll(PersonRecord.samples(identifiers: 0..<count))
      return [
        Side(
          "ModelKit", prepare: { identifiers(of: $0).map(String.init) },
          run: { identifiers in
            var found: [Person] = []
            found.reserveCapacity(identifiers.count)
            for identifier in identifiers {
              found.append(try store.lookupImmediately(Person.self, identifier: identifier))
            }
            return found
          },
          checksum: { Person.checksum($0) }, finish: { withExtendedLifetime(live) {} }),
        Side(
          "Dictionary<String, Person>", prepare: { identifiers(of: $0).map(String.init) },
          run: { identifiers in
            var found: [Person] = []
            found.reserveCapacity(identifiers.count)
            for identifier in identifiers {
              if let person = byIdentifier[identifier] { found.append(person) }
            }
            return found
          },
          checksum: { Person.checksum($0) }),
        Side(
          "GRDB fetchOne, one read each", goal: 1 / 100.0, prepare: { identifiers(of: $0) },
          run: { try database.lookUp($0) }, checksum: { PersonRecord.checksum($0) }),
        Side(
          "GRDB fetchOne, all in one read", prepare: { identifiers(of: $0) },
          run: { try database.lookUpInOneRead($0) }, checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }

  private static func listLive(_ count: Int) -> Benchmark {
    Benchmark(
      group: "memory store", name: "list \(count), all live", operation: "model", size: count,
      maximumRounds: FilledMemoryStore.rounds(count)
    ) { size in
      let store = try await FilledMemoryStore.make(count: size)
      let live = try await store.list(Person.self)
      let database = try GRDBPersonsInMemory()
      try database.createAll(PersonRecord.samples(identifiers: 0..<size))
      return [
        Side(
          "ModelKit", prepare: { _ in }, run: { try store.listImmediately(Person.self) },
          checksum: { Person.checksum($0) }, finish: { withExtendedLifetime(live) {} }),
        Side(
          "GRDB fetchAll", goal: 1 / 4.0, prepare: { _ in }, run: { try database.all() },
          checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }

  private static func list(_ count: Int) -> Benchmark {
    Benchmark(
      group: "memory store", name: "list \(count) as new models", operation: "model", size: count,
      maximumRounds: FilledMemoryStore.rounds(count)
    ) { size in
      let store = try await FilledMemoryStore.make(count: size)
      let database = try GRDBPersonsInMemory()
      try database.createAll(PersonRecord.samples(identifiers: 0..<size))
      return [
        Side(
          "ModelKit", prepare: { _ in MemoryModelStore(store.handle) },
          run: { front in (front, try front.listImmediately(Person.self)) }, checksum: { Person.checksum($1) }),
        Side(
          "GRDB fetchAll", goal: 1, prepare: { _ in }, run: { try database.all() },
          checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }
}

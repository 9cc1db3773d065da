import BenchmarkHarness
import FileStore
import Foundation
import MemoryStore

/// Lists of all people of a store as new models. No model is live before, and their release is timed.
enum EverydayLists {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    [memory, firstOfMemory, file(in: place), firstOfFile(in: place)]
  }

  private static let goal = 0.5

  private static func benchmark(_ name: String, _ sides: @escaping (Int) async throws -> [Side]) -> Benchmark {
    Benchmark(group: "everyday", name: name, operation: "model", size: 100_000, sides: sides)
  }

  private static var memory: Benchmark {
    benchmark("memory store: list all as new models") { size in
      let store = try await FilledMemoryStore.make(count: size)
      let database = try GRDBPersonsInMemory()
      try database.createAll(PersonRecord.samples(identifiers: 0..<size))
      return [
        Side("ModelKit") { round in
          let people = try store.listImmediately(Person.self)
          return round == 0 ? Person.checksum(people) : Person.sum(people)
        },
        Side("GRDB fetchAll", goal: goal) { round in
          let people = try database.all()
          return round == 0 ? PersonRecord.checksum(people) : PersonRecord.sum(people)
        },
      ]
    }
  }

  private static var firstOfMemory: Benchmark {
    benchmark("memory store: list all as new models, first list of a process") { size in
      let folder = FileManager.default.temporaryDirectory
      return [
        FirstRun.listMemoryStore.side("ModelKit", in: folder, count: size),
        FirstRun.listMemoryDatabase.side("GRDB fetchAll", goal: goal, in: folder, count: size),
      ]
    }
  }

  private static func file(in place: StoreFolder.Place) -> Benchmark {
    benchmark("file store: list all as new models") { size in
      let stores = try await FilledStores(in: place, count: size)
      return [
        Side(
          "ModelKit", prepare: { $0 },
          run: { round in
            let people = try await stores.store.list(Person.self)
            return round == 0 ? Person.checksum(people) : Person.sum(people)
          }, checksum: { $0 }, finish: { try await stores.close() }),
        Side(
          "GRDB fetchAll", goal: goal, prepare: { $0 },
          run: { round in
            let people = try await stores.database.all()
            return round == 0 ? PersonRecord.checksum(people) : PersonRecord.sum(people)
          }, checksum: { $0 }),
      ]
    }
  }

  private static func firstOfFile(in place: StoreFolder.Place) -> Benchmark {
    benchmark("file store: list all as new models, first list of a process") { size in
      let stores = try await FilledStores(in: place, count: size)
      // The processes open both themselves.
      try await stores.store.close()
      try stores.database.close()
      return [
        FirstRun.listFileStore.side(
          "ModelKit", in: stores.folder, count: size, finish: { stores.remove() }),
        FirstRun.listFileDatabase.side("GRDB fetchAll", goal: goal, in: stores.databaseFolder, count: size),
      ]
    }
  }
}

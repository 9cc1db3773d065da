import BenchmarkHarness
import FileStore
import Foundation

/// Opening of large stores, and the cost of a million models for operations on a few of them.
enum OpeningBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    [openClosed(in: place), openCrashed(in: place), lookupsOfAny(in: place), createsBesideAny(in: place)]
  }

  /// Fills a store with many people in batches, so that few are live at once.
  static func fill(_ store: FileModelStore, count: Int) async throws {
    for start in stride(from: 0, to: count, by: 20_000) {
      let records = PersonRecord.samples(identifiers: start..<min(start + 20_000, count))
      try await FileModelStore(store.handle).createAll(records.map { Person($0) })
    }
  }

  private static func makeStore(in folder: StoreFolder, count: Int) async throws -> FileModelStore {
    let store = FileModelStore(
      directory: folder.url.appending(path: "people.store"), options: FileStoreOptions(durability: .none))
    try await fill(store, count: count)
    return store
  }

  private static func openClosed(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "file store", name: "open 1,000,000 models after a clean close, first lookup", operation: "opening",
      size: 1, goal: 300e6
    ) { _ in
      let folders = [try StoreFolder(in: place), try StoreFolder(in: place)]
      let count = 1_000_000
      try await makeStore(in: folders[0], count: count).close()
      let database = try GRDBPersons(in: folders[1].url)
      try await database.createAll(PersonRecord.samples(identifiers: 0..<count))
      try database.close()
      return [
        Side(
          "ModelKit", prepare: { $0 },
          run: { round in
            let store = FileModelStore(directory: folders[0].url.appending(path: "people.store"))
            return (store, try await store.lookup(Person.self, identifier: String(round * 7_919)))
          },
          checksum: { store, person in
            try await store.close()
            return Person.checksum([person])
          }, finish: { folders[0].remove() }),
        Side(
          "GRDB", prepare: { $0 },
          run: { round in
            let database = try GRDBPersons(opening: folders[1].url)
            return (database, try await database.lookUp([round * 7_919]))
          },
          checksum: { database, records in
            try database.close()
            return PersonRecord.checksum(records)
          }, finish: { folders[1].remove() }),
      ]
    }
  }

  private static func synchronize(_ folder: URL) throws {
    for path in FileManager.default.subpaths(atPath: folder.path) ?? [] {
      let file = folder.appending(path: path)
      if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
        try FileHandle(forUpdating: file).synchronize()
      }
    }
  }

  /// Copies the files of an open store, except checkpoints, which the store may be replacing.
  private static func copyWithoutCheckpoints(_ folder: URL, to copy: URL) throws {
    let files = FileManager.default
    for path in files.subpaths(atPath: folder.path) ?? [] where !path.contains("index.checkpoint") {
      let (original, copied) = (folder.appending(path: path), copy.appending(path: path))
      if try original.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
        try files.createDirectory(at: copied.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.copyItem(at: original, to: copied)
      }
    }
  }

  private static func openCrashed(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "file store", name: "open after a crash, 100 MB of journal beyond the checkpoint", operation: "opening",
      size: 1, goal: 1e9, maximumRounds: 5
    ) { _ in
      let folder = try StoreFolder(in: place)
      let store = try await makeStore(in: folder, count: 370_000)
      // Another process finds the files of a crash while this process has the store open.
      let crashed = folder.url.appending(path: "crashed.store")
      try copyWithoutCheckpoints(store.handle.directory, to: crashed)
      try await store.close()
      let copy = folder.url.appending(path: "copy.store")
      return [
        Side(
          "ModelKit",
          prepare: { _ in
            try? FileManager.default.removeItem(at: copy)
            try FileManager.default.copyItem(at: crashed, to: copy)
            // The files of a crash by power cut are on the disk already, so opening does not have to sync them.
            try synchronize(copy)
          },
          run: {
            let store = FileModelStore(directory: copy)
            try await store.open()
            return store
          },
          checksum: { store in
            let count = try await store.count(Person.self)
            try await store.close()
            return UInt64(count)
          }, finish: { folder.remove() })
      ]
    }
  }

  /// A lookup in stores of different sizes, whose time must not depend on the size.
  private static func lookupsOfAny(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "file store", name: "look up, among 1,000,000 or 1,000", operation: "lookup", size: 1_000
    ) { size in
      func side(_ count: Int, goal: Double?) async throws -> Side {
        let folder = try StoreFolder(in: place)
        let store = try await makeStore(in: folder, count: count)
        return Side(
          "ModelKit, \(count) models", goal: goal,
          prepare: { round in
            (FileModelStore(store.handle), (0..<size).map { String(($0 * 7_919 + round) % 1_000 * (count / 1_000)) })
          },
          run: { front, identifiers in
            var found = 0
            for identifier in identifiers {
              found += try await front.lookup(Person.self, identifier: identifier).isDirty ? 0 : 1
            }
            return found
          },
          checksum: { UInt64($0) },
          finish: {
            try await store.close()
            folder.remove()
          })
      }
      return [try await side(1_000_000, goal: nil), try await side(1_000, goal: 1.3)]
    }
  }

  /// A create in stores of different sizes, whose time must not depend on the size.
  private static func createsBesideAny(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "file store", name: "create without sync, beside 1,000,000 or 1,000", operation: "create", size: 2_000
    ) { size in
      func side(_ count: Int, goal: Double?) async throws -> Side {
        let folder = try StoreFolder(in: place)
        let store = try await makeStore(in: folder, count: count)
        return Side(
          "ModelKit, \(count) models", goal: goal,
          prepare: { round in
            let start = count + round * size
            return (
              FileModelStore(store.handle),
              PersonRecord.samples(identifiers: start..<start + size).map { Person($0) }
            )
          },
          run: { front, people in
            for person in people { try await front.create(person) }
            return people.count
          },
          checksum: { UInt64($0) },
          finish: {
            try await store.close()
            folder.remove()
          })
      }
      return [try await side(1_000_000, goal: nil), try await side(1_000, goal: 1.3)]
    }
  }
}

import BenchmarkHarness
import CBenchmarkSupport
import FileStore
import Foundation

/// The size of a file store on the disk and in memory.
enum StoreSizes {
  /// Returns a table for a number of people. It has the size of the files relative to their JSON, and the heap memory
  /// of an opened store.
  static func table(count: Int, in place: StoreFolder.Place) async throws -> [[String]] {
    let folder = try StoreFolder(in: place)
    defer { folder.remove() }
    let directory = folder.url.appending(path: "people.store")
    let options = FileStoreOptions(durability: .none)
    let store = FileModelStore(directory: directory, options: options)
    try await OpeningBenchmarks.fill(store, count: count)
    var json = 0
    for start in stride(from: 0, to: count, by: 10_000) {
      let people = PersonRecord.samples(identifiers: start..<min(start + 10_000, count)).map { Person($0) }
      json += try people.reduce(0) { try $0 + $1.jsonData().count }
    }
    // Every hundredth record is changed, so that compaction has something to remove.
    for number in stride(from: 0, to: count, by: 100) {
      let person = try await store.lookup(Person.self, identifier: String(number))
      person.score.value = -1
      try await store.update(person)
    }
    let before = try journalSize(of: directory)
    try await store.compact()
    let after = try journalSize(of: directory)
    try await store.close()

    let heap = benchmark_heap_in_use()
    let opened = FileModelStore(directory: directory, options: options)
    _ = try await opened.lookup(Person.self, identifier: "1")
    let index = Double(benchmark_heap_in_use()) - Double(heap)
    try await opened.close()
    return [
      ["\(Format.count(count)) people", "Figure", "Goal"],
      ["journal before compaction, beside the JSON itself", Format.ratio(Double(before) / Double(json)), ""],
      ["journal after compaction, beside the JSON itself", Format.ratio(Double(after) / Double(json)), "≤ 1.30"],
      [
        "heap of an opened store, for each model", "\(Format.decimal(index / Double(count), places: 0)) bytes",
        "≤ 100 bytes",
      ],
    ]
  }

  private static func journalSize(of directory: URL) throws -> Int {
    let folder = directory.appending(path: "groups/@default")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
      .filter { $0.pathExtension == "journal" }
      .reduce(0) { try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
  }
}

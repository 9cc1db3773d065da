import BenchmarkHarness
import FileStore
import Foundation
import MemoryStore
import ModelCore

/// Work that a process does for the first time: its code, its metadata and its memory are cold.
enum FirstRun: String, CaseIterable {
  case readModels = "read-models"
  case readStructs = "read-structs"
  case listMemoryStore = "list-memory-store"
  case listMemoryDatabase = "list-memory-database"
  case listFileStore = "list-file-store"
  case listFileDatabase = "list-file-database"

  /// The name of the JSON document in the folder of the input.
  static let document = "people.json"

  /// Does the work in this process.
  ///
  /// - Parameters:
  ///   - folder: the folder with the document or the store. Stores in memory are filled before the time.
  ///   - count: the number of people.
  ///   - others: the number of other people that are live meanwhile.
  /// - Returns: the time with the release of the people, and their checksum.
  func measure(in folder: URL, count: Int, others: Int) async throws -> (time: Duration, checksum: UInt64) {
    let otherIdentifiers = count..<count + others
    switch self {
    case .readModels:
      let live = PersonRecord.samples(identifiers: otherIdentifiers).map { Person($0) }
      let data = try Data(contentsOf: folder.appending(path: Self.document))
      defer { withExtendedLifetime(live) {} }
      return try await Self.time { Person.sum(try Person.list(fromJSON: data)) }
    case .readStructs:
      let live = PersonRecord.samples(identifiers: otherIdentifiers)
      let data = try Data(contentsOf: folder.appending(path: Self.document))
      defer { withExtendedLifetime(live) {} }
      return try await Self.time { PersonRecord.sum(try JSONDecoder().decode([PersonRecord].self, from: data)) }
    case .listMemoryStore:
      let store = try await FilledMemoryStore.make(count: count)
      return try await Self.time { Person.sum(try store.listImmediately(Person.self)) }
    case .listMemoryDatabase:
      let database = try GRDBPersonsInMemory()
      try database.createAll(PersonRecord.samples(identifiers: 0..<count))
      return try await Self.time { PersonRecord.sum(try database.all()) }
    case .listFileStore:
      let store = FileModelStore(directory: folder.appending(path: "people.store"))
      try await store.open()
      let sample = try await Self.time { Person.sum(try await store.list(Person.self)) }
      try await store.close()
      return sample
    case .listFileDatabase:
      let database = try GRDBPersons(opening: folder)
      let sample = try await Self.time { PersonRecord.sum(try await database.all()) }
      try database.close()
      return sample
    }
  }

  private static func time(_ work: () async throws -> UInt64) async throws -> (time: Duration, checksum: UInt64) {
    let clock = ContinuousClock()
    let start = clock.now
    let checksum = try await work()
    return (clock.now - start, checksum)
  }

  /// Returns a side that starts a process of this program for each round.
  func side(
    _ name: String, goal: Double? = nil, in folder: URL, count: Int, others: Int = 0,
    finish: @escaping () async throws -> Void = {}
  ) -> Side {
    Side.selfTimed(
      name, goal: goal,
      measure: { _ in
        guard let program = Bundle.main.executableURL else { throw Failure(work: rawValue, output: "") }
        let process = Process()
        process.executableURL = program
        process.arguments = [
          "first-run", rawValue, "--count", String(count), "--others", String(others),
          "--folder", folder.path(percentEncoded: false),
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = output.split(whereSeparator: \.isWhitespace)
        guard process.terminationStatus == 0, numbers.count == 2, let time = Int64(numbers[0]),
          let checksum = UInt64(numbers[1])
        else { throw Failure(work: rawValue, output: output) }
        return (.nanoseconds(time), checksum)
      }, finish: finish)
  }

  struct Failure: Error, CustomStringConvertible {
    let work: String
    let output: String

    var description: String { "The process for '\(work)' reported no time: \(output)" }
  }
}

extension Person {
  /// Returns a sum of two fields, which shows at little cost that the people are there.
  static func sum(_ people: [Person]) -> UInt64 {
    people.reduce(0) { $0 &+ UInt64(truncatingIfNeeded: ($1.id.value ?? -1) &+ ($1.score.value ?? -1)) }
  }
}

extension PersonRecord {
  /// Returns the same sum.
  static func sum(_ people: [PersonRecord]) -> UInt64 {
    people.reduce(0) { $0 &+ UInt64(truncatingIfNeeded: $1.id &+ $1.score) }
  }
}

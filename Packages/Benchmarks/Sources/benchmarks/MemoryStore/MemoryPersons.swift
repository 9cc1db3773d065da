import BenchmarkHarness
import Foundation
import GRDB
import MemoryStore

/// People in an SQLite database in memory, the peer of a memory store.
final class GRDBPersonsInMemory: Sendable {
  private let queue: DatabaseQueue

  private let hasWords: Bool

  /// - Parameter hasWords: whether the words of the addresses are indexed.
  init(indexed: Bool = false, hasWords: Bool = false) throws {
    self.hasWords = hasWords
    queue = try DatabaseQueue()
    try queue.write { db in
      try db.create(table: PersonRecord.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text)
        table.column("email", .text)
        table.column("age", .integer)
        table.column("height", .double)
        table.column("isActive", .boolean)
        table.column("city", .text)
        table.column("phone", .text)
        table.column("score", .integer)
        table.column("tags", .jsonText)
      }
      if hasWords { try db.execute(sql: "CREATE VIRTUAL TABLE words USING fts5(email)") }
      if indexed { try db.create(indexOn: PersonRecord.databaseTableName, columns: ["score"]) }
    }
  }

  func createAll(_ records: [PersonRecord]) throws {
    try queue.write { db in
      for record in records {
        try record.insert(db)
        guard hasWords else { continue }
        try db.execute(sql: "INSERT INTO words (rowid, email) VALUES (?, ?)", arguments: [record.id, record.email])
      }
    }
  }

  func all() throws -> [PersonRecord] {
    try queue.read { try PersonRecord.order(Column("id")).fetchAll($0) }
  }

  func lookUp(_ identifiers: [Int]) throws -> [PersonRecord] {
    try identifiers.compactMap { id in try queue.read { try PersonRecord.fetchOne($0, key: id) } }
  }

  func lookUpInOneRead(_ identifiers: [Int]) throws -> [PersonRecord] {
    try queue.read { db in try identifiers.compactMap { try PersonRecord.fetchOne(db, key: $0) } }
  }

  func people(youngerThan age: Int, in city: String) throws -> [PersonRecord] {
    try queue.read { try Self.request(age, city).fetchAll($0) }
  }

  func identifiers(youngerThan age: Int, in city: String) throws -> [Int] {
    try queue.read { try Self.request(age, city).select(Column("id"), as: Int.self).fetchAll($0) }
  }

  private static func request(_ age: Int, _ city: String) -> QueryInterfaceRequest<PersonRecord> {
    PersonRecord.filter(Column("age") < age && Column("city") == city).order(Column("id"))
  }

  func people(words: [String]) throws -> [PersonRecord] {
    try words.flatMap { word in try queue.read { try PersonRecord.fetchAll($0, word: word) } }
  }

  func people(scores: [Int]) throws -> [PersonRecord] {
    try scores.flatMap { score in
      try queue.read { try PersonRecord.filter(Column("score") == score).order(Column("id")).fetchAll($0) }
    }
  }
}

extension PersonRecord {
  /// Returns the people with a word in their addresses, in a database that indexes them.
  static func fetchAll(_ db: Database, word: String) throws -> [PersonRecord] {
    try fetchAll(
      db, sql: "SELECT person.* FROM words JOIN person ON person.id = words.rowid WHERE words MATCH ? ORDER BY id",
      arguments: [word])
  }
}

/// A memory store with many people, filled in batches so that few models are live at once.
enum FilledMemoryStore {
  /// A round of the peer takes minutes for a million people.
  static func rounds(_ count: Int) -> Int? { count > 100_000 ? 5 : nil }

  static func make(count: Int, indexed: Bool = false) async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    if indexed { try store.index(\Person.score) }
    var start = 0
    while start < count {
      let end = min(start + 10_000, count)
      try await store.createAll(PersonRecord.samples(identifiers: start..<end).map { Person($0) })
      start = end
    }
    return store
  }
}

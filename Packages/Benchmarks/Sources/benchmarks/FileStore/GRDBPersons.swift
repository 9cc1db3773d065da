import Foundation
import GRDB

/// People in an SQLite database, configured as GRDB's documentation recommends for apps, and as durable as a file
/// store. The pool uses a write-ahead log, and its writer syncs every commit.
final class GRDBPersons: Sendable {
  private let pool: DatabasePool

  /// Opens an existing database.
  init(opening folder: URL) throws {
    pool = try DatabasePool(path: folder.appending(path: "people.sqlite").path(percentEncoded: false))
  }

  init(in folder: URL, isIndexed: Bool = false) throws {
    pool = try DatabasePool(path: folder.appending(path: "people.sqlite").path(percentEncoded: false))
    // Opening sets NORMAL, which loses the last commits in a power cut. It would overwrite a setting in
    // `prepareDatabase`.
    let level = try pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      return try Int.fetchOne(db, sql: "PRAGMA synchronous")
    }
    guard level == 2 else { throw NotDurable(level: level) }
    try pool.write { db in
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
      if isIndexed { try db.create(indexOn: PersonRecord.databaseTableName, columns: ["score"]) }
    }
  }

  static var sqliteVersion: String {
    let queue = try? DatabaseQueue()
    return (try? queue?.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }) ?? "of unknown version"
  }

  func close() throws { try pool.close() }

  // MARK: Writing

  func createOneByOne(_ records: [PersonRecord]) async throws {
    for record in records { try await pool.write { try record.insert($0) } }
  }

  func createOneByOneBlocking(_ records: [PersonRecord]) throws {
    for record in records { try pool.write { try record.insert($0) } }
  }

  func createAll(_ records: [PersonRecord]) async throws {
    try await pool.write { db in
      for record in records { try record.insert(db) }
    }
  }

  /// Indexes the words of the addresses of all people.
  func indexWords() async throws {
    try await pool.write { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE words USING fts5(email)")
      try db.execute(sql: "INSERT INTO words (rowid, email) SELECT id, email FROM person")
    }
  }

  // MARK: Reading

  /// Returns the people with each word, with one read each.
  func people(words: [String]) throws -> [PersonRecord] {
    try words.flatMap { word in try pool.read { try PersonRecord.fetchAll($0, word: word) } }
  }

  func identifiers() async throws -> [Int] {
    try await pool.read { try Int.fetchAll($0, sql: "SELECT id FROM person ORDER BY id") }
  }

  func all() async throws -> [PersonRecord] {
    try await pool.read { try PersonRecord.order(Column("id")).fetchAll($0) }
  }

  func people(scores: Range<Int>) async throws -> [PersonRecord] {
    try await pool.read { try Self.request(scores).fetchAll($0) }
  }

  func peopleBlocking(scores: Range<Int>) throws -> [PersonRecord] {
    try pool.read { try Self.request(scores).fetchAll($0) }
  }

  private static func request(_ scores: Range<Int>) -> QueryInterfaceRequest<PersonRecord> {
    PersonRecord.filter(Column("score") >= scores.lowerBound && Column("score") < scores.upperBound)
      .order(Column("id"))
  }

  func lookUp(_ identifiers: [Int]) async throws -> [PersonRecord] {
    var found: [PersonRecord] = []
    for id in identifiers {
      if let record = try await pool.read({ try PersonRecord.fetchOne($0, key: id) }) { found.append(record) }
    }
    return found
  }

  func lookUpBlocking(_ identifiers: [Int]) throws -> [PersonRecord] {
    try identifiers.compactMap { id in try pool.read { try PersonRecord.fetchOne($0, key: id) } }
  }

  func lookUpInOneRead(_ identifiers: [Int]) throws -> [PersonRecord] {
    try pool.read { db in try identifiers.compactMap { try PersonRecord.fetchOne(db, key: $0) } }
  }
}

/// An error for a database that does not sync every commit, so that its times can't be compared.
struct NotDurable: Error, CustomStringConvertible {
  let level: Int?

  var description: String {
    "SQLite did not take PRAGMA synchronous = FULL: it reports \(level.map(String.init) ?? "-")."
  }
}

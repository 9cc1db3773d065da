import Foundation
import GRDB

/// Expenses in an SQLite database, in memory or in a file. All reads use prepared statements.
final class GRDBExpenses: Sendable {
  private let database: any DatabaseWriter

  /// Creates a database.
  ///
  /// - Parameter folder: the folder of its file; nil for one in memory.
  init(in folder: URL?) throws {
    database =
      if let folder {
        try DatabasePool(path: folder.appending(path: "expenses.sqlite").path(percentEncoded: false))
      } else {
        try DatabaseQueue()
      }
    try database.write { db in
      try db.create(table: CategoryRecord.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text)
        table.column("budget", .integer)
      }
      try db.create(table: ExpenseRecord.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("title", .text)
        table.column("amount", .integer)
        table.column("day", .integer)
        table.column("account", .text)
        table.column("isPaid", .boolean)
        table.column("categoryId", .integer).references(CategoryRecord.databaseTableName)
      }
    }
  }

  func close() throws { try database.close() }

  /// Creates an index of a column, which may have the values of another one beside.
  func index(_ columns: String...) throws {
    try database.write { try $0.create(indexOn: ExpenseRecord.databaseTableName, columns: columns) }
  }

  func createAll(_ records: [ExpenseRecord]) throws {
    try database.write { db in
      let statement = try db.cachedStatement(sql: "INSERT INTO expense VALUES (?, ?, ?, ?, ?, ?, ?)")
      for record in records {
        try statement.execute(
          arguments: [
            record.id, record.title, record.amount, record.day, record.account, record.isPaid, record.categoryId,
          ])
      }
    }
  }

  func createAll(_ records: [CategoryRecord]) throws {
    try database.write { db in for record in records { try record.insert(db) } }
  }

  func setAmount(_ amount: Int, of id: Int) throws {
    try database.write { db in
      try db.cachedStatement(sql: "UPDATE expense SET amount = ? WHERE id = ?").execute(arguments: [amount, id])
    }
  }

  // MARK: Aggregates

  func total(before day: Int) throws -> Int? {
    try database.read { db in
      try Int.fetchOne(
        db.cachedStatement(sql: "SELECT SUM(amount) FROM expense WHERE day < ?"), arguments: [day])
    }
  }

  func total(on day: Int) throws -> Int? {
    try database.read { db in
      try Int.fetchOne(
        db.cachedStatement(sql: "SELECT SUM(amount) FROM expense WHERE day = ?"), arguments: [day])
    }
  }

  /// Returns the number and the sum of the expenses of each account.
  func totals() throws -> [AccountTotal] {
    try database.read { db in
      let statement = try db.cachedStatement(sql: "SELECT account, COUNT(*), SUM(amount) FROM expense GROUP BY account")
      return try Row.fetchAll(statement).map { AccountTotal(name: $0[0], count: $0[1], sum: $0[2]) }
    }
  }

  /// Returns the number and the sum of the expenses of each category, by its name.
  func totalsOfCategories() throws -> [AccountTotal] {
    try database.read { db in
      let statement = try db.cachedStatement(
        sql: """
          SELECT category.name, COUNT(*), SUM(amount) FROM expense JOIN category ON category.id = categoryId
          GROUP BY category.name
          """)
      return try Row.fetchAll(statement).map { AccountTotal(name: $0[0], count: $0[1], sum: $0[2]) }
    }
  }

  // MARK: Lists

  func all() throws -> [ExpenseRecord] {
    try database.read { try ExpenseRecord.order(Column("id")).fetchAll($0) }
  }

  func allWithCategories() throws -> [ExpenseWithCategory] {
    try database.read { db in
      try ExpenseRecord.including(required: ExpenseRecord.category).order(Column("id"))
        .asRequest(of: ExpenseWithCategory.self).fetchAll(db)
    }
  }
}

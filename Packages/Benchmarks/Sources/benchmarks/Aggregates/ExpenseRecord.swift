import GRDB

/// The same expense as a value, which GRDB stores.
struct ExpenseRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "expense"
  static let category = belongsTo(CategoryRecord.self)

  var id: Int
  var title: String
  var amount: Int
  var day: Int
  var account: String
  var isPaid: Bool
  var categoryId: Int

  /// The number of different accounts.
  static let accountCount = 100

  /// Creates the sample with a number, with one of some categories.
  init(sample id: Int, categoryCount: Int) {
    self.id = id
    title = "Expense with the number \(id)"
    amount = id &* 2_654_435_761 % 100_000
    day = id &* 7_919 % 365
    account = "Account \(id &* 31 % Self.accountCount)"
    isPaid = id % 3 != 0
    categoryId = id % categoryCount
  }
}

struct CategoryRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "category"

  var id: Int
  var name: String
  var budget: Int

  /// Creates the sample with a number.
  init(sample id: Int) {
    self.id = id
    name = "Category \(id)"
    budget = id &* 1_009 % 100_000
  }
}

/// An expense with its category, as GRDB reads both with one statement.
struct ExpenseWithCategory: Decodable, FetchableRecord {
  var expense: ExpenseRecord
  var category: CategoryRecord
}

import BenchmarkHarness
import FileStore
import Foundation
import MemoryStore

/// A database with expenses, and a store with the same ones.
final class FilledExpenses<Store: ModelStore> {
  let store: Store
  let database: GRDBExpenses
  private let folders: [StoreFolder]
  private let close: (Store) async throws -> Void

  /// - Parameters:
  ///   - count: the number of expenses.
  ///   - categoryCount: the number of categories.
  init(
    _ store: Store, in folders: [StoreFolder], count: Int, categoryCount: Int,
    another: (Store) -> Store, close: @escaping (Store) async throws -> Void
  ) async throws {
    (self.store, self.folders, self.close) = (store, folders, close)
    database = try GRDBExpenses(in: folders.last?.url)
    let records = (0..<categoryCount).map { CategoryRecord(sample: $0) }
    let categories = records.map { Category($0) }
    let writer = another(store)
    try await writer.createAll(categories)
    try database.createAll(records)
    // The batches limit the number of live models.
    for start in stride(from: 0, to: count, by: 20_000) {
      let records = (start..<min(start + 20_000, count)).map { ExpenseRecord(sample: $0, categoryCount: categoryCount) }
      try await writer.createAll(records.map { Expense($0, in: categories[$0.categoryId]) })
      try database.createAll(records)
    }
  }

  /// Stores the same expenses with foreign keys, too.
  func addKeyed(count: Int, categoryCount: Int, with writer: Store) async throws {
    let categories = try await writer.list(Category.self, sort: [.ascending(\.id)])
    for start in stride(from: 0, to: count, by: 20_000) {
      let records = (start..<min(start + 20_000, count)).map { ExpenseRecord(sample: $0, categoryCount: categoryCount) }
      try await writer.createAll(records.map { KeyedExpense($0, in: categories[$0.categoryId]) })
    }
  }

  /// Closes and removes both.
  func finish() async throws {
    try await close(store)
    try database.close()
    for folder in folders { folder.remove() }
  }
}

/// A kind of store whose queries are measured.
struct ExpenseStore<Store: ModelStore> {
  /// Its name in the names of the benchmarks.
  let name: String
  /// Creates a filled store and a database.
  let fill: (_ count: Int, _ categoryCount: Int) async throws -> FilledExpenses<Store>
  /// Returns a store instance without live models and columns.
  let another: (Store) -> Store
}

extension ExpenseStore<MemoryModelStore> {
  static var memory: ExpenseStore {
    ExpenseStore(
      name: "memory store",
      fill: { count, categoryCount in
        try await FilledExpenses(
          MemoryModelStore(), in: [], count: count, categoryCount: categoryCount,
          another: { MemoryModelStore($0.handle) }, close: { _ in })
      }, another: { MemoryModelStore($0.handle) })
  }
}

extension ExpenseStore<FileModelStore> {
  static func file(in place: StoreFolder.Place) -> ExpenseStore {
    ExpenseStore(
      name: "file store",
      fill: { count, categoryCount in
        let folders = [try StoreFolder(in: place), try StoreFolder(in: place)]
        let store = FileModelStore(directory: folders[0].url.appending(path: "expenses.store"))
        return try await FilledExpenses(
          store, in: folders, count: count, categoryCount: categoryCount,
          another: { FileModelStore($0.handle) }, close: { try await $0.close() })
      }, another: { FileModelStore($0.handle) })
  }
}

/// Expenses that several benchmarks read.
final class SharedExpenses<Store: ModelStore> {
  let kind: ExpenseStore<Store>
  private let categoryCount: Int
  private var usesLeft: Int
  private var filled: FilledExpenses<Store>?

  /// - Parameter uses: the number of benchmarks, after which they are removed.
  init(_ kind: ExpenseStore<Store>, categoryCount: Int, uses: Int) {
    (self.kind, self.categoryCount, usesLeft) = (kind, categoryCount, uses)
  }

  /// Returns the expenses for one benchmark, filled for the first one.
  func use(count: Int) async throws -> FilledExpenses<Store> {
    usesLeft -= 1
    if let filled { return filled }
    let made = try await kind.fill(count, categoryCount)
    filled = made
    return made
  }

  /// Ends a benchmark.
  func finish() async throws {
    if usesLeft > 0 { return }
    try await filled?.finish()
    filled = nil
  }
}

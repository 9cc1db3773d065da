import BenchmarkHarness
import FileStore
import MemoryStore

/// Lists of 1,000 expenses with their categories, compared with the list alone.
enum InclusionBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    of(ExpenseStore<MemoryModelStore>.memory) + of(ExpenseStore<FileModelStore>.file(in: place))
  }

  private static func of<Store: ModelStore>(_ kind: ExpenseStore<Store>) -> [Benchmark] {
    [list(kind, categoryCount: 100), list(kind, categoryCount: 1_000), listLive(kind, categoryCount: 100)]
  }

  /// All models are new, because the identity map of a round is empty.
  private static func list<Store: ModelStore>(_ kind: ExpenseStore<Store>, categoryCount: Int) -> Benchmark {
    Benchmark(
      group: "inclusion", name: "\(kind.name): list 1,000 with \(Format.count(categoryCount)) related models",
      operation: "list", size: 20
    ) { size in
      let filled = try await kind.fill(1_000, categoryCount)
      let database = filled.database
      return [
        Side(
          "ModelKit", prepare: { _ in (0..<size).map { _ in kind.another(filled.store) } },
          run: { stores in
            var lists: [[Expense]] = []
            for store in stores { lists.append(try await store.list(Expense.self, including: [\.category])) }
            return (stores, lists)
          },
          checksum: { checksum($1, withCategories: true) }, finish: { try await filled.finish() }),
        Side(
          "ModelKit, the list alone", goal: 1.5,
          prepare: { _ in (0..<size).map { _ in kind.another(filled.store) } },
          run: { stores in
            var lists: [[Expense]] = []
            for store in stores { lists.append(try await store.list(Expense.self)) }
            return (stores, lists)
          },
          checksum: { checksum($1, withCategories: false) }),
        Side(
          "GRDB, including(required:)", prepare: { _ in },
          run: { try (0..<size).map { _ in try database.allWithCategories() } },
          checksum: { lists in
            var checksum = Checksum()
            for expense in lists.joined() { checksum.add(expense.expense, in: expense.category) }
            return checksum.value
          }),
        Side(
          "GRDB, the list alone", prepare: { _ in }, run: { try (0..<size).map { _ in try database.all() } },
          checksum: { lists in
            var checksum = Checksum()
            for expense in lists.joined() {
              checksum.add(expense, in: CategoryRecord(sample: expense.categoryId))
            }
            return checksum.value
          }),
      ]
    }
  }

  /// All models are live, and nothing was written since they were read.
  private static func listLive<Store: ModelStore>(_ kind: ExpenseStore<Store>, categoryCount: Int) -> Benchmark {
    Benchmark(
      group: "inclusion", name: "\(kind.name): list 1,000 with \(Format.count(categoryCount)) related models, all live",
      operation: "list", size: 50
    ) { size in
      let filled = try await kind.fill(1_000, categoryCount)
      let store = kind.another(filled.store)
      let live = try await store.list(Expense.self, including: [\.category])
      return [
        Side(
          "ModelKit", prepare: { _ in },
          run: {
            var lists: [[Expense]] = []
            for _ in 0..<size { lists.append(try await store.list(Expense.self, including: [\.category])) }
            return lists
          },
          checksum: { checksum($0, withCategories: true) }, finish: { try await filled.finish() }),
        Side(
          "ModelKit, the list alone", goal: 1.5, prepare: { _ in },
          run: {
            var lists: [[Expense]] = []
            for _ in 0..<size { lists.append(try await store.list(Expense.self)) }
            return lists
          },
          checksum: { checksum($0, withCategories: true) }, finish: { withExtendedLifetime(live) {} }),
      ]
    }
  }

  /// Returns the checksum of expenses with their categories: those that were read, or the samples with their numbers.
  private static func checksum(_ lists: [[Expense]], withCategories: Bool) -> UInt64 {
    var checksum = Checksum()
    for expense in lists.joined() {
      let category = expense.category.value
      checksum.add(expense.id.value)
      checksum.add(expense.title.value)
      checksum.add(expense.amount.value)
      let sample = CategoryRecord(sample: category?.id.value ?? -1)
      checksum.add(withCategories ? category?.name.value : sample.name)
      checksum.add(withCategories ? category?.budget.value : sample.budget)
    }
    return checksum.value
  }
}

extension Checksum {
  /// Adds an expense with its category.
  fileprivate mutating func add(_ expense: ExpenseRecord, in category: CategoryRecord) {
    add(expense.id)
    add(expense.title)
    add(expense.amount)
    add(category.name)
    add(category.budget)
  }
}

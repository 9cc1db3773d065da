import BenchmarkHarness
import FileStore
import MemoryStore

/// Sums and groups of a million expenses. A store builds columns for the first call, and keeps them for later ones.
enum AggregateBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    let memory = ExpenseStore<MemoryModelStore>.memory
    return of(memory) + [afterWrite(memory), ofIndex(memory), ofCoveringIndex(memory)]
      + of(ExpenseStore<FileModelStore>.file(in: place))
  }

  private static let size = 1_000_000
  private static let categoryCount = 100
  private static let rounds = 21

  private static func of<Store: ModelStore>(_ kind: ExpenseStore<Store>) -> [Benchmark] {
    let shared = SharedExpenses(kind, categoryCount: categoryCount, uses: 7)
    return [
      sum(shared, .first), sum(shared, .second), sum(shared, .later), groups(shared, .first), groups(shared, .later),
      joined(shared), joinedByKey(shared),
    ]
  }

  /// The number of a call of the same query on one store instance.
  private enum Call: String {
    case first = "first call"
    case second = "second call"
    case later = "later calls"

    /// The number of calls before.
    var callsBefore: Int {
      switch self {
      case .first: 0
      case .second: 1
      case .later: 2
      }
    }
  }

  private static func sum<Store: ModelStore>(_ shared: SharedExpenses<Store>, _ call: Call) -> Benchmark {
    Benchmark(
      group: "aggregates", name: "\(shared.kind.name): sum with a condition, \(call.rawValue)", operation: "record",
      size: size, maximumRounds: rounds
    ) { size in
      let filled = try await shared.use(count: size)
      func total(_ store: Store, before day: Int) async throws -> Int? {
        try await store.sum(Expense.self, of: \.amount, where: { $0.day < day })
      }
      let kept = shared.kind.another(filled.store)
      return [
        Side(
          "ModelKit",
          prepare: { round in
            let store = call == .later ? kept : shared.kind.another(filled.store)
            if call != .later || round == 0 {
              for _ in 0..<call.callsBefore { blackHole(try await total(store, before: 100)) }
            }
            return (store, day(of: round))
          },
          run: { try await total($0, before: $1) }, checksum: { checksum(of: $0) },
          finish: { try await shared.finish() }),
        Side(
          "GRDB", goal: 1, prepare: { day(of: $0) }, run: { try filled.database.total(before: $0) },
          checksum: { checksum(of: $0) }),
      ]
    }
  }

  private static func groups<Store: ModelStore>(_ shared: SharedExpenses<Store>, _ call: Call) -> Benchmark {
    Benchmark(
      group: "aggregates", name: "\(shared.kind.name): 100 groups with count and sum, \(call.rawValue)",
      operation: "record", size: size, maximumRounds: rounds
    ) { size in
      let filled = try await shared.use(count: size)
      let kept = shared.kind.another(filled.store)
      return [
        Side(
          "ModelKit",
          prepare: { round in
            let store = call == .later ? kept : shared.kind.another(filled.store)
            if call != .later || round == 0 {
              for _ in 0..<call.callsBefore { blackHole(try await totals(store)) }
            }
            return store
          },
          run: { try await totals($0) }, checksum: { AccountTotal.checksum($0) }, finish: { try await shared.finish() }),
        Side(
          "GRDB", goal: 1, prepare: { _ in }, run: { try filled.database.totals() },
          checksum: { AccountTotal.checksum($0) }),
      ]
    }
  }

  private static func totals(_ store: some ModelStore) async throws -> [AccountTotal] {
    let groups = try await store.groups(Expense.self, by: { $0.account }) { ($0.count, $0.sum(\.amount)) }
    return groups.map { AccountTotal(name: $0.key, count: $0.values.0, sum: $0.values.1) }
  }

  private static func totalsOfCategories(_ store: some ModelStore) async throws -> [AccountTotal] {
    let groups = try await store.groups(Expense.self, by: { $0.category.name }) { ($0.count, $0.sum(\.amount)) }
    return groups.map { AccountTotal(name: $0.key, count: $0.values.0, sum: $0.values.1) }
  }

  /// The columns follow the changes between two calls.
  private static func afterWrite(_ kind: ExpenseStore<MemoryModelStore>) -> Benchmark {
    Benchmark(
      group: "aggregates", name: "\(kind.name): sum with a condition, after a change", operation: "record", size: size,
      maximumRounds: rounds
    ) { size in
      let filled = try await kind.fill(size, categoryCount)
      let store = filled.store
      let expense = try await store.lookup(Expense.self, identifier: "0")
      for _ in 0..<2 { blackHole(try await store.sum(Expense.self, of: \.amount, where: { $0.day < 100 })) }
      return [
        Side(
          "ModelKit",
          prepare: { round in
            expense.amount.value = round
            try await store.update(expense)
            return day(of: round)
          },
          run: { day in try await store.sum(Expense.self, of: \.amount, where: { $0.day < day }) },
          checksum: { checksum(of: $0) }, finish: { try await filled.finish() }),
        Side(
          "GRDB", goal: 1,
          prepare: { round in
            try filled.database.setAmount(round, of: 0)
            return day(of: round)
          },
          run: { try filled.database.total(before: $0) }, checksum: { checksum(of: $0) }),
      ]
    }
  }

  /// One day of 365, with an index of the days on both sides.
  private static func ofIndex(_ kind: ExpenseStore<MemoryModelStore>) -> Benchmark {
    Benchmark(
      group: "aggregates", name: "\(kind.name): sum with an indexed condition, 0.3 %", operation: "sum", size: 20,
      maximumRounds: rounds
    ) { size in
      let filled = try await kind.fill(self.size, categoryCount)
      try filled.store.index(\Expense.day)
      try filled.database.index("day")
      return [
        Side(
          "ModelKit", prepare: { $0 },
          run: { round in
            var sum = 0
            for number in 0..<size {
              let day = (round * size + number) % 365
              sum += try await filled.store.sum(Expense.self, of: \.amount, where: { $0.day == day }) ?? 0
            }
            return sum
          },
          checksum: { checksum(of: $0) }, finish: { try await filled.finish() }),
        Side(
          "GRDB", goal: 1, prepare: { $0 },
          run: { round in
            try (0..<size).reduce(0) { sum, number in
              try sum + (filled.database.total(on: (round * size + number) % 365) ?? 0)
            }
          },
          checksum: { checksum(of: $0) }),
      ]
    }
  }

  /// The peer has an index with all values that the groups need, and reads no row.
  private static func ofCoveringIndex(_ kind: ExpenseStore<MemoryModelStore>) -> Benchmark {
    Benchmark(
      group: "aggregates", name: "\(kind.name): 100 groups, covering index of the peer", operation: "record",
      size: size, maximumRounds: rounds
    ) { size in
      let filled = try await kind.fill(size, categoryCount)
      try filled.database.index("account", "amount")
      for _ in 0..<2 { blackHole(try await totals(filled.store)) }
      return [
        Side(
          "ModelKit, later calls", prepare: { _ in }, run: { try await totals(filled.store) },
          checksum: { AccountTotal.checksum($0) }, finish: { try await filled.finish() }),
        Side(
          "GRDB", goal: 1, prepare: { _ in }, run: { try filled.database.totals() },
          checksum: { AccountTotal.checksum($0) }),
      ]
    }
  }

  /// Groups by a field of a related model.
  private static func joined<Store: ModelStore>(_ shared: SharedExpenses<Store>) -> Benchmark {
    Benchmark(
      group: "aggregates", name: "\(shared.kind.name): 100 groups by the name of the category", operation: "record",
      size: size, maximumRounds: 5
    ) { size in
      let filled = try await shared.use(count: size)
      return [
        Side(
          "ModelKit", prepare: { _ in }, run: { try await totalsOfCategories(filled.store) },
          checksum: { AccountTotal.checksum($0) }, finish: { try await shared.finish() }),
        Side(
          "GRDB", prepare: { _ in }, run: { try filled.database.totalsOfCategories() },
          checksum: { AccountTotal.checksum($0) }),
      ]
    }
  }

  /// Groups by a field of a related model whose record is read by a foreign key.
  private static func joinedByKey<Store: ModelStore>(_ shared: SharedExpenses<Store>) -> Benchmark {
    Benchmark(
      group: "aggregates", name: "\(shared.kind.name): 100 groups by the name of the category, foreign key",
      operation: "record", size: size, maximumRounds: 5
    ) { size in
      let filled = try await shared.use(count: size)
      try await filled.addKeyed(
        count: size, categoryCount: categoryCount, with: shared.kind.another(filled.store))
      let kept = shared.kind.another(filled.store)
      return [
        Side(
          "ModelKit", prepare: { _ in }, run: { try await totalsOfKeys(kept) },
          checksum: { AccountTotal.checksum($0) }, finish: { try await shared.finish() }),
        Side(
          "ModelKit, first call", prepare: { _ in shared.kind.another(filled.store) },
          run: { try await totalsOfKeys($0) }, checksum: { AccountTotal.checksum($0) }),
        Side(
          "GRDB", prepare: { _ in }, run: { try filled.database.totalsOfCategories() },
          checksum: { AccountTotal.checksum($0) }),
      ]
    }
  }

  private static func totalsOfKeys(_ store: some ModelStore) async throws -> [AccountTotal] {
    let groups = try await store.groups(KeyedExpense.self, by: { $0.category.name }) { ($0.count, $0.sum(\.amount)) }
    return groups.map { AccountTotal(name: $0.key, count: $0.values.0, sum: $0.values.1) }
  }

  /// The days of a round, about half of all.
  private static func day(of round: Int) -> Int { 180 + round % 10 }

  private static func checksum(of total: Int?) -> UInt64 { UInt64(total ?? 0) }
}

/// The number and the sum of the expenses of an account.
struct AccountTotal {
  let name: String?
  let count: Int
  let sum: Int?

  /// Returns the checksum of groups in any order.
  static func checksum(_ totals: [AccountTotal]) -> UInt64 {
    var checksum = Checksum()
    for total in totals.sorted(by: { $0.name ?? "" < $1.name ?? "" }) {
      checksum.add(total.name)
      checksum.add(total.count)
      checksum.add(total.sum)
    }
    return checksum.value
  }
}

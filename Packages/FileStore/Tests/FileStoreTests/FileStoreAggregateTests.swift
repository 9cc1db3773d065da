import FileStore
import Foundation
import Testing

@testable import StoreProtocolTesting

/// Sums and groups of an app: columns of related models, months of a time zone, transactions that fail, live values.
@Suite struct `Aggregates of a file store` {
  final class Category: Model {
    @Field var id: Int?
    @Field var name: String?
    override var identifierField: AnyField? { $id }
  }

  final class Expense: Model {
    @Field var id: Int?
    @Field var amount: Decimal?
    @Field var cents: Int?
    @Field var date: Date?
    @ModelField(foreignKey: true) var category: Category?
    override var identifierField: AnyField? { $id }
  }

  /// The same as plain values.
  private struct Plain {
    struct Row {
      var amount: Decimal?
      var cents: Int?
      var date: Date?
      var category: Int?
    }

    var rows: [Int: Row] = [:]
    var names: [Int: String] = [:]

    func name(_ row: Row) -> String? { row.category.flatMap { names[$0] } }
  }

  private struct Refusal: Error {}

  private let berlin = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    return calendar
  }()

  private func fill(_ expense: Expense, _ row: Plain.Row, in store: FileModelStore) async throws {
    (expense.amount, expense.cents, expense.date) = (row.amount, row.cents, row.date)
    if let category = row.category {
      expense.category = try await store.lookup(Category.self, identifier: "\(category)")
    } else {
      expense.category = nil
    }
  }

  private func row(_ plain: Plain, _ random: inout RandomSource) -> Plain.Row {
    // Around the borders of months, and the two changes of the time.
    let moments = [1_774_746_000, 1_792_890_000, 1_769_900_400, 1_798_758_000, 0, 2_145_913_200]
    return Plain.Row(
      amount: random.below(6) == 0 ? nil : Decimal(random.below(200_000) - 50_000) / 100,
      cents: random.below(6) == 0 ? nil : random.below(2_000) - 500,
      date: random.below(6) == 0
        ? nil : Date(timeIntervalSince1970: Double(random.pick(moments) + random.below(14_400) - 7_200)),
      category: random.below(5) == 0 ? nil : plain.names.keys.sorted().randomElement(using: &random))
  }

  /// Writes a random change.
  private func change(_ store: FileModelStore, _ plain: inout Plain, _ random: inout RandomSource) async throws {
    let known = plain.rows.keys.sorted().randomElement(using: &random)
    switch (random.below(8), known) {
    case (0, let id?):
      try await store.delete(try await store.lookup(Expense.self, identifier: "\(id)"))
      plain.rows[id] = nil
    case (1...3, let id?):
      let row = row(plain, &random)
      let expense = try await store.lookup(Expense.self, identifier: "\(id)")
      try await fill(expense, row, in: store)
      try await store.save(expense)
      plain.rows[id] = row
    case (4, _):
      guard let id = plain.names.keys.sorted().randomElement(using: &random) else { return }
      let category = try await store.lookup(Category.self, identifier: "\(id)")
      category.name = random.pick(["Food", "Rent", "Travel", "Café", "food"])
      try await store.save(category)
      plain.names[id] = category.name
    default:
      let row = row(plain, &random)
      let expense = Expense()
      try await fill(expense, row, in: store)
      try await store.create(expense)
      plain.rows[try #require(expense.id)] = row
    }
  }

  private func sum<Number: Numeric>(_ values: [Number]) -> Number? { values.isEmpty ? nil : values.reduce(0, +) }

  private func month(_ date: Date?) -> String {
    guard let date, let start = berlin.dateInterval(of: .month, for: date)?.start else { return "nil" }
    let parts = berlin.dateComponents([.year, .month], from: start)
    return "\(parts.year ?? 0)-\(parts.month ?? 0)"
  }

  private func months(_ plain: Plain) -> [String] {
    Dictionary(grouping: plain.rows.values) { month($0.date) }.map {
      "\($0) \($1.count) \(sum($1.compactMap(\.amount)) ?? -1)"
    }.sorted()
  }

  private func categories(_ plain: Plain) -> [String] {
    Dictionary(grouping: plain.rows.values) { plain.name($0) }.map {
      "\($0 ?? "nil") \($1.count) \(sum($1.compactMap(\.cents)) ?? -1)"
    }.sorted()
  }

  private func check(_ store: FileModelStore, _ plain: Plain, _ place: String) async throws {
    let rows = Array(plain.rows.values)
    #expect(try await store.count(Expense.self) == rows.count, "\(place)")
    for _ in 0..<2 {
      #expect(try await store.sum(Expense.self, of: \.amount) == sum(rows.compactMap(\.amount)), "\(place)")
      let paid = rows.filter { ($0.cents ?? -1) > 0 }
      #expect(
        try await store.sum(Expense.self, of: \.cents, where: { $0.cents > 0 }) == sum(paid.compactMap(\.cents)),
        "\(place)")
      #expect(try await store.minimum(Expense.self, of: \.date) == rows.compactMap(\.date).min(), "\(place)")
      let food = rows.filter { plain.name($0) == "Food" }
      #expect(
        try await store.sum(Expense.self, of: \.amount, where: { $0.category.name == "Food" })
          == sum(food.compactMap(\.amount)), "\(place)")
      #expect(
        try await store.count(Expense.self, distinct: { $0.category.name }) == Set(rows.compactMap(plain.name)).count,
        "\(place)")
    }
    let calendar = berlin
    let byMonth = try await store.groups(Expense.self, by: { $0.date.month(in: calendar) }) {
      ($0.count, $0.sum(\.amount))
    }
    #expect(
      byMonth.map { month, values in
        "\(month.map { "\($0.year)-\($0.month)" } ?? "nil") \(values.0) \(values.1 ?? -1)"
      }.sorted() == months(plain), "\(place)")
    let byName = try await store.groups(Expense.self, by: { $0.category.name }) { ($0.count, $0.sum(\.cents)) }
    #expect(
      byName.map { "\($0.key ?? "nil") \($0.values.0) \($0.values.1 ?? -1)" }.sorted() == categories(plain), "\(place)")
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `Aggregates are those of plain Swift in and after transactions that fail`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      var plain = Plain()
      for name in ["Food", "Rent", "Travel"] {
        let category = Category()
        category.name = name
        try await store.create(category)
        plain.names[try #require(category.id)] = name
      }
      for round in 0..<20 {
        let place = "round \(round) of seed \(seed)"
        let isRefused = random.below(2) == 0
        let isNested = random.below(3) == 0
        var inner = plain
        // The transaction is the only one that uses the generator meanwhile.
        var source = random
        do {
          try await store.transaction { store in
            for _ in 0..<source.below(4) { try await change(store, &inner, &source) }
            try await check(store, inner, "in a transaction, \(place)")
            if isNested {
              let before = inner
              do {
                try await store.transaction { store in
                  for _ in 0..<3 { try await change(store, &inner, &source) }
                  try await check(store, inner, "in a nested transaction, \(place)")
                  throw Refusal()
                }
              } catch is Refusal {
                inner = before
              }
              try await check(store, inner, "after a nested transaction, \(place)")
              try await change(store, &inner, &source)
              try await check(store, inner, "after a write after a nested transaction, \(place)")
            }
            if isRefused { throw Refusal() }
          }
          plain = inner
        } catch is Refusal {}
        random = source
        try await check(store, plain, "after a transaction, \(place)")
        try await change(store, &plain, &random)
        try await check(store, plain, "after a write, \(place)")
        try await check(FileModelStore(store.handle), plain, "in another store instance, \(place)")
      }
      try await store.close()
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `Live sums and groups are those of plain Swift beside transactions that fail`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let reader = FileModelStore(store.handle)
      var plain = Plain()
      for name in ["Food", "Rent"] {
        let category = Category()
        category.name = name
        try await store.create(category)
        plain.names[try #require(category.id)] = name
      }
      let calendar = berlin
      var sums = reader.observeValue(Expense.self, where: { $0.cents > 0 }) { $0.sum(\.amount) }.makeAsyncIterator()
      var byMonth = reader.observeGroups(Expense.self, by: { $0.date.month(in: calendar) }) {
        ($0.count, $0.sum(\.amount))
      }.makeAsyncIterator()
      var byName = reader.observeGroups(Expense.self, by: { $0.category.name }) { ($0.count, $0.sum(\.cents)) }
        .makeAsyncIterator()
      var last: (sum: Decimal??, months: [String]?, names: [String]?)
      for round in 0..<30 {
        let place = "round \(round) of seed \(seed)"
        if round > 0 {
          var (inner, source) = (plain, random)
          let isRefused = random.below(3) == 0
          do {
            try await store.transaction { store in
              for _ in 0..<source.below(4) { try await change(store, &inner, &source) }
              if isRefused { throw Refusal() }
            }
            plain = inner
          } catch is Refusal {}
          random = source
        }
        let total = sum(plain.rows.values.filter { ($0.cents ?? -1) > 0 }.compactMap(\.amount))
        if last.sum != .some(total) {
          #expect(try await next(&sums, "observeValue").get() == total, "\(place)")
          last.sum = total
        }
        if last.months != months(plain) {
          let found = try await next(&byMonth, "observeGroups").get().map { month, values in
            "\(month.map { "\($0.year)-\($0.month)" } ?? "nil") \(values.0) \(values.1 ?? -1)"
          }
          last.months = months(plain)
          #expect(found.sorted() == last.months, "\(place)")
        }
        if last.names != categories(plain) {
          let found = try await next(&byName, "observeGroups").get().map {
            "\($0.key ?? "nil") \($0.values.0) \($0.values.1 ?? -1)"
          }
          last.names = categories(plain)
          #expect(found.sorted() == last.names, "\(place)")
        }
      }
      try await store.close()
    }
  }

  @Test func `A sum that does not fit is an error until a value is deleted, even a live one`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let largest = try #require(Decimal(string: String(repeating: "9", count: 38)))
      var expenses: [Expense] = []
      // A Decimal can have a few more than 38 digits.
      for number in 0..<5 {
        let expense = Expense()
        expense.amount = number < 4 ? largest : -1
        expense.cents = number < 2 ? .max : number < 4 ? nil : -1
        expenses.append(try await store.create(expense))
      }
      var sums = store.observeValue(Expense.self) { $0.sum(\.amount) }.makeAsyncIterator()
      let first = try await next(&sums, "observeValue")
      #expect(throws: ModelStoreError.self) { try first.get() }
      for _ in 0..<3 {
        for error in [
          await #expect(throws: ModelStoreError.self) { _ = try await store.sum(Expense.self, of: \.amount) },
          await #expect(throws: ModelStoreError.self) { _ = try await store.sum(Expense.self, of: \.cents) },
        ] {
          #expect(error?.code == .invalid)
        }
        #expect(try await store.average(Expense.self, of: \.cents) == (Double(Int.max) * 2 - 1) / 3)
        #expect(try await store.maximum(Expense.self, of: \.amount) == largest)
      }
      try await store.delete(expenses[0])
      #expect(try await next(&sums, "observeValue").get() == largest * 3 - 1)
      for _ in 0..<3 {
        #expect(try await store.sum(Expense.self, of: \.amount) == largest * 3 - 1)
        #expect(try await store.sum(Expense.self, of: \.cents) == .max - 1)
      }
      try await store.close()
    }
  }
}

// The call sites of aggregates, groups and related models that the documentation shows, as users write them. Compiled
// in both default isolations.
import Foundation
import ModelKit
import Testing

final class Budget: Model {
  @Field var id: Int?
  @Required var name = "Unnamed"
  @ModelField(foreignKey: true) var parent: Budget?
  @ModelArrayField var payments: [Payment]?
  override var identifierField: AnyField? { $id }
}

final class Payment: Model {
  @Field var id: Int?
  @Required var title = "Untitled"
  @Field var amount: Decimal?
  @Field var date: Date?
  @Field var day: Day?
  @Required var isPaid = false
  @ModelField(foreignKey: true, inverse: \.$payments) var budget: Budget?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Call sites of aggregates and groups` {
  private var utc: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }

  /// Food with payments of 1, 2 and nil in January and February of 2026, and one of 4 without a budget.
  private func filled() async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    let all = Budget(), food = Budget()
    (all.name, food.name, food.parent) = ("All", "Food", all)
    try await store.save(all)
    try await store.save(food)
    for (number, amount) in [1, 2, nil, 4].enumerated() as EnumeratedSequence<[Decimal?]> {
      let payment = Payment()
      payment.title = "payment \(number)"
      payment.amount = amount
      payment.day = Day(2026, 1 + number / 2, 15)
      payment.date = payment.day?.start(in: .gmt)
      payment.isPaid = number == 0
      payment.budget = number == 3 ? nil : food
      try await store.save(payment)
    }
    return store
  }

  @Test func `Call sites of aggregates`() async throws {
    let store = try await filled()
    #expect(try await store.sum(Payment.self, of: \.amount) == 7)
    #expect(try await store.sum(Payment.self, of: \.amount, where: { $0.budget.name == "Food" }) == 3)
    #expect(try await store.average(Payment.self, of: \.amount, where: { !$0.isPaid }) == 3)
    #expect(try await store.minimum(Payment.self, of: \.day) == Day(2026, 1, 15))
    #expect(try await store.maximum(Payment.self, of: { $0.budget.name }) == "Food")
    #expect(try await store.count(Payment.self, distinct: { $0.budget.name }) == 1)
    let open = ModelQuery(Payment.self, where: { !$0.isPaid })
    #expect(try await store.sum(open, of: \.amount) == 6)
    #expect(try await store.explain(open, columns: { ($0.title, $0.amount) }).matchCount == 3)
    for await sum in store.observeValue(Payment.self, where: { $0.isPaid }, { $0.sum(\.amount) }) {
      #expect(try sum.get() == 1)
      break
    }
  }

  @Test func `Call sites of groups`() async throws {
    let store = try await filled()
    let calendar = utc
    let months = try await store.groups(
      Payment.self, by: { ($0.budget.name, $0.date.month(in: calendar)) }, where: { $0.amount != nil },
      sort: { [.descending($0.sum(\.amount)), .ascending($0.count)] }, limit: 10
    ) { ($0.count, $0.sum(\.amount)) }
    var lines: [String] = []
    for ((budget, month), (count, total)) in months {
      lines.append("\(budget ?? "none") \(month?.month ?? 0): \(count), \(total ?? 0)")
    }
    #expect(lines == ["none 2: 1, 4", "Food 1: 2, 3"])
    #expect(months.map(\.key.0) == [nil, "Food"])
    #expect(months.map(\.values.0) == [1, 2])

    let days = try await store.groups(Payment.self, by: { ($0.day.year, $0.day.month) }) { $0.count(distinct: \.title) }
    #expect(days.map(\.values) == [2, 2])
    let titles = try await store.groups(Payment.self, by: \.title) { ($0.minimum(\.amount), $0.maximum { $0.day }) }
    #expect(titles.count == 4)
    let paid = try await store.groups(Payment.self, by: { ($0.isPaid as QueryColumn<Bool>) }) { $0.count }
    #expect(Dictionary(uniqueKeysWithValues: paid.map { ($0.key, $0.values) }) == [true: 1, false: 3])
    let query = ModelQuery(Payment.self, sort: [.descending(\.id)], limit: 2)
    let latest = try await store.groups(query, by: { $0.budget.name }, sort: { [.ascending($0.count)] }) { $0.count }
    #expect(latest.count == 2)
    for await groups in store.observeGroups(Payment.self, by: { $0.budget.name }, { ($0.count, $0.sum(\.amount)) }) {
      let found = try groups.get()
      #expect(found.map(\.values.0) == [3, 1])
      break
    }
  }

  @Test func `Call sites of columns`() async throws {
    let store = try await filled()
    let names = try await store.values(Payment.self, of: \.title, sort: [.descending(\.id)], limit: 1)
    #expect(names == ["payment 3"])
    let rows = try await store.values(Payment.self, of: { ($0.title, $0.budget.parent.name) }, sort: [.ascending(\.id)])
    for (title, name) in rows.prefix(1) { #expect(title == "payment 0" && name == "All") }
  }

  @Test func `Call sites of related models`() async throws {
    let store = try await filled()
    let payments = try await store.list(Payment.self, where: { $0.isPaid }, including: [\.budget.parent])
    #expect(payments.map { $0.budget?.parent?.name } == ["All"])
    let budgets = try await store.list(Budget.self, sort: [.ascending(\.id)])
    try await store.load([\.payments], of: budgets)
    #expect(budgets.map { $0.payments?.count ?? 0 } == [0, 3])
    for await result in store.observe(Budget.self, including: [\.payments, \.parent]) {
      #expect(result.models.count == 2)
      break
    }
  }

  @Test func `Call sites of whole collections`() async throws {
    let store = try await filled()
    let isLarge = ModelCondition<Payment> { $0.amount > 1 }
    let search: ModelCondition<Payment>? = nil
    #expect(try await store.count(ModelQuery(matching: isLarge && !ModelCondition { $0.isPaid }).and(search)) == 2)
    #expect(try await store.updateAll(Payment.self, where: { $0.amount == nil }) { $0.amount = 8 } == 1)
    let food = try await store.lookup(Budget.self, identifier: "2")
    let last = try await store.sample(Payment.self, count: 1, where: { $0.amount == 8 })
    try await store.replaceAll(in: food.$payments, with: last)
    #expect(try await store.count(Payment.self) == 2)
    #expect(try await store.deleteAll(in: food.$payments) == 1)
    let payment = Payment()
    payment.title = "new"
    try await store.create(payment, fields: [payment.$title])
    payment.amount = 1
    try await store.save(payment, fields: [payment.$amount])
    #expect(try await store.contains(Payment.self, identifier: payment.identifier ?? ""))
    try await store.replaceAll(Payment.self, with: [payment])
    #expect(try await store.deleteAll() == 3)
  }
}

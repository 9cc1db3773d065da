import Foundation
import ModelKit

final class Category: Model {
  @Field var id: Int?
  @Field var name: String?
  override var identifierField: AnyField? { $id }
}

final class Expense: Model {
  @Field var id: Int?
  @Field var amount: Decimal?
  @Field var count: Int?
  @Field var date: Date?
  @Field var day: Day?
  @Required var isPaid = false
  @ModelField(foreignKey: true) var category: Category?
  override var identifierField: AnyField? { $id }
}

func report(_ store: MemoryModelStore, _ calendar: Calendar) async throws {
  let totals = try await store.groups(
    Expense.self, by: { ($0.category.name, $0.date.month(in: calendar)) },
    where: { $0.amount > 0 && $0.count < 10 || $0.isPaid },
    sort: { [.descending($0.sum(\.amount)), .ascending($0.minimum { $0.category.name }), .ascending($0.count)] },
    limit: 10
  ) { ($0.count, $0.sum(\.amount), $0.average { $0.count }, $0.maximum(\.day)) }
  for ((category, month), (count, amount, average, last)) in totals {
    print(category ?? "none", month ?? Day(2026, 1, 1), count, amount ?? 0, average ?? 0, last ?? Day(2026, 1, 1))
  }
  let one = try await store.groups(Expense.self, by: { $0.day.month }) { $0.sum(\.amount) }
  print(one.map(\.values))
  for await groups in store.observeGroups(Expense.self, by: { $0.category.name }, { ($0.count, $0.sum(\.amount)) }) {
    print(try groups.get().map(\.values.1))
  }
  let isLarge = ModelCondition<Expense> { $0.amount > 100 }
  print(try await store.sum(ModelQuery(matching: isLarge && !ModelCondition { $0.isPaid }), of: \.amount) ?? 0)
}

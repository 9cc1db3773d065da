import ModelKit

final class Expense: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let amount = Field<Double>()
  override var identifierField: AnyField? { id }
}

func report(_ store: MemoryModelStore) async throws {
  let byTitle = try await store.groups(Expense.self, by: { $0.title }) { ($0.count, $0.sum(\.amount)) }
  print(byTitle.map(\.values.1))
  // A text has no sum, and a group has aggregates of columns, not the columns.
  _ = try await store.groups(Expense.self, by: { $0.title }) { $0.sum(\.title) }  // error: conform to 'Summable'
  _ = try await store.groups(Expense.self, by: { $0.title }) { ($0.count, $0.amount) }  // error: has no member 'amount'
  _ = try await store.groups(Expense.self, by: { $0.title }) { $0.total(\.amount) }  // error: has no member 'total'
  _ = try await store.groups(Expense.self, by: { $0.title }) { $0.sum(\.price) }  // error: dynamic member 'price'
  // Neither keys nor values have labels: the compiler also warns to leave them out.
  let labeled = try await store.groups(Expense.self, by: { $0.title }) { (count: $0.count, sum: $0.sum(\.amount)) }
  print(labeled.count)  // error: value of type 'NoColumns' has no member 'count'
  let keys = try await store.groups(Expense.self, by: { (title: $0.title, amount: $0.amount) }) { $0.count }
  print(keys.count)  // error: value of type 'NoColumns' has no member 'count'
  let columns = try await store.values(Expense.self, of: { (title: $0.title, amount: $0.amount) })
  print(columns.count)  // error: value of type 'NoColumns' has no member 'count'
}

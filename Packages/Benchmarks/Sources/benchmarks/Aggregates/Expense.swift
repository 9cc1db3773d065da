import ModelCore

/// The expense of the benchmarks of aggregates and included relations: six fields and a category.
final class Expense: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let amount = Field<Int>()
  let day = Field<Int>()
  let account = Field<String>()
  let isPaid = Field<Bool>()
  let category = ModelField<Category>()

  override var identifierField: AnyField? { id }

  /// Creates a model with the values of a record.
  convenience init(_ record: ExpenseRecord, in category: Category?) {
    self.init()
    id.value = record.id
    title.value = record.title
    amount.value = record.amount
    day.value = record.day
    account.value = record.account
    isPaid.value = record.isPaid
    self.category.value = category
  }
}

/// The same expense with a category that is stored by its identifier.
final class KeyedExpense: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let amount = Field<Int>()
  let day = Field<Int>()
  let account = Field<String>()
  let isPaid = Field<Bool>()
  let category = ModelField<Category>(foreignKey: true)

  override var identifierField: AnyField? { id }

  /// Creates a model with the values of a record.
  convenience init(_ record: ExpenseRecord, in category: Category?) {
    self.init()
    id.value = record.id
    title.value = record.title
    amount.value = record.amount
    day.value = record.day
    account.value = record.account
    isPaid.value = record.isPaid
    self.category.value = category
  }
}

final class Category: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let budget = Field<Int>()

  override var identifierField: AnyField? { id }

  /// Creates a model with the values of a record.
  convenience init(_ record: CategoryRecord) {
    self.init()
    id.value = record.id
    name.value = record.name
    budget.value = record.budget
  }
}

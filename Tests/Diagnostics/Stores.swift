import ModelKit

final class Person: Model {
  let id = Field<Int>()
  let tags = Field<String>()*
  let company = ModelField<Company>(foreignKey: true, inverse: \.employees)
  override var identifierField: AnyField? { id }
}

final class Company: Model {
  let id = Field<Int>()
  let employees = ModelField<Person>(foreignKey: true)*
  override var identifierField: AnyField? { id }
}

func index(_ memory: MemoryModelStore, _ file: FileModelStore) async throws {
  try memory.index(\Person.tags)  // error: A list can't be indexed
  try memory.index(\Company.employees)  // error: index its to-one inverse
  try await file.index(\Person.tags)  // error: A list can't be indexed
  try await file.index(\Company.employees, unique: true)  // error: index its to-one inverse
}

@MainActor func begin(_ person: Person, in store: MemoryModelStore) {
  Task { try await store.create(person) }  // error: does not conform to the 'Sendable' protocol
  Task { _ = try await store.create(person) }
  Task { try await store.save(person) }
}

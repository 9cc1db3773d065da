import ModelKit

final class Person: Model {
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
}

@MainActor func saveTogether(_ one: Person, _ two: Person, in store: MemoryModelStore) async throws {
  async let first: Void = store.save(one)  // error: risks causing data races
  async let second: Void = store.save(two)  // error: risks causing data races
  _ = try await (first, second)
}

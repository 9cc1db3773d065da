// cured by: NonisolatedNonsendingByDefault
import ModelKit

final class Person: Model {
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
}

final class Directory {
  let store = MemoryModelStore()
  var people: [Person] = []
  func load() async throws { people = try await store.list(Person.self) }
}

@MainActor final class Screen {
  let directory = Directory()
  func show() async throws { try await directory.load() }  // error: sending 'self.directory' risks causing data races
}

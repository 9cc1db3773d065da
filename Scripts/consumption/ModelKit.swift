// Prints: Bob
// Prints: a file store: FileModelStore
// Prints: a REST store: RESTModelStore

import ModelKit

final class Person: Model {
  let id = Field<String>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }
}

let store = MemoryModelStore()
let bob = Person()
bob.name.value = "Bob"
_ = try await store.create(bob)
print(try await store.list(Person.self).first?.name.value ?? "nobody")
print("a file store: \(FileModelStore.self)")
print("a REST store: \(RESTModelStore.self)")

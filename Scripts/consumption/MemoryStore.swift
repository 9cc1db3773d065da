// Prints: Bob
// Prints: 1 stored

import MemoryStore

final class Person: Model {
  let id = Field<String>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }
}

let store = MemoryModelStore()
let bob = Person()
bob.name.value = "Bob"
let created = try await store.create(bob)
let identifier = created.identifier ?? ""
print(try await store.lookup(Person.self, identifier: identifier).name.value ?? "nobody")
print("\(try await store.list(Person.self).count) stored")

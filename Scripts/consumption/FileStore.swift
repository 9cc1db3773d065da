// Prints: Bob, after opening it again

import FileStore
import Foundation

final class Person: Model {
  let id = Field<String>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }
}

let directory = FileManager.default.temporaryDirectory.appendingPathComponent("consumption-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: directory) }

let store = FileModelStore(directory: directory)
let bob = Person()
bob.name.value = "Bob"
let identifier = try await store.create(bob).identifier ?? ""
try await store.close()

let reopened = FileModelStore(directory: directory)
print(try await reopened.lookup(Person.self, identifier: identifier).name.value ?? "nobody", terminator: ", ")
print("after opening it again")
try await reopened.close()

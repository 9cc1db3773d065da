import Foundation
import ModelKit

final class Person: Model {
  let id = Field<Int>()
  let name = Field<String>(value: "", name: "Name")  // error: Write the initial value without a label
  override var identifierField: (any FieldProtocol)? { id }  // error: has been renamed to 'AnyField'
}

func callByFormerNames(_ person: Person, _ url: URL, in store: some ModelStore) async throws {
  _ = person.id.anyObjectValue  // error: Read anyValue, and set with set(anyValue:)
  _ = person.fieldForKeyPath("name")  // error: has been renamed to 'field(at:)'
  _ = try await store.read(Person.self, identifier: "1")  // error: has been renamed to 'lookup(_:identifier:)'
  _ = try await store.read(person)  // error: has been renamed to 'refresh(_:)'
  _ = MemoryModelStore.sharedInstance  // error: There is no shared store
  _ = MemoryModelStore.shared  // error: There is no shared store
  _ = ArchiveModelStore(directory: url)  // error: has been renamed to 'FileModelStore'
  _ = RemoteModelStore(baseURL: url)  // error: has been renamed to 'RESTModelStore'
}

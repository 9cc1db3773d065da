// Prints: /people

import RESTStore

final class Person: Model {
  let id = Field<String>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }
}

let router = RESTRouter()
router.route(Person.self, to: "people")
print(router.collectionPath(for: Person.self) ?? "no path")

import ModelKit

final class Person: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let age = Field<Int>()
  let tags = Field<String>()*
  let company = ModelField<Company>()
  override var identifierField: AnyField? { id }
}

final class Company: Model {
  let name = Field<String>()
}

func useFields(_ person: Person) {
  person.age = 7  // error: 'age' is a 'let' constant
  let name: String = person.name  // error: cannot convert value of type 'Field<String>' to specified type 'String'
  if person.age > 3 { print(name) }  // error: requires that 'Field<Int>' conform to 'BinaryInteger'
  person.age.value += 1  // error: value of optional type 'Int?' must be unwrapped
  for tag in person.tags { print(tag) }  // error: requires 'ArrayField<String>' to conform to 'Sequence'
  person.company.value.name.value = "Acme"  // error: value of optional type 'Company?' must be unwrapped
  person.company.name.value = "Acme"  // error: value of type 'String?' has no member 'value'
  _ = Person(name: "Jane")  // error: argument passed to call that takes no arguments
}

class WithInitializer: Model {
  init(name: String) { super.init() }
}  // error: 'required' initializer 'init()' must be provided

func useStore(_ store: MemoryModelStore, _ model: ModelObject) async throws {
  try await store.save(model)  // error: requires that 'ModelObject' conform to 'ModelIsolation'
  _ = try await store.lookup(Person.self, identifier: 7)  // error: An identifier is text
  _ = try await store.list(Person.self, where: { $0.name.value == "Jane" })  // error: without .value
}

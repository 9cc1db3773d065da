import MemoryStore
import Testing

@Suite struct `The description of a memory store` {
  private final class Person: Model {
    let id = Field<Int>()
    let pin = Field<Int>(sensitive: true)
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Person" }
  }

  @Test func `The description of a memory store has the number of models, and none of their values`() async throws {
    let store = MemoryModelStore()
    #expect("\(store)" == "MemoryModelStore(empty)")
    for _ in 1...2 {
      let person = Person()
      person.pin.value = 4711
      try await store.create(person)
    }
    #expect("\(store)" == "MemoryModelStore(Person: 2)")
    #expect(String(reflecting: store.handle) == "MemoryEngine(Person: 2)")
    var text = ""
    dump(store, to: &text)
    #expect(text.contains("Person: 2"))
    #expect(!text.contains("4711"))
    for person in try await store.list(Person.self) { try await store.delete(person) }
    #expect("\(store)" == "MemoryModelStore(empty)")
  }
}

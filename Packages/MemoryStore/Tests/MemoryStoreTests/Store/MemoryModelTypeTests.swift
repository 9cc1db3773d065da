import MemoryStore
import Testing

/// The base class of a type that is known only at run time.
class Thing: Model {
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
}

final class Lamp: Thing {
  override class var typeName: String { "Lamp" }
  let label = Field<String>()
  let watts = Field<Int>()
  let owner = ModelField<Lamp>(foreignKey: true)
}

extension Lamp {
  convenience init(_ label: String, watts: Int?) {
    self.init()
    self.label.value = label
    self.watts.value = watts
  }
}

@Suite struct `A memory store that is given types of models instead of classes` {
  private let store = MemoryModelStore()
  private let type = ModelType<Thing>(Lamp.self)

  init() async throws {
    let people = [("desk", 5), ("hall", 40), ("roof", 60), ("cellar", nil)].map { Lamp($0, watts: $1) }
    try await store.createAll(Array(people[..<1]))
    people[1].owner.value = people[0]
    try await store.createAll(Array(people[1...]))
  }

  @Test func `A memory store looks up types of models without suspending as it does otherwise`() async throws {
    let found = try store.lookupImmediately(type, identifier: "2")
    #expect((found as? Lamp)?.label.value == "hall")
    let same = try await store.lookup(type, identifier: "2")
    #expect(found === same)
    let error = #expect(throws: ModelStoreError.self) { try store.lookupImmediately(type, identifier: "9") }
    #expect(error?.code == .notFound)
  }

  @Test func `A memory store lists and counts types of models by fields of the class`() async throws {
    let bright = try store.listImmediately(type, where: { $0["watts"] > 10 }, sort: [.descending { $0["watts"] }])
    #expect(bright.map(\.id.value) == [3, 2])
    let expected = try await store.list(type, where: { $0["watts"] > 10 }, sort: [.descending { $0["watts"] }])
    #expect(bright == expected)
    #expect(try store.listImmediately(type, limit: 2, offset: 1).map(\.id.value) == [2, 3])
    #expect(try store.countImmediately(type) == 4)
    #expect(try store.countImmediately(type, where: { $0["label"].hasPrefix("d") }) == 1)
    let error = #expect(throws: ModelStoreError.self) { try store.listImmediately(type, where: { $0["volts"] == 1 }) }
    #expect(error?.code == .invalid)
  }

  @Test func `A memory store uses an index that was declared by the name of a field`() async throws {
    try store.index(type, "watts")
    #expect(try store.listImmediately(type, where: { $0["watts"] == 40 }).map(\.id.value) == [2])
    let report = try await store.explain(ModelQuery(Lamp.self, where: { $0.watts == 40 }))
    #expect(report.plan.usedIndexes == ["watts"])
    #expect((report.readCount, report.testedCount, report.matchCount) == (1, 0, 1))
  }

  @Test func `A memory store uses an index of a foreign key that was declared by its name`() async throws {
    try store.index(type, "owner")
    let owner = try store.lookupImmediately(Lamp.self, identifier: "1")
    let query = ModelQuery(Lamp.self, where: { $0.owner == owner })
    #expect(try store.listImmediately(query).map(\.id.value) == [2])
    #expect(try await store.explain(query).plan.usedIndexes == ["owner"])
  }

  @Test func `A memory store rejects a comparison of a relation with a value that is no model, indexed or not`() throws
  {
    func code() -> ModelStoreError.Code? {
      #expect(throws: ModelStoreError.self) { try store.listImmediately(type, where: { $0["owner"] > 3 }) }?.code
    }
    #expect(code() == .invalid)
    try store.index(type, "owner")
    #expect(code() == .invalid)
  }

  @Test func `A memory store refuses a second value of a unique index, and an index of a missing field`() async throws {
    try store.index(type, "label", unique: true)
    let second = Lamp("desk", watts: 1)
    let taken = await #expect(throws: ModelStoreError.self) { _ = try await store.create(second) }
    #expect(taken?.code == .conflict)
    #expect(taken?.fields == ["label": ["is taken"]])
    let missing = #expect(throws: ModelStoreError.self) { try store.index(type, "volts") }
    #expect(missing?.code == .invalid)
  }
}

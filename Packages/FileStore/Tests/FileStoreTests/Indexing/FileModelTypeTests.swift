import FileStore
import StoreProtocolTesting
import Testing

/// The statically known base of a type that is known at run time: the fields are those of the class behind it.
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

@Suite struct `A file store that is given types of models instead of classes` {
  private let type = ModelType<Thing>(Lamp.self)

  private func withLamps(_ body: (FileModelStore) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let lamps = [("desk", 5), ("hall", 40), ("roof", 60), ("cellar", nil)].map { Lamp($0, watts: $1) }
      try await store.createAll(Array(lamps[..<1]))
      lamps[1].owner.value = lamps[0]
      try await store.createAll(Array(lamps[1...]))
      try await body(store)
      try await store.close()
    }
  }

  @Test func `A file store uses an index that was declared by the name of a field`() async throws {
    try await withLamps { store in
      try await store.index(type, "watts")
      #expect(try await store.list(type, where: { $0["watts"] == 40 }).map(\.id.value) == [2])
      let report = try await store.explain(ModelQuery(Lamp.self, where: { $0.watts == 40 }))
      #expect(report.plan.usedIndexes == ["watts"])
      #expect((report.readCount, report.testedCount, report.matchCount) == (1, 0, 1))
    }
  }

  @Test func `A file store uses an index of a foreign key that was declared by its name`() async throws {
    try await withLamps { store in
      try await store.index(type, "owner")
      let owner = try await store.lookup(Lamp.self, identifier: "1")
      let query = ModelQuery(Lamp.self, where: { $0.owner == owner })
      #expect(try await store.list(query).map(\.id.value) == [2])
      #expect(try await store.explain(query).plan.usedIndexes == ["owner"])
    }
  }

  @Test func `A file store has one index of a field that is declared by its path and by its name`() async throws {
    try await withLamps { store in
      try await store.index(\Lamp.label)
      try await store.index(type, "label", unique: true)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(Lamp("desk", watts: 1)) }
      #expect(error?.code == .conflict)
      #expect(error?.fields == ["label": ["is taken"]])
      #expect(try await store.count(Lamp.self) == 4)
    }
  }

  @Test func `A file store with types of models instead of classes rejects an index of an unknown field`()
    async throws
  {
    try await withLamps { store in
      let error = await #expect(throws: ModelStoreError.self) { try await store.index(type, "volts") }
      #expect(error?.code == .invalid)
    }
  }
}

import Foundation
import MemoryStore
import StoreProtocolTesting
import Testing

@Suite struct `Imports` {
  @Test @MainActor func `A cancelled import throws and leaves the models as they were`() async throws {
    let store = MemoryModelStore()
    let person = ContractPerson()
    person.name.value = "Ada"
    person.age.value = 36
    try await store.create(person)
    let json = Data("[{\"id\": \(person.identifier ?? ""), \"age\": 37}]".utf8)
    let task = Task { @MainActor in _ = try await store.importModels(ContractPerson.self, fromJSON: json) }
    task.cancel()
    let error = await #expect(throws: ModelStoreError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(person.age.value == 36 && !person.isDirty)
  }

  @Test func `A rejected entry leaves a live model with a local change as it was`() async throws {
    let store = MemoryModelStore()
    let person = ContractPerson()
    person.name.value = "Ada"
    try await store.create(person)
    person.name.value = "Local"
    let json = Data("[{\"id\": \(person.identifier ?? ""), \"name\": \"\", \"height\": 1.7}]".utf8)
    let report = try await store.importModels(ContractPerson.self, fromJSON: json)
    #expect(report.rejected.count == 1)
    #expect(person.name.value == "Local" && person.name.isDirty && person.height.value == nil)
    try await store.save(person)
    store.scope.remove(person)
    #expect(try await store.lookup(ContractPerson.self, identifier: person.identifier ?? "").name.value == "Local")
  }

  @Test func `An import updates a model for a change inside an embedded one`() async throws {
    let store = MemoryModelStore()
    let line = try Line.from(dictionaryValue: ["id": 1, "part": ["size": 3]])
    try await store.create(line)
    let json = Data(#"[{"id": 1, "part": {"size": 4}}]"#.utf8)
    let report = try await store.importModels(Line.self, fromJSON: json)
    #expect(report.updated == [line])
    store.scope.remove(line)
    #expect(try await store.lookup(Line.self, identifier: "1").part.value?.size.value == 4)
  }

  @Test func `An import writes no related model of a rejected entry`() async throws {
    let store = MemoryModelStore()
    let json = Data(
      #"[{"id": 1, "name": "Ada", "age": 200, "company": {"id": "acme", "name": "Acme"}}, {"id": 2, "name": "Eve"}]"#
        .utf8)
    let report = try await store.importModels(ContractPerson.self, fromJSON: json)
    #expect(report.description == "1 created, 0 updated, 0 unchanged, 1 rejected")
    #expect(try await store.list(ContractPerson.self).map(\.id.value) == [2])
    #expect(try await store.list(ContractCompany.self).isEmpty)
  }

  @Test func `A save and an import write unknown values that are kept, and undo those of a rejected entry`()
    async throws
  {
    let scope = ModelScope(transformers: ValueTransformerContext(keepsUnknownKeys: true))
    let store = MemoryModelStore(scope: scope)
    let person = try ContractPerson.from(dictionaryValue: ["id": 1, "name": "Ada", "shoe": 38], in: scope)
    try await store.create(person)
    func stored() async throws -> AttributeDictionary {
      let other = MemoryModelStore(store.handle, scope: ModelScope(transformers: scope.transformers))
      return try await other.lookup(ContractPerson.self, identifier: "1").unknownValues
    }
    func imported(_ json: String) async throws -> String {
      try await store.importModels(ContractPerson.self, fromJSON: Data(json.utf8)).description
    }
    try person.read(["shoe": 39, "x": ["y": 1]])
    try await store.save(person)
    #expect(try await stored() == ["shoe": 39, "x": ["y": 1]])
    #expect(try await imported(#"[{"id": 1, "shoe": 40}]"#) == "0 created, 1 updated, 0 unchanged, 0 rejected")
    #expect(try await stored() == ["shoe": 40, "x": ["y": 1]])
    #expect(try await imported(#"[{"id": 1, "shoe": 40}]"#) == "0 created, 0 updated, 1 unchanged, 0 rejected")
    #expect(
      try await imported(#"[{"id": 1, "name": "", "shoe": 41}]"#) == "0 created, 0 updated, 0 unchanged, 1 rejected")
    #expect(person.unknownValues == ["shoe": 40, "x": ["y": 1]])
    try await store.refresh(person)
    person.age.value = 36
    try await store.save(person)
    #expect(try await stored() == ["shoe": 40, "x": ["y": 1]])
  }

  @Test func `A transaction that fails leaves unknown values of a document unsaved`() async throws {
    let scope = ModelScope(transformers: ValueTransformerContext(keepsUnknownKeys: true))
    let store = MemoryModelStore(scope: scope)
    let person = try ContractPerson.from(dictionaryValue: ["id": 1, "name": "Ada", "shoe": 38], in: scope)
    try await store.create(person)
    try person.read(["shoe": 39])
    await #expect(throws: CancellationError.self) {
      try await store.transaction { store in
        try await store.save(person)
        throw CancellationError()
      }
    }
    try await store.save(person)
    store.scope.remove(person)
    #expect(try await store.lookup(ContractPerson.self, identifier: "1").unknownValues == ["shoe": 39])
  }

  @Test func `An import writes the fields that a hook sets after reading, and undoes those of a rejected entry`()
    async throws
  {
    let store = MemoryModelStore()
    let poem = try Poem.from(dictionaryValue: ["id": 1, "title": "Emma"])
    try await store.create(poem)
    func imported(_ json: String) async throws -> String {
      try await store.importModels(Poem.self, fromJSON: Data(json.utf8)).description
    }
    #expect(try await imported(#"[{"id": 1, "title": "Emma II"}]"#) == "0 created, 1 updated, 0 unchanged, 0 rejected")
    #expect(poem.searchTitle.value == "emma ii" && !poem.isDirty)
    #expect(try await store.count(Poem.self, where: { $0.searchTitle == "emma ii" }) == 1)
    #expect(try await imported(#"[{"id": 1, "title": "Emma II"}]"#) == "0 created, 0 updated, 1 unchanged, 0 rejected")
    #expect(try await imported(#"[{"id": 1, "title": "No"}]"#) == "0 created, 0 updated, 0 unchanged, 1 rejected")
    #expect(poem.searchTitle.value == "emma ii" && !poem.isDirty)
  }

  @Test func `An entry is identified as its class converts it`() async throws {
    let store = MemoryModelStore()
    let site = try Site.from(dictionaryValue: ["pk": 1, "name": "A"])
    try await store.create(site)
    store.scope.remove(site)
    let json = Data(#"[{"pk": 1, "name": "B"}, {"pk": 1, "name": "C"}, {"pk": true}]"#.utf8)
    let report = try await store.importModels(Site.self, fromJSON: json)
    #expect(report.description == "0 created, 1 updated, 0 unchanged, 2 rejected")
    #expect(report.rejected.first?.identifier == "1")
    #expect(try await store.list(Site.self).map(\.name.value) == ["B"])
  }

  @Test func `An embedded model is identified as its class converts it`() async throws {
    let store = MemoryModelStore()
    let trip = Trip()
    trip.id.value = 1
    trip.goal.value = Site()
    trip.goal.value?.name.value = "A"
    try await store.create(trip)
    let goal = try #require(trip.goal.value)
    let json = Data(#"[{"id": 1, "goal": {"pk": 2, "name": "B"}}]"#.utf8)
    try await store.importModels(Trip.self, fromJSON: json)
    #expect(trip.goal.value !== goal && goal.id.value == nil && goal.name.value == "A")
    #expect(trip.goal.value?.id.value == 2 && trip.goal.value?.name.value == "B")
  }
}

/// A model whose documents call the identifier `pk`.
private final class Site: Model, DocumentConverting {
  let id = Field<Int>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }

  static func decoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary {
    var decoded = dictionary
    guard let key = decoded.removeValue(forKey: "pk") else { return dictionary }
    if case .bool = key { throw ValueTransformError(expected: "a key", found: key) }
    decoded["id"] = key
    return decoded
  }
}

/// A model that derives a field from another one after reading.
private final class Poem: Model, ReadingHook {
  let id = Field<Int>()
  let title = Field<String>(.length(4...))
  let searchTitle = Field<String>()
  override var identifierField: AnyField? { id }

  func afterRead() { searchTitle.value = title.value?.lowercased() }
}

private final class Trip: Model {
  let id = Field<Int>()
  let goal = ModelField<Site>()
  override var identifierField: AnyField? { id }
}

private final class Line: Model {
  let id = Field<Int>()
  let part = ModelField<Part>()
  override var identifierField: AnyField? { id }
}

private final class Part: Model {
  let size = Field<Int>()
}

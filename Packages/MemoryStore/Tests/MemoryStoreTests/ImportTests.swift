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
}

private final class Line: Model {
  let id = Field<Int>()
  let part = ModelField<Part>()
  override var identifierField: AnyField? { id }
}

private final class Part: Model {
  let size = Field<Int>()
}

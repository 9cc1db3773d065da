import StoreEngine
import StoreProtocolTesting
import Testing

@Suite @MainActor struct `Records that an engine completes` {
  /// An engine that gives people without age the age 18.
  fileprivate nonisolated final class CompletingEngine: RecordEngine {
    let shelves = ShelfEngine()

    var changeFeed: StoreChangeFeed { shelves.changeFeed }
    var conflictTrackers: ConflictTrackers { shelves.conflictTrackers }

    func snapshot(pinned: Bool) -> ShelfEngine.Shelves { shelves.snapshot(pinned: pinned) }
    func nextInteger(for type: String) -> Int? { shelves.nextInteger(for: type) }
    func commit(_ batch: RecordBatch) throws { _ = try commitCompleting(batch) }

    func commitCompleting(_ batch: RecordBatch) throws -> [RecordOperation] {
      var completed: [RecordOperation] = []
      let operations = try batch.operations.map { operation in
        guard operation.operation == .create, case .object(var record) = try JSONValue(json: Array(operation.value)),
          record["age"] == nil
        else { return operation }
        var (stored, answer) = (operation, operation)
        record["age"] = 18
        stored.value = Array(try JSONValue.object(record).jsonData())[...]
        answer.value = Array(try JSONValue.object(["id": record["id"] ?? .null, "age": 18]).jsonData())[...]
        completed.append(answer)
        return stored
      }
      try shelves.commit(batch.with(operations, adding: []))
      return completed
    }
  }

  fileprivate nonisolated final class CompletingStore: RecordStore<CompletingEngine>, TransactionalModelStore {}

  private let store = CompletingStore(CompletingEngine())

  private func person(_ name: String) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    return person
  }

  @Test func `A new model reads the values that the engine gave its record`() async throws {
    let people = [person("Ada"), person("Bob")]
    people[1].age.value = 40
    try await store.createAll(people)
    #expect(people.map(\.age.value) == [18, 40])
    #expect(people.allSatisfy { !$0.isDirty })
  }

  @Test func `Models of a transaction read the values of their records once it is committed`() async throws {
    let ada = person("Ada")
    try await store.transaction { store in
      try await store.create(ada)
      #expect(ada.age.value == nil)
    }
    #expect(ada.age.value == 18)
    #expect(ada.name.value == "Ada")
  }

  @Test func `A transaction that fails leaves its models as they were`() async throws {
    let ada = person("Ada")
    await #expect(throws: CancellationError.self) {
      try await store.transaction { store in
        try await store.create(ada)
        throw CancellationError()
      }
    }
    #expect(ada.age.value == nil)
  }
}

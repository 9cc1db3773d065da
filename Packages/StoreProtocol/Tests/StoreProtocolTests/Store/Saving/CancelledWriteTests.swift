import StoreEngine
import StoreProtocolTesting
import Testing

@Suite @MainActor struct `A write that is cancelled beside another writer` {
  private let engine = InterruptedEngine()

  private func makePerson(in store: InterruptedStore) async throws -> ContractPerson {
    let person = ContractPerson()
    (person.name.value, person.age.value) = ("Ada", 36)
    return try await store.create(person)
  }

  /// Cancels the task during the next commit, which reports that another writer changed the record.
  private func cancelNextCommit(_ reason: RecordMismatch.Reason, _ identifier: String) {
    engine.beforeNextCommit {
      withUnsafeCurrentTask { $0?.cancel() }
      throw RecordMismatch(reason, ContractPerson.typeName, identifier)
    }
  }

  @Test func `A save is not repeated, and keeps the local changes`() async throws {
    let task = Task {
      let store = InterruptedStore(engine)
      let person = try await makePerson(in: store)
      cancelNextCommit(.wasChanged, person.identifier ?? "")
      person.age.value = 37
      let error = await #expect(throws: ModelStoreError.self) { try await store.save(person) }
      #expect(error?.code == .cancelled)
      #expect(person.age.isDirty && person.age.value == 37)
    }
    try await task.value
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.age.value) == [36])
  }

  @Test(arguments: [RecordMismatch.Reason.wasChanged, .isMissing])
  func `A deletion is not repeated, and keeps the model`(reason: RecordMismatch.Reason) async throws {
    let task = Task {
      let store = InterruptedStore(engine)
      let person = try await makePerson(in: store)
      cancelNextCommit(reason, person.identifier ?? "")
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.delete(person) }
      #expect(error?.code == .cancelled)
      #expect(person.isPersisted)
    }
    try await task.value
    #expect(try await InterruptedStore(engine).count(ContractPerson.self) == 1)
  }
}

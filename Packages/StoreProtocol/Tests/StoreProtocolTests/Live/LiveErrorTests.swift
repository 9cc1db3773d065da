import StoreEngine
import StoreProtocolTesting
import Testing

@Suite @MainActor struct `Errors of live results` {
  private func person(_ name: String) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    return person
  }

  @Test func `A live result reports cancelled work of an engine as an error, and continues`() async throws {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine), writer = InterruptedStore(engine)
    try await writer.create(person("Ada"))
    engine.beforeSnapshot(1) { throw CancellationError() }
    var results = store.observe(ContractPerson.self).makeAsyncIterator()
    let failed = await results.next()
    #expect(failed?.error != nil && failed?.models.isEmpty == true)
    try await writer.create(person("Bob"))
    let result = await results.next()
    #expect(result?.error == nil)
    #expect(result?.models.map(\.name.value) == ["Ada", "Bob"])
  }

  @Test func `A cancelled task ends a live result without an error`() async throws {
    let engine = InterruptedEngine()
    engine.beforeSnapshot(1) { throw CancellationError() }
    let task = Task { @MainActor in
      var results = InterruptedStore(engine).observe(ContractPerson.self).makeAsyncIterator()
      withUnsafeCurrentTask { $0?.cancel() }
      return await results.next() == nil
    }
    #expect(await task.value)
  }
}

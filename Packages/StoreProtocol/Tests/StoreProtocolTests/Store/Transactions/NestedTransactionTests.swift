import StoreEngine
import StoreProtocolTesting
import Testing

@Suite @MainActor struct `Nested transactions` {
  private struct Refusal: Error {}

  @Test func `A nested transaction that ends after the outer one retains no model`() async throws {
    let store = InterruptedStore(InterruptedEngine())
    var person: ContractPerson? = ContractPerson()
    person?.name.value = "Ada"
    if let person { try await store.create(person) }
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    var part: Task<Void, any Error>?
    try await store.transaction { store in
      part = Task { @MainActor [person] in
        try await store.transaction { _ in
          begin.finish()
          for await _ in ended {}
          person?.name.value = "Augusta"
          throw Refusal()
        }
      }
      for await _ in begun {}
    }
    end.finish()
    await #expect(throws: Refusal.self) { try await part?.value }
    part = nil
    #expect(person?.name.value == "Ada")
    weak let ghost = person
    person = nil
    #expect(ghost == nil)
  }
}

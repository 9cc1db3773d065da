import ModelKit
import Testing

private final class Counter: Model {
  @Field var id: Int?
  @Required var count = 0
  override var identifierField: AnyField? { $id }
}

private final class Entry: Model {
  @Field var id: Int?
  override var identifierField: AnyField? { $id }
}

@MainActor @Suite struct `Stores of one scope` {
  private struct Refusal: Error {}

  @Test func `Transactions of two stores of one scope run one after the other`() async throws {
    let first = MemoryModelStore()
    let second = MemoryModelStore(first.handle, scope: first.scope)
    try await first.create(Counter())
    let tasks = [first, second].map { store in
      Task {
        for attempt in 0..<12 {
          do {
            try await store.transaction { store in
              let counter = try await store.lookup(Counter.self, identifier: "1")
              counter.count += 1
              await Task.yield()
              if attempt % 3 == 0 { throw Refusal() }
              try await store.save(counter)
            }
          } catch is Refusal {}
        }
      }
    }
    for task in tasks { try await task.value }
    let stored = try await MemoryModelStore(first.handle).lookup(Counter.self, identifier: "1")
    #expect(stored.count == 16)
  }

  @Test func `A transaction includes one of another store of its scope without waiting`() async throws {
    let cache = MemoryModelStore()
    let store = MemoryModelStore(scope: cache.scope)
    let counter = try await store.create(Counter())
    try await store.transaction { store in
      counter.count = 1
      try await cache.transaction { cache in try await cache.create(Entry()) }
      try await store.save(counter)
    }
    #expect(counter.count == 1 && !counter.isDirty)
    #expect(try await cache.count(Entry.self) == 1)
  }
}

import ModelKit
import Testing

private final class Counter: Model {
  @Field var id: Int?
  @Required var count = 0
  override var identifierField: AnyField? { $id }
}

private final class Entry: Model {
  @Field var id: Int?
  @Field var text: String?
  @ModelField(foreignKey: true, inverse: \.$entries) var book: Book?
  override var identifierField: AnyField? { $id }
}

private final class Book: Model {
  @Field var id: Int?
  @ModelArrayField var entries: [Entry]?
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

  @Test func `Tasks of a transaction that would wait for each other for ever get a conflict`() async throws {
    let first = MemoryModelStore(), other = MemoryModelStore()
    let second = MemoryModelStore(first.handle, scope: first.scope)
    let outcomes = try await first.transaction { _ in
      // Both have their first turn before they begin to wait for the second one.
      let inner = Task {
        try await second.transaction { _ in
          for _ in 0..<5 { await Task.yield() }
          try await other.transaction { _ in }
        }
      }
      let outer = Task {
        try await other.transaction { _ in
          for _ in 0..<5 { await Task.yield() }
          try await second.transaction { _ in }
        }
      }
      return [await inner.result, await outer.result]
    }
    let errors = outcomes.compactMap { outcome -> ModelStoreError.Code? in
      guard case .failure(let error) = outcome else { return nil }
      return (error as? ModelStoreError)?.code
    }
    #expect(errors == [.conflict])
    try await second.transaction { _ in try await other.transaction { _ in } }
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

  @Test func `Child tasks of a transaction run those of another store one after the other`() async throws {
    let first = MemoryModelStore()
    let second = MemoryModelStore(first.handle, scope: first.scope)
    try await first.create(Counter())
    let increment: @MainActor @Sendable () async throws -> Void = {
      for _ in 0..<4 {
        try await second.transaction { store in
          let counter = try await store.lookup(Counter.self, identifier: "1"), count = counter.count + 1
          await Task.yield()
          counter.count = count
          await Task.yield()
          try await store.save(counter)
        }
      }
    }
    try await first.transaction { _ in
      let tasks = (0..<3).map { _ in Task { try await increment() } }
      for task in tasks { try await task.value }
    }
    let stored = try await MemoryModelStore(first.handle).lookup(Counter.self, identifier: "1")
    #expect(stored.count == 12)
  }

  @Test(arguments: [false, true])
  func `A transaction that fails keeps what another store of its scope committed`(isTransaction: Bool) async throws {
    let first = MemoryModelStore()
    let second = MemoryModelStore(first.handle, scope: first.scope)
    let book = try await first.create(Book()), other = try await first.create(Book())
    let known = try await first.create(Entry()), gone = try await first.create(Entry()), new = Entry()
    gone.book = book
    try await first.save(gone)
    await #expect(throws: Refusal.self) {
      try await first.transaction { _ in
        (known.text, known.book) = ("known", book)
        (new.text, new.book) = ("new", book)
        let write = {
          try await second.save(known)
          try await second.create(new)
          try await second.delete(gone)
        }
        if isTransaction { try await second.transaction { _ in try await write() } } else { try await write() }
        known.book = other
        throw Refusal()
      }
    }
    #expect(known.text == "known" && known.book === book && !known.isDirty)
    #expect(new.text == "new" && new.book === book && new.isPersisted && !new.isDirty)
    #expect(!gone.isPersisted && book.entries == [known, new])
    new.text = "newer"
    try await second.save(new)
    let stored = try await MemoryModelStore(first.handle).list(Entry.self)
    #expect(stored.map(\.text) == ["known", "newer"] && stored.map(\.book?.id) == [1, 1])
  }
}

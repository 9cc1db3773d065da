import MemoryStore
import StoreProtocol
import SyncStore
import Testing

@MainActor @Suite struct `A creation with chosen fields in a compound store` {
  @Test func `All stores have these fields, and the others are unsaved`() async throws {
    let scope = ModelScope()
    let (server, cache) = (MemoryModelStore(scope: scope), MemoryModelStore(scope: scope))
    let store = CompoundModelStore(scope: scope) { _, _ in [server, cache] }
    let author = Author()
    (author.name.value, author.city.value) = ("Jane", "Bath")
    try await store.create(author, fields: [author.name])
    #expect(author.city.isDirty && !author.name.isDirty)
    for each in [server, cache] {
      let stored = try await MemoryModelStore(each.handle).lookup(Author.self, identifier: author.identifier ?? "")
      #expect(stored.name.value == "Jane")
      #expect(stored.city.value == nil)
    }
    try await store.save(author)
    #expect(!author.isDirty)
    for each in [server, cache] {
      let stored = try await MemoryModelStore(each.handle).lookup(Author.self, identifier: author.identifier ?? "")
      #expect(stored.city.value == "Bath")
    }
  }
}

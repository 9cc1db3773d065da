import MemoryStore
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import SyncStore
import Testing

@MainActor @Suite struct `The unsaved edits of a model in a compound store` {
  let scope = ModelScope()

  private func memory() -> MemoryModelStore { MemoryModelStore(scope: scope) }

  private func compound(_ stores: any ModelStore...) -> CompoundModelStore {
    CompoundModelStore(scope: scope) { _, _ in stores }
  }

  private func label(in store: MemoryModelStore) async throws -> String? {
    try await MemoryModelStore(store.handle).lookup(Tag.self, identifier: "a").label.value
  }

  @Test func `An edit during the update of the first store is written by the next save, to all stores`() async throws {
    let (server, cache) = (memory(), memory())
    let slow = InterruptedStore(server)
    let store = compound(slow, cache)
    let tag = Tag.labeled("a", "A")
    try await store.create(tag)
    slow.afterWrite = { tag.label.value = "C" }
    tag.label.value = "B"
    try await store.save(tag)
    #expect(tag.label.isDirty)
    slow.afterWrite = {}
    try await store.save(tag)
    #expect(!tag.isDirty)
    for each in [server, cache] { #expect(try await label(in: each) == "C") }
  }

  @Test func `An edit during the creation in the first store is written by the next save, to all stores`()
    async throws
  {
    let (server, cache) = (memory(), memory())
    let slow = InterruptedStore(server)
    let store = compound(slow, cache)
    let tag = Tag.labeled("a", "A")
    slow.afterWrite = { tag.label.value = "B" }
    try await store.createAll([tag])
    #expect(tag.label.isDirty)
    slow.afterWrite = {}
    try await store.save(tag)
    #expect(!tag.isDirty)
    for each in [server, cache] { #expect(try await label(in: each) == "B") }
  }

  @Test func `An update of chosen fields leaves the others unsaved if a later store lacks the model`() async throws {
    let (server, cache) = (memory(), memory())
    let author = Author()
    (author.name.value, author.city.value) = ("Jane", "Bath")
    try await server.create(author)
    let store = compound(server, cache)
    (author.name.value, author.city.value) = ("Jane Austen", "Chawton")
    try await store.update(author, fields: [author.name])
    #expect(author.city.isDirty && !author.name.isDirty)
    try await store.save(author)
    #expect(!author.isDirty)
    for each in [server, cache] {
      let found = try await MemoryModelStore(each.handle).list(Author.self)
      #expect(found.map(\.name.value) == ["Jane Austen"] && found.map(\.city.value) == ["Chawton"])
    }
  }

  @Test func `An edit that a later store could not write stays unsaved until the next save`() async throws {
    let (cache, server) = (memory(), memory())
    let api = InterruptedStore(server)
    let store = compound(cache, api)
    let tag = Tag.labeled("a", "A")
    func isSaved() async throws -> Bool {
      let labels = [try await label(in: cache), try await label(in: server)]
      return labels.allSatisfy { $0 == tag.label.value } && !tag.isDirty
    }
    api.beforeWrite = { throw ModelStoreError(.offline, "There is no network.") }
    await #expect(throws: ModelStoreError.self) { try await store.save(tag) }
    #expect(tag.label.isDirty && scope.unsavedModels == [tag])
    api.beforeWrite = {}
    try await store.save(tag)
    #expect(try await isSaved())
    api.beforeWrite = { throw ModelStoreError(.offline, "There is no network.") }
    tag.label.value = "B"
    await #expect(throws: ModelStoreError.self) { try await store.save(tag) }
    #expect(tag.label.isDirty)
    // A read keeps it.
    #expect(try await server.lookup(Tag.self, identifier: "a").label.value == "B")
    api.beforeWrite = {}
    try await store.save(tag)
    #expect(try await isSaved())
  }

  @Test func `Values of a document are written to all stores`() async throws {
    let (server, cache) = (memory(), memory())
    let store = compound(server, cache)
    let tag = Tag.labeled("a", "A")
    try await store.create(tag)
    try tag.read(["label": "B"])
    try await store.save(tag)
    for each in [server, cache] { #expect(try await label(in: each) == "B") }
  }

  @Test func `A model that is deleted during an update is not created again`() async throws {
    let (server, cache) = (memory(), memory())
    let slow = InterruptedStore(cache)
    let store = compound(server, slow)
    let tag = Tag.labeled("a", "A")
    try await store.create(tag)
    slow.beforeWrite = {
      slow.beforeWrite = {}
      try await store.delete(tag)
    }
    tag.label.value = "B"
    try await store.save(tag)
    #expect(!tag.isKnownToStore)
    for each in [server, cache] { #expect(try await each.count(Tag.self) == 0) }
  }
}

/// A store that runs closures before and after each write in another store.
private final class InterruptedStore: ModelStore {
  let scope: ModelScope
  private let store: MemoryModelStore
  var beforeWrite: @MainActor () async throws -> Void = {}
  var afterWrite: @MainActor () -> Void = {}

  init(_ store: MemoryModelStore) { (scope, self.store) = (store.scope, store) }

  func create<M: Model>(_ model: M) async throws -> M {
    try await beforeWrite()
    try await store.create(model)
    await afterWrite()
    return model
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await update(model, fields: fields, onConflict: .merge)
  }

  func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    try await beforeWrite()
    try await store.update(model, fields: fields, onConflict: policy)
    await afterWrite()
    return model
  }

  func delete<M: Model>(_ model: M) async throws -> M { try await store.delete(model) }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await store.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await store.list(query) }
}

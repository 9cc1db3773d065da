import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import StoreProtocolTesting
import SyncStore
import Testing

private final class Office: Model {
  @Field var id: Int?
  @Required var name = "Office"
  override var identifierField: AnyField? { $id }
}

private final class Worker: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var office: Office?
  @ModelField(foreignKey: true) var boss: Worker?
  override var identifierField: AnyField? { $id }
}

@Suite struct `A compound store` {
  let scope = ModelScope()

  private func memory() -> MemoryModelStore { MemoryModelStore(scope: scope) }

  @Test(arguments: ModelStoreContract.checks(without: [.transactions]))
  func `A compound store of two stores keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await check.run {
      let scope = ModelScope()
      let (one, other) = (MemoryModelStore(scope: scope), MemoryModelStore(scope: scope))
      return CompoundModelStore(scope: scope) { _, _ in [one, other] }
    }
  }

  @Test func `Stores are chosen by class and operation`() async throws {
    let (books, tags, archive) = (memory(), memory(), memory())
    let store = CompoundModelStore(scope: scope) { type, operation in
      type == Tag.self ? [tags] : operation == .delete ? [books] : [books, archive]
    }
    let book = Book.titled("Emma")
    try await store.save(book)
    try await store.save(Tag.labeled("a", "A"))
    try await store.delete(book)
    #expect(try await books.count(Book.self) == 0)
    #expect(try await archive.count(Book.self) == 1)
    #expect(try await tags.count(Tag.self) == 1)
    #expect(try await books.count(Tag.self) == 0)
  }

  @Test func `A lookup is answered by the first store that has the model, and fills those before it`() async throws {
    let (cache, server) = (memory(), memory())
    try await server.save(Tag.labeled("a", "A"))
    let store = CompoundModelStore(scope: scope) { _, operation in operation == .read ? [cache, server] : [server] }
    let found = try await store.lookup(Tag.self, identifier: "a")
    #expect(found.label.value == "A")
    #expect(try await cache.lookup(Tag.self, identifier: "a") === found)
    #expect(!found.isDirty)
  }

  @Test func `The record that the first store returns from an update is written to the others`() async throws {
    let server = RESTFixture()
    let api = server.store()
    let cache = MemoryModelStore(scope: api.scope)
    let store = CompoundModelStore(scope: api.scope) { _, _ in [api, cache] }
    let author = Author()
    author.name.value = "Jane"
    try await store.create(author)
    let id = author.id.value ?? 0
    server.plan(
      HTTPResponseData(
        status: 200, headers: ["Content-Type": "application/json"],
        body: Data(#"{"id": \#(id), "name": "Jane Austen", "city": "Bath"}"#.utf8)))
    author.name.value = "Jane Austen"
    try await store.save(author)
    #expect(author.city.value == "Bath")
    let cached = try await MemoryModelStore(cache.handle).lookup(Author.self, identifier: "\(id)")
    #expect(cached.name.value == "Jane Austen")
    #expect(cached.city.value == "Bath")
  }

  @Test func `A store that can't be reached is skipped by reads`() async throws {
    let cache = memory()
    try await cache.save(Tag.labeled("a", "A"))
    let api = UnreachableStore(scope)
    let store = CompoundModelStore(scope: scope) { _, _ in [api, cache] }
    #expect(try await store.list(Tag.self).count == 1)
    #expect(try await store.count(Tag.self) == 1)
    let error = try await #require(throws: ModelStoreError.self) {
      _ = try await store.lookup(Tag.self, identifier: "b")
    }
    // Whether there is one is not known.
    #expect(error.code == .offline)
    var query = ModelQuery(Tag.self)
    query.limit = 1
    try await cache.save(Tag.labeled("c", "C"))
    let mark = try #require(try await cache.page(query, after: nil).next)
    // Another store accepts no mark of the one that can't be reached.
    query.filter = ModelQuery(Tag.self, where: { $0.label == "C" }).filter
    let next = try await #require(throws: ModelStoreError.self) { _ = try await store.page(query, after: mark) }
    #expect(next.code == .offline)
  }

  @Test func `The hooks of a model run once for all stores`() async throws {
    let (one, other) = (memory(), memory())
    let store = CompoundModelStore(scope: scope) { _, _ in [one, other] }
    let model = HookedModel()
    try await store.save(model)
    model.name.value = "New"
    try await store.save(model)
    try await store.delete(model)
    #expect(model.calls == ["save", "created", "save", "updated", "deleted"])
  }

  @Test func `An update reaches all stores, and creates the model where it is missing`() async throws {
    let (one, other) = (memory(), memory())
    let store = CompoundModelStore(scope: scope) { _, _ in [one, other] }
    let tag = Tag.labeled("a", "A")
    try await one.save(tag)
    tag.label.value = "B"
    try await store.save(tag)
    let copy = MemoryModelStore(other.handle)
    #expect(try await copy.lookup(Tag.self, identifier: "a").label.value == "B")
    tag.label.value = "C"
    try await store.save(tag)
    #expect(try await copy.lookup(Tag.self, identifier: "a").label.value == "C")
  }

  @Test func `A write that fails in a later store declares how many have it`() async throws {
    let one = memory()
    let api = UnreachableStore(scope)
    let store = CompoundModelStore(scope: scope) { _, _ in [one, api] }
    let error = try await #require(throws: ModelStoreError.self) {
      _ = try await store.create(Tag.labeled("a", "A"))
    }
    #expect(error.code == .offline && error.message.contains("1 of 2 stores"))
    #expect(try await one.count(Tag.self) == 1)
  }

  @Test func `A column behind several relations is that of the records, and nil for a record that does not exist`()
    async throws
  {
    let (one, other) = (memory(), memory())
    let store = CompoundModelStore(scope: scope) { _, _ in [one, other] }
    do {
      let office = try await store.create(Office()), boss = Worker(), worker = Worker(), stranger = Worker()
      boss.office = office
      worker.boss = try await store.create(boss)
      stranger.boss = Worker.with(identifier: "9", in: scope)
      try await store.createAll([worker, stranger])
    }
    let offices = try await store.values(Worker.self, of: { $0.boss.office.name })
    #expect(offices == [nil, "Office", nil])
    #expect(try await store.values(Worker.self, of: { $0.boss.id }) == [nil, 1, 9])
  }

  @Test func `An operation without a store is unsupported`() async throws {
    let store = CompoundModelStore(scope: scope) { _, _ in [] }
    let error = try await #require(throws: ModelStoreError.self) { _ = try await store.list(Tag.self) }
    #expect(error.code == .unsupported)
  }
}

@MainActor @Suite struct `The hooks of a compound store` {
  let scope = ModelScope()

  private func memory() -> MemoryModelStore { MemoryModelStore(scope: scope) }

  @Test func `A task that a later store starts runs the hooks of its own writes`() async throws {
    let (one, other, third) = (memory(), memory(), memory())
    let model = HookedModel()
    let later = ForwardingStore(to: other) {
      try await Task { @MainActor in _ = try await third.create(model) }.value
    }
    let store = CompoundModelStore(scope: scope) { _, _ in [one, later] }
    try await store.create(model)
    #expect(model.calls == ["save", "created", "save", "created"])
    try await store.delete(model)
    #expect(model.calls.dropFirst(4) == ["deleted"])
  }

  @Test func `The hooks of a model run once if the later store is in a transaction`() async throws {
    let (one, other) = (memory(), memory())
    let store = CompoundModelStore(scope: scope) { _, _ in [one, other] }
    let model = HookedModel()
    try await other.transaction { _ in
      try await store.save(model)
      try await store.delete(model)
    }
    #expect(model.calls == ["save", "created", "deleted"])
  }
}

/// A store without a network.
private final class UnreachableStore: PagedModelStore {
  let scope: ModelScope

  init(_ scope: ModelScope) { self.scope = scope }

  private var error: ModelStoreError { ModelStoreError(.offline, "There is no network.") }

  func create<M: Model>(_ model: M) async throws -> M { throw error }
  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M { throw error }
  func update<M: Model>(_ model: M, fields: [AnyField]?, onConflict: ConflictPolicy) async throws -> M { throw error }
  func delete<M: Model>(_ model: M) async throws -> M { throw error }
  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M { throw error }
  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { throw error }
  func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> { throw error }
}

/// A store that runs a closure before each creation in another store.
private final class ForwardingStore: ModelStore {
  let scope: ModelScope
  private let store: MemoryModelStore
  private let beforeCreation: @MainActor () async throws -> Void

  init(to store: MemoryModelStore, beforeCreation: @escaping @MainActor () async throws -> Void) {
    (self.store, self.beforeCreation) = (store, beforeCreation)
    scope = store.scope
  }

  func create<M: Model>(_ model: M) async throws -> M {
    try await beforeCreation()
    return try await store.create(model)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await store.update(model, fields: fields)
  }

  func delete<M: Model>(_ model: M) async throws -> M { try await store.delete(model) }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await store.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await store.list(query) }
}

/// A model that notes its hooks.
private final class HookedModel: Model {
  let id = Field<Int>()
  let name = Field<String>()
  var calls: [String] = []
  override var identifierField: AnyField? { id }
  override func beforeSave() { calls.append("save") }
  override func afterCreate() { calls.append("created") }
  override func afterUpdate() { calls.append("updated") }
  override func afterDelete() { calls.append("deleted") }
}

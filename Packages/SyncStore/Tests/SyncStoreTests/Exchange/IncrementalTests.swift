import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import Testing

@testable import SyncStore

/// A model with a time of its last change, which the server sets.
final class Article: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let isDeleted = Field<Bool>()
  let updatedAt = Field<Date>()
  override var identifierField: AnyField? { id }
}

@Suite struct `The reading of changes only` {
  let server = MemoryModelStore().handle
  let clock = ManualClock()

  private func client(_ local: MemoryEngine, _ policies: [SyncPolicy<Article>] = []) -> MemorySyncStore {
    let store = SyncModelStore(
      local: MemoryModelStore(local), remote: MemoryModelStore(server), types: [Article.self],
      options: SyncOptions(environment: clock.environment))
    store.policy(
      Article.self, .changes(by: \.updatedAt, overlap: .seconds(5), comparingAllAfter: .seconds(1_000)))
    for policy in policies { store.policy(Article.self, policy) }
    return store
  }

  /// Creates or changes an article on the server at a time.
  private func write(_ id: Int, _ title: String, at time: Double, isDeleted: Bool = false) async throws {
    let store = MemoryModelStore(server)
    let article = (try? await store.lookup(Article.self, identifier: "\(id)")) ?? Article()
    article.id.value = id
    article.title.value = title
    article.isDeleted.value = isDeleted
    article.updatedAt.value = Date(timeIntervalSinceReferenceDate: time)
    try await store.save(article)
  }

  private func titles(_ store: MemorySyncStore) async throws -> [String?] {
    try await store.list(Article.self, sort: [.ascending(\.id)]).map(\.title.value)
  }

  @Test func `Changes since the last reading are read, including those that became visible late`() async throws {
    let store = client(MemoryModelStore().handle)
    try await write(1, "One", at: 100)
    #expect(try await store.sync().pulled == 1)
    try await write(2, "Two", at: 110)
    // Older than the mark minus the overlap: a server that sets such a time is not followed.
    try await write(3, "Three", at: 50)
    // Committed after the reading, with a time before it.
    try await write(4, "Four", at: 96)
    #expect(try await store.sync().pulled == 2)
    #expect(try await titles(store) == ["One", "Two", "Four"])
  }

  @Test func `The mark survives a restart`() async throws {
    let local = MemoryModelStore().handle
    try await write(1, "One", at: 100)
    try await client(local).sync()
    try await write(2, "Two", at: 50)
    try await write(3, "Three", at: 120)
    #expect(try await client(local).sync().pulled == 1)
  }

  @Test func `A requested comparison of all records notices a deletion and a restored record`() async throws {
    let store = client(MemoryModelStore().handle)
    try await write(1, "One", at: 100)
    try await write(2, "Two", at: 200)
    try await store.sync()
    try await MemoryModelStore(server).delete(try await MemoryModelStore(server).lookup(Article.self, identifier: "1"))
    try await write(2, "Two, of a backup", at: 50)
    #expect(try await store.sync().pulled == 0)
    #expect(try await store.sync(comparingAll: true).pulled == 2)
    #expect(try await titles(store) == ["Two, of a backup"])
  }

  @Test func `A deletion is noticed when all records are compared`() async throws {
    let store = client(MemoryModelStore().handle)
    try await write(1, "One", at: 100)
    try await store.sync()
    let remote = MemoryModelStore(server)
    try await remote.delete(try await remote.lookup(Article.self, identifier: "1"))
    try await store.sync()
    #expect(try await titles(store) == ["One"])
    clock.advance(1_000_000)
    try await store.sync()
    #expect(try await titles(store).isEmpty)
  }

  @Test func `A record that is marked as deleted is removed at once, unless it is dirty`() async throws {
    let store = client(MemoryModelStore().handle, [.keep(where: { $0.isDeleted != true })])
    try await write(1, "One", at: 100)
    try await write(2, "Two", at: 100)
    try await store.sync()
    let mine = try await store.lookup(Article.self, identifier: "2")
    mine.title.value = "Mine"
    try await store.save(mine)
    try await write(1, "One", at: 110, isDeleted: true)
    try await write(2, "Two", at: 110, isDeleted: true)
    #expect(try await store.sync().pulled == 2)
    #expect(try await titles(store) == ["Mine"])
    #expect(try await MemoryModelStore(server).lookup(Article.self, identifier: "2").title.value == "Mine")
    try await store.sync()
    #expect(try await titles(store).isEmpty)
  }

  @Test func `A record that is marked as deleted is removed when its local changes lose`() async throws {
    let store = client(MemoryModelStore().handle, [.keep(where: { $0.isDeleted != true })])
    try await write(1, "One", at: 100)
    try await store.sync()
    let mine = try await store.lookup(Article.self, identifier: "1")
    mine.title.value = "Mine"
    try await store.save(mine)
    try await write(1, "Theirs", at: 110, isDeleted: true)
    try await write(2, "Two", at: 200)
    try await store.sync()
    #expect(try await titles(store) == ["Two"])
    #expect(try await store.discardedValues().map(\.value) == ["Mine"])
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `The mark of a deletion that was undone does not remove the record again`() async throws {
    let remote = MarkingStore(server)
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Article.self])
    store.policy(Article.self, .changes(by: \.updatedAt), .keep(where: { $0.isDeleted != true }))
    try await write(1, "One", at: 100)
    try await store.sync()
    let article = try await store.lookup(Article.self, identifier: "1")
    let undo = ModelUndo(store.scope)
    try await store.delete(article)
    try await store.sync()
    try await store.save(undo.undo())
    #expect(try await store.sync().failures.isEmpty)
    #expect(try await titles(store) == ["One"])
    #expect(article.id.value == 2 && !article.isDirty)
    #expect(try await store.outbox().isEmpty)
    let theirs = try await MemoryModelStore(server).list(Article.self, sort: [.ascending(\.id)])
    #expect(theirs.map(\.title.value) == ["One", "One"])
    #expect(theirs.map(\.isDeleted.value) == [true, false])
    try await store.sync()
    #expect(try await titles(store) == ["One"])
  }

  @Test func `A creation that a deletion mark of its identifier refuses is parked`() async throws {
    let remote = MarkingStore(server, assignsIdentifiers: false)
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Article.self])
    store.policy(Article.self, .changes(by: \.updatedAt), .keep(where: { $0.isDeleted != true }))
    try await write(1, "One", at: 100)
    try await store.sync()
    let article = try await store.lookup(Article.self, identifier: "1")
    let undo = ModelUndo(store.scope)
    try await store.delete(article)
    try await store.sync()
    try await store.save(undo.undo())
    #expect(try await store.sync().failures.map(\.identifier) == ["1"])
    #expect(try await store.failures().map(\.identifier) == ["1"])
    #expect(try await titles(store) == ["One"])
  }

  @Test func `A creation without an answer is done if its record is marked as deleted`() async throws {
    let remote = MarkingStore(server, assignsIdentifiers: false)
    remote.hidesDeleted = true
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Article.self])
    store.policy(Article.self, .changes(by: \.updatedAt), .keep(where: { $0.isDeleted != true }))
    try await write(1, "One", at: 100)
    try await store.sync()
    let article = Article()
    (article.id.value, article.title.value) = (2, "Two")
    try await store.save(article)
    remote.losesAnswers = true
    try await store.sync()
    #expect(try await store.outbox().map(\.state) == [.inFlight])
    remote.losesAnswers = false
    try await write(2, "Two", at: 102, isDeleted: true)
    #expect(try await store.sync().failures.isEmpty)
    #expect(try await store.outbox().isEmpty)
    #expect(try await titles(store) == ["One"])
  }

  @Test func `A server that has no conditions is read as a whole`() async throws {
    let server = RESTFixture()
    let store = SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: [Article.self])
    store.policy(Article.self, .changes(by: \.updatedAt))
    let article = Article()
    article.title.value = "One"
    article.updatedAt.value = Date(timeIntervalSinceReferenceDate: 100)
    try await server.store().save(article)
    #expect(try await store.sync().pulled == 1)
    try await server.store().delete(article)
    let report = try await store.sync()
    #expect(report.pulled == 1 && report.failures.isEmpty)
  }
}

/// A store that marks deleted records, and has them still.
private final class MarkingStore: ModelStore {
  private let base: MemoryModelStore
  private let assignsIdentifiers: Bool
  /// Whether a deleted record is listed, but not found by its identifier.
  var hidesDeleted = false
  /// Whether the answers to creations are lost.
  var losesAnswers = false
  var scope: ModelScope { base.scope }

  init(_ handle: MemoryEngine, assignsIdentifiers: Bool = true) {
    (base, self.assignsIdentifiers) = (MemoryModelStore(handle), assignsIdentifiers)
  }

  func create<M: Model>(_ model: M) async throws -> M {
    if assignsIdentifiers { (model as? Article)?.id.value = nil }
    let created = try await base.create(model)
    if losesAnswers { throw ModelStoreError(.timeout, "The answer was lost.") }
    return created
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await base.update(model, fields: fields)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy) async throws -> M {
    try await base.update(model, fields: fields, onConflict: policy)
  }

  func delete<M: Model>(_ model: M) async throws -> M {
    if let article = model as? Article {
      article.isDeleted.value = true
      article.updatedAt.value = article.updatedAt.value?.addingTimeInterval(1)
    }
    return try await base.update(model, fields: nil)
  }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    let found = try await base.lookup(type, identifier: identifier)
    if hidesDeleted, (found as? Article)?.isDeleted.value == true {
      throw ModelStoreError(.notFound, "The record was deleted.", identifier: identifier)
    }
    return found
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await base.list(query) }
}

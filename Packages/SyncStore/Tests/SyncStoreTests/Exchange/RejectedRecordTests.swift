import FileStore
import Foundation
import MemoryStore
import StoreProtocol
import Testing

@testable import SyncStore

/// Records of the server that a unique index of the local store rejects.
@Suite struct `A record of the server that a local rule rejects` {
  private let server = MemoryModelStore()

  private func withStore(
    _ remote: any ModelStore, _ body: (SyncModelStore<FileStoreHandle>) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      let files = FileModelStore(directory: folder, options: FileStoreOptions(durability: .none))
      try await files.index(\Article.title, unique: true)
      let store = SyncModelStore(local: files, remote: remote, types: [Article.self])
      store.policy(Article.self, .changes(by: \.updatedAt, overlap: .seconds(5)))
      try await body(store)
      try await files.close()
    }
  }

  private func write(_ id: Int, _ title: String, at time: Double) async throws {
    try await server.save(Article.numbered(id, title, at: time))
  }

  private func titles(_ store: SyncModelStore<FileStoreHandle>) async throws -> [Int: String] {
    let articles = try await store.list(Article.self)
    return Dictionary(articles.map { ($0.id.value ?? 0, $0.title.value ?? "") }) { $1 }
  }

  @Test func `A locally rejected record is read again by the next pull, although later changes were read`() async throws
  {
    try await withStore(MemoryModelStore(server.handle)) { store in
      try await write(1, "One", at: 100)
      try await store.sync()
      let mine = Article()
      mine.title.value = "Urgent"
      try await store.save(mine)
      try await write(2, "Urgent", at: 110)
      try await write(3, "Later", at: 200)
      #expect(try await store.sync().failures.map(\.identifier) == ["2"])
      #expect(try await store.sync().failures.map(\.identifier) == ["2"])
      #expect(try await titles(store).values.sorted() == ["Later", "One", "Urgent"])
      try await store.delete(mine)
      #expect(try await store.sync().failures.isEmpty)
      #expect(try await titles(store) == [1: "One", 2: "Urgent", 3: "Later"])
      #expect(try await store.sync().pulled == 0)
    }
  }

  @Test func `A locally rejected record is stored by the comparison that removes the record with its unique value`()
    async throws
  {
    try await withStore(MemoryModelStore(server.handle)) { store in
      try await write(1, "One", at: 100)
      try await store.sync()
      try await server.delete(try await server.lookup(Article.self, identifier: "1"))
      try await write(2, "One", at: 110)
      let report = try await store.sync(comparingAll: true)
      #expect(report.failures.isEmpty && report.pulled == 2)
      #expect(try await titles(store) == [2: "One"])
    }
  }

  @Test func `A locally rejected record is read again from the change log`() async throws {
    let remote = ScriptedLog()
    try await withStore(remote) { store in
      try await store.sync()
      let mine = Article()
      mine.title.value = "Urgent"
      try await store.save(mine)
      remote.pages = [([(2, "Urgent")], []), ([(3, "Later")], [])]
      #expect(try await store.sync().failures.map(\.identifier) == ["2"])
      #expect(try await titles(store).values.sorted() == ["Later", "Urgent"])
      try await store.delete(mine)
      #expect(try await store.sync().failures.isEmpty)
      #expect(try await titles(store) == [2: "Urgent", 3: "Later"])
      #expect(try await store.sync().pulled == 0)
    }
  }

  @Test func `A locally rejected record is stored, changed or removed as by later pages of the change log`()
    async throws
  {
    let remote = ScriptedLog()
    try await withStore(remote) { store in
      try await store.sync()
      remote.pages = [([(1, "One")], []), ([(2, "One")], []), ([], ["1"])]
      #expect(try await store.sync().failures.isEmpty)
      #expect(try await titles(store) == [2: "One"])
      remote.pages += [([(3, "One")], []), ([], ["3", "2"])]
      #expect(try await store.sync().failures.isEmpty)
      #expect(try await titles(store).isEmpty)
      remote.pages += [([(4, "Four")], []), ([(5, "Four")], []), ([(5, "Five")], []), ([], ["4"])]
      #expect(try await store.sync().failures.isEmpty)
      #expect(try await titles(store) == [5: "Five"])
    }
  }
}

extension Article {
  fileprivate static func numbered(_ id: Int, _ title: String, at time: Double) -> Article {
    let article = Article()
    (article.id.value, article.title.value) = (id, title)
    article.updatedAt.value = Date(timeIntervalSinceReferenceDate: time)
    return article
  }
}

/// A store with a change log whose pages are given.
private final class ScriptedLog: ChangeLogModelStore {
  private let base = MemoryModelStore()
  /// The changed and the deleted articles of each page.
  var pages: [(updated: [(id: Int, title: String)], deleted: [String])] = []

  var scope: ModelScope { base.scope }
  let hasChangeLog = true

  func changePage<M: Model>(of type: M.Type, after known: String?) async throws -> ModelChangePage<M> {
    guard let known, let number = Int(known) else { return ModelChangePage(position: "0", isReset: true) }
    guard number < pages.count else { return ModelChangePage(position: known) }
    let page = pages[number]
    let updated = try page.updated.compactMap { article in
      try Article.from(dictionaryValue: ["id": .int(article.id), "title": .string(article.title)], in: scope) as? M
    }
    return ModelChangePage(
      updated: updated, deleted: page.deleted, position: "\(number + 1)", hasMore: number + 1 < pages.count)
  }

  func create<M: Model>(_ model: M) async throws -> M { try await base.create(model) }
  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await base.update(model, fields: fields)
  }
  func delete<M: Model>(_ model: M) async throws -> M { try await base.delete(model) }
  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await base.lookup(type, identifier: identifier)
  }
  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await base.list(query) }
}

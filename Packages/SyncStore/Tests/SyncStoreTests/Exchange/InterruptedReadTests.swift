@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import StoreProtocol
import SyncStore
import Testing

@Suite struct `A save between two reads of a synchronisation` {
  private typealias Store = SyncModelStore<KillableEngine>

  /// Repeats an action so that another instance saves the title "Mine" after each of its reads of the local engine, one
  /// read each time.
  ///
  /// - Parameters:
  ///   - change: changes the article of the server after the first synchronisation.
  ///   - act: the action.
  ///   - check: called after a save, and another synchronisation.
  private func interrupt(
    _ change: (MemoryModelStore, Article) async throws -> Void, _ act: (Store) async throws -> Void,
    _ check: (Store, MemoryModelStore) async throws -> Void
  ) async throws {
    var (read, isDone) = (0, false)
    while !isDone {
      let server = MemoryModelStore()
      let article = Article()
      (article.id.value, article.title.value) = (1, "One")
      article.updatedAt.value = Date(timeIntervalSinceReferenceDate: 100)
      try await server.save(article)
      let handle = Lock<SyncEngine<KillableEngine>?>(nil)
      // The number of reads before the one that is interrupted; nil if none is.
      let (rest, isSaved) = (Lock<Int?>(nil), Lock(false))
      let local = KillableEngine(
        MemoryModelStore().handle,
        didRead: {
          let isNow = rest.withLock { rest in
            rest = rest.map { $0 - 1 }
            return rest == -1
          }
          guard isNow, let engine = handle.withLock({ $0 }) else { return }
          let other = Store(engine)
          guard let article = try? await other.lookup(Article.self, identifier: "1") else { return }
          article.title.value = "Mine"
          try await other.save(article)
          isSaved.withLock { $0 = true }
        }, shouldDie: { false })
      let store = Store(SyncEngine(local), remote: MemoryModelStore(server.handle), types: [Article.self])
      handle.withLock { $0 = store.handle }
      store.policy(Article.self, .changes(by: \.updatedAt), .keep(where: { $0.isDeleted != true }))
      try await store.sync()
      try await change(server, article)
      rest.withLock { $0 = read }
      try await act(store)
      isDone = rest.withLock { $0 ?? 0 } >= 0
      read += 1
      guard isSaved.withLock({ $0 }) else { continue }
      try await store.sync()
      try await check(store, MemoryModelStore(server.handle))
    }
    #expect(read > 3)
  }

  private func title(_ store: some ModelStore) async throws -> String? {
    try await store.lookup(Article.self, identifier: "1").title.value
  }

  @Test func `A save during a synchronisation is not overwritten by the unchanged record of the server`() async throws {
    try await interrupt { _, _ in
    } _: {
      try await $0.sync(comparingAll: true)
    } _: {
      let titles = [try await title(Store($0.handle)), try await title($1)]
      #expect(titles == ["Mine", "Mine"])
      let entries = try await $0.outbox()
      #expect(entries.isEmpty)
    }
  }

  @Test func `A save during a synchronisation does not delete a record of the server that is no longer kept`()
    async throws
  {
    try await interrupt {
      $1.isDeleted.value = true
      $1.updatedAt.value = Date(timeIntervalSinceReferenceDate: 110)
      try await $0.save($1)
    } _: {
      try await $0.sync()
    } _: {
      let title = try await self.title($1)
      #expect(title == "Mine")
    }
  }

  @Test func `A save during a synchronisation is discarded or sent if the server deleted the record`() async throws {
    try await interrupt {
      try await $0.delete($1)
    } _: {
      try await $0.sync(comparingAll: true)
    } _: {
      // The whole record is noted.
      let isNoted = try await $0.discardedValues().contains { $0.value["title"] == "Mine" }
      let isSent = isNoted ? false : try await title($1) == "Mine"
      #expect(isNoted || isSent)
    }
  }

  @Test func `A save during a synchronisation prevents the removal of local records, or precedes it`() async throws {
    try await interrupt { _, _ in
    } _: {
      do {
        try await $0.removeLocalRecords()
      } catch let error as ModelStoreError where error.code == .denied {}
    } _: {
      let (title, entries) = (try await self.title($1), try await $0.outbox())
      #expect(title == "Mine")
      #expect(entries.isEmpty)
    }
  }
}

@Suite struct `A removal of the local records that is interrupted` {
  @Test func `The records that it removed are read again by the next synchronisation`() async throws {
    var (commit, isDone) = (0, false)
    while !isDone {
      let server = MemoryModelStore()
      for number in 1...3 {
        let article = Article()
        article.id.value = number
        article.updatedAt.value = Date(timeIntervalSinceReferenceDate: 0)
        try await server.save(article)
      }
      let (local, rest) = (MemoryModelStore().handle, Lock<Int?>(nil))
      func client() -> SyncModelStore<KillableEngine> {
        let engine = KillableEngine(
          local,
          shouldDie: {
            rest.withLock { rest in
              rest = rest.map { $0 - 1 }
              return rest == -1
            }
          })
        let store = SyncModelStore(
          SyncEngine(engine), remote: MemoryModelStore(server.handle), types: [Article.self, Tag.self])
        store.policy(Article.self, .changes(by: \.updatedAt, overlap: .zero))
        return store
      }
      let article = Article()
      article.id.value = 4
      article.updatedAt.value = Date(timeIntervalSinceReferenceDate: 1_000)
      try await server.save(article)
      try await client().sync()
      rest.withLock { $0 = commit }
      do {
        try await client().removeLocalRecords()
        isDone = true
      } catch is KillableEngine.Killed {}
      rest.withLock { $0 = nil }
      commit += 1
      // The mark of the exchange that the killed process left.
      try? local.commit(RecordBatch([.delete("sync.lock", "lock")]))
      let store = client()
      try await store.sync()
      #expect(try await store.count(Article.self) == 4, "commit \(commit)")
    }
    #expect(commit > 4)
  }
}

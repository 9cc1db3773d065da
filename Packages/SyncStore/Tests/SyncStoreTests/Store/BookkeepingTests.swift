@_spi(ModelKitInternals) import FieldKit
import MemoryStore
import StoreEngine
import StoreProtocol
import Testing

@testable import SyncStore

/// The records that are written beside those of models.
@Suite struct `The bookkeeping of a synchronised store` {
  private let shelf = Shelf()
  private let operations = Lock<[RecordOperation]>([])
  private let commits = Lock(0)

  private func client() -> SyncModelStore<KillableEngine> {
    let engine = KillableEngine(
      MemoryModelStore().handle,
      willCommit: { [operations, commits] batch in
        operations.withLock { $0 += batch.operations }
        commits.withLock { $0 += 1 }
      },
      shouldDie: { false })
    return SyncModelStore(SyncEngine(engine), remote: MemoryModelStore(shelf.server), types: [Book.self])
  }

  /// Returns the types of the records that were written since the last call.
  private func writtenTypes() -> [String] {
    operations.withLock { operations in
      defer { operations = [] }
      return operations.map(\.type)
    }
  }

  @Test func `A first pull writes each record once, and the name of its type`() async throws {
    try await shelf.store.createAll((1...1_200).map { Book.titled("Book \($0)") })
    let client = client()
    #expect(try await client.sync().pulled == 1_200)
    #expect(writtenTypes() == ["sync.type"] + [String](repeating: Book.typeName, count: 1_200))
  }

  @Test func `A pull removes many records with one commit`() async throws {
    try await shelf.store.createAll((1...700).map { Book.titled("Book \($0)", rating: $0 % 7) })
    let client = client()
    try await client.sync()
    let book = try await client.lookup(Book.self, identifier: "5")
    book.title.value = "Kept"
    try await client.save(book)
    client.resolve(Book.self) { _ in .local }
    _ = try await shelf.store.deleteAll(Book.self, where: { $0.rating > 0 })
    commits.withLock { $0 = 0 }
    #expect(try await client.sync().pulled == 599)
    #expect(try await client.count(Book.self) == 101)
    #expect(try await shelf.store.count(Book.self) == 101)
    #expect(commits.withLock { $0 } < 10)
  }

  @Test func `A pull of unchanged records writes nothing`() async throws {
    try await shelf.store.createAll((1...20).map { Book.titled("Book \($0)") })
    let client = client()
    try await client.sync()
    _ = writtenTypes()
    try await client.sync()
    #expect(writtenTypes() == [])
  }

  @Test func `An offline write writes one outbox entry beside its record, and its synchronisation removes it`()
    async throws
  {
    let client = client()
    let book = Book.titled("Emma")
    try await client.save(book)
    #expect(writtenTypes() == [Book.typeName, OutboxEntry.recordType])
    book.title.value = "Persuasion"
    try await client.save(book)
    #expect(writtenTypes() == [Book.typeName, OutboxEntry.recordType])
    try await client.sync()
    #expect(try await client.handle.local.current().count(OutboxEntry.recordType) == 0)
  }
}

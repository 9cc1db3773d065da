import MemoryStore
import StoreProtocol
import SyncStore
import Testing

private final class Piece: Model {
  let id = Field<String>()
  let number = Field<Int>()
  let next = ModelField<Piece>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

@Suite struct `A cycle of new records` {
  @Test(arguments: [false, true])
  func `One reference of a cycle is sent later to a server that checks references`(areMixed: Bool) async throws {
    let server = MemoryModelStore().handle
    let options = SyncOptions(isTemporary: { _, identifier in areMixed && ["a", "c"].contains(identifier) })
    let store = SyncModelStore(
      local: MemoryModelStore(), remote: CheckingStore(server), types: [Piece.self], options: options)
    let pieces = ["a", "b", "c", "d"].enumerated().map { number, id in
      let piece = Piece()
      (piece.id.value, piece.number.value) = (id, number)
      return piece
    }
    for (index, piece) in pieces.enumerated() { piece.next.value = pieces[(index + 1) % 4] }
    try await store.createAll(pieces)
    let report = try await store.sync()
    #expect(report.failures.isEmpty && report.waiting == 0)
    let stored = try await MemoryModelStore(server).list(Piece.self, sort: [.ascending(\.number)], including: [\.next])
    #expect(stored.map { $0.next.value?.number.value } == [1, 2, 3, 0])
  }
}

@Suite struct `A reference to a record of the server with a negative identifier` {
  @Test func `A reference with a negative identifier of the server is kept by an edit of another field`() async throws {
    let shelf = Shelf()
    let (server, author, book) = (shelf.store, Author(), Book.titled("Emma"))
    (author.id.value, book.author.value) = (-1, author)
    try await server.create(author)
    try await server.create(book)
    let store = shelf.client()
    try await store.sync()
    let mine = try #require(try await store.list(Book.self).first)
    mine.rating.value = 5
    try await store.save(mine)
    #expect(try await store.sync().waiting == 0)
    let stored = try #require(try await shelf.store.list(Book.self).first)
    #expect(stored.rating.value == 5 && stored.author.value?.identifier == "-1")
  }
}

/// A server that rejects references to records that it does not have.
private final class CheckingStore: ModelStore {
  let scope: ModelScope
  private let store: MemoryModelStore

  init(_ handle: MemoryEngine) {
    store = MemoryModelStore(handle)
    scope = store.scope
  }

  private func check(_ model: ModelObject) async throws {
    guard let next = (model as? Piece)?.next.value?.id.value else { return }
    if try await MemoryModelStore(store.handle).count(Piece.self, where: { $0.id == next }) == 0 {
      throw ModelStoreError(.invalid, "There is no Piece \(next).")
    }
  }

  func create<M: Model>(_ model: M) async throws -> M {
    try await check(model)
    return try await store.create(model)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await check(model)
    return try await store.update(model, fields: fields)
  }

  func delete<M: Model>(_ model: M) async throws -> M { try await store.delete(model) }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await store.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await store.list(query) }
}

import Foundation
import ModelKit

final class UndoAuthor: Model {
  @Field var id: Int?
  @Required var name = "Unknown"
  @ModelArrayField(foreignKey: true, deleteRule: .cascade, inverse: \.$author) var books: [UndoBook]?
  override var identifierField: AnyField? { $id }
}

final class UndoBook: Model {
  @Field var id: Int?
  @Required var title = "Untitled"
  @ModelField(foreignKey: true) var author: UndoAuthor?
  @ModelArrayField(foreignKey: true, inverse: \.$books) var tags: [UndoTag]?
  override var identifierField: AnyField? { $id }
}

final class UndoTag: Model {
  @Field var id: Int?
  @Required var word = ""
  @ModelArrayField var books: [UndoBook]?
  /// A link without an inverse.
  @ModelField(foreignKey: true) var origin: UndoBook?
  override var identifierField: AnyField? { $id }
}

/// The kinds of stores in which edits are undone.
enum UndoStoreKind: String, CaseIterable, Sendable {
  case memory, file

  /// Runs a test with a new store of this kind, and with a function that returns another instance of it.
  func run(_ body: (any TransactionalModelStore, @escaping () -> any ModelStore) async throws -> Void) async throws {
    switch self {
    case .memory:
      let store = MemoryModelStore()
      try await body(store) { MemoryModelStore(store.handle) }
    case .file:
      let directory = FileManager.default.temporaryDirectory.appending(path: "Undo-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: directory) }
      let store = FileModelStore(directory: directory)
      try await body(store) { FileModelStore(store.handle) }
      try await store.close()
    }
  }
}

/// A store with models whose relations are to-one, to-many and many-to-many, with a cascade.
final class UndoWorld {
  let store: any TransactionalModelStore
  private let makeReader: () -> any ModelStore
  var authors: [UndoAuthor] = [], books: [UndoBook] = [], tags: [UndoTag] = []

  init(_ store: any TransactionalModelStore, _ makeReader: @escaping () -> any ModelStore) async throws {
    self.store = store
    self.makeReader = makeReader
    for _ in 0..<2 { try await addAuthor() }
    for word in ["a", "b"] {
      let tag = UndoTag()
      tag.word = word
      tags.append(try await store.create(tag))
    }
    for number in 0..<4 { try await addBook(of: authors[number % 2], tags: Array(tags.prefix(number % 3))) }
    tags[0].origin = books[2]
    try await save()
  }

  func addAuthor() async throws { authors.append(try await store.create(UndoAuthor())) }

  func addBook(of author: UndoAuthor?, tags: [UndoTag]) async throws {
    let book = UndoBook()
    book.author = author
    book.tags = tags
    books.append(book)
    try await store.create(book)
  }

  var stored: (authors: [UndoAuthor], books: [UndoBook], tags: [UndoTag]) {
    (authors.filter(\.isPersisted), books.filter(\.isPersisted), tags.filter(\.isPersisted))
  }

  func save() async throws {
    let (authors, books, tags) = stored
    for author in authors where author.isDirty { try await store.save(author) }
    for book in books where book.isDirty { try await store.save(book) }
    for tag in tags where tag.isDirty { try await store.save(tag) }
  }

  /// Runs a transaction of the store.
  func transaction(_ body: () async throws -> Void) async throws {
    func run<Store: TransactionalModelStore>(_ store: Store) async throws {
      try await store.transaction { _ in try await body() }
    }
    try await run(store)
  }

  /// The records of the store, as another store instance reads them.
  func snapshot() async throws -> [String] {
    let other = makeReader()
    return Self.describe(
      try await other.list(UndoAuthor.self), try await other.list(UndoBook.self), try await other.list(UndoTag.self))
  }

  /// The stored models in memory.
  var liveSnapshot: [String] { Self.describe(stored.authors, stored.books, stored.tags) }

  private static func describe(_ authors: [UndoAuthor], _ books: [UndoBook], _ tags: [UndoTag]) -> [String] {
    func name(_ model: (any Model)?) -> String { model.map { $0.identifier ?? "new" } ?? "" }
    func list(_ models: [any Model]?) -> String { "\((models ?? []).map(name).sorted())" }
    return authors.map { "author \(name($0)) \($0.name) \(list($0.books))" }.sorted()
      + books.map { "book \(name($0)) \($0.title) \(name($0.author)) \(list($0.tags))" }.sorted()
      + tags.map { "tag \(name($0)) \($0.word) \(list($0.books)) \(name($0.origin))" }.sorted()
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

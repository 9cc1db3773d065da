import ModelKit
import Testing

private final class Author: Model {
  @Field var id: Int?
  @Required var name = "Unknown"
  @ModelArrayField(foreignKey: true, deleteRule: .cascade, inverse: \.$author) var books: [Book]?
  override var identifierField: AnyField? { $id }
}

private final class Book: Model {
  @Field var id: Int?
  @Required var title = "Untitled"
  @ModelField(foreignKey: true) var author: Author?
  @ModelArrayField(foreignKey: true, inverse: \.$books) var tags: [Tag]?
  override var identifierField: AnyField? { $id }
}

private final class Tag: Model {
  @Field var id: Int?
  @Required var word = ""
  @ModelArrayField(foreignKey: true) var books: [Book]?
  override var identifierField: AnyField? { $id }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A store whose models are created, edited and deleted at random.
private final class World {
  let store = MemoryModelStore()
  var authors: [Author] = [], books: [Book] = [], tags: [Tag] = []

  init() async throws {
    for _ in 0..<2 { try await addAuthor() }
    for word in ["a", "b"] {
      let tag = Tag()
      tag.word = word
      tags.append(try await store.create(tag))
    }
    for number in 0..<4 { try await addBook(of: authors[number % 2], tags: Array(tags.prefix(number % 3))) }
    try await save()
  }

  func addAuthor() async throws { authors.append(try await store.create(Author())) }

  func addBook(of author: Author?, tags: [Tag]) async throws {
    let book = Book()
    book.author = author
    book.tags = tags
    books.append(try await store.create(book))
  }

  var stored: (authors: [Author], books: [Book], tags: [Tag]) {
    (authors.filter(\.isPersisted), books.filter(\.isPersisted), tags.filter(\.isPersisted))
  }

  func edit(_ random: inout SplitMix) async throws {
    let (authors, books, tags) = stored
    let author = authors.randomElement(using: &random), book = books.randomElement(using: &random)
    let tag = tags.randomElement(using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: book?.title = "Title \(Int.random(in: 0..<9, using: &random))"
    case 1: book?.author = author
    case 2: book?.author = nil
    case 3: book?.tags = tags.shuffled(using: &random)
    case 4: author?.books = books.shuffled(using: &random).dropLast(Int.random(in: 0...3, using: &random))
    case 5: try await addBook(of: author, tags: tag.map { [$0] } ?? [])
    case 6: try await addAuthor()
    case 7: if let book { try await store.delete(book) }
    case 8: if let author { try await store.delete(author) }
    default: if let tag { try await store.delete(tag) }
    }
    try await save()
  }

  func save() async throws {
    let (authors, books, tags) = stored
    for author in authors where author.isDirty { try await store.save(author) }
    for book in books where book.isDirty { try await store.save(book) }
    for tag in tags where tag.isDirty { try await store.save(tag) }
  }

  /// The records of the store, as another store instance reads them.
  func snapshot() async throws -> [String] {
    let other = MemoryModelStore(store.handle)
    func list(_ models: [any Model]?) -> String { "\((models ?? []).map { $0.identifier ?? "new" }.sorted())" }
    let books = try await other.list(Book.self), tags = try await other.list(Tag.self)
    let authors = try await other.list(Author.self)
    return authors.map { "author \($0.identifier ?? "") \($0.name) \(list($0.books))" }.sorted()
      + books.map { "book \($0.identifier ?? "") \($0.title) \($0.author?.identifier ?? "") \(list($0.tags))" }.sorted()
      + tags.map { "tag \($0.identifier ?? "") \($0.word) \(list($0.books))" }.sorted()
  }
}

@Suite struct `Undoing deletions` {
  @Test func `A deletion with its cascade is one step, and its undo creates all models with their relations`()
    async throws
  {
    let world = try await World(), store = world.store
    let author = world.authors[0], books = try #require(author.books)
    #expect(books.count == 2)
    let beginning = try await world.snapshot()
    let undo = ModelUndo(store.scope)
    try await store.delete(author)
    #expect(!author.isPersisted && books.allSatisfy { !$0.isPersisted })
    let end = try await world.snapshot()
    let changes = try undo.undo()
    #expect(Set(changes.modelsToSave).isSuperset(of: [author] + books))
    try await store.save(changes)
    #expect(try await world.snapshot() == beginning)
    #expect(author.books == books && books.allSatisfy { $0.author === author && $0.isPersisted })
    #expect(!undo.canUndo && undo.canRedo)
    try await store.save(undo.redo())
    #expect(try await world.snapshot() == end)
    #expect(!author.isPersisted && undo.canUndo && !undo.canRedo)
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `Each step of a history with deletions is undone and redone in the store`(seed: UInt64) async throws {
    var random = SplitMix(state: seed)
    let world = try await World()
    let undo = ModelUndo(world.store.scope)
    let beginning = try await world.snapshot()
    var before: [String: [String]] = [:], after: [String: [String]] = [:]

    func undoStep() async throws {
      let changes = try undo.undo()
      try await world.store.save(changes)
      let label = try #require(changes.label)
      try #require(try await world.snapshot() == before[label], "seed \(seed), undo of step \(label)")
      try await world.save()
      try #require(try await world.snapshot() == before[label], "seed \(seed), save after undo of step \(label)")
    }
    func redoStep() async throws {
      let changes = try undo.redo()
      try await world.store.save(changes)
      let label = try #require(changes.label)
      try #require(try await world.snapshot() == after[label], "seed \(seed), redo of step \(label)")
      try await world.save()
      try #require(try await world.snapshot() == after[label], "seed \(seed), save after redo of step \(label)")
    }

    for step in 0..<Int.random(in: 1...12, using: &random) {
      before["\(step)"] = try await world.snapshot()
      undo.beginStep("\(step)")
      for _ in 0..<Int.random(in: 1...3, using: &random) { try await world.edit(&random) }
      undo.endStep()
      after["\(step)"] = try await world.snapshot()
      if Int.random(in: 0..<4, using: &random) == 0, undo.canUndo {
        try await undoStep()
        if Bool.random(using: &random) { try await redoStep() }
      }
    }
    while undo.canRedo { try await redoStep() }
    let end = try await world.snapshot()
    for _ in 0..<2 {
      while undo.canUndo { try await undoStep() }
      #expect(try await world.snapshot() == beginning, "seed \(seed)")
      while undo.canRedo { try await redoStep() }
      #expect(try await world.snapshot() == end, "seed \(seed)")
    }
  }
}

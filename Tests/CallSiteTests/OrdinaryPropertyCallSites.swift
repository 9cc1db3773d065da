import Foundation
import ModelKit
import Testing

private final class Author: Model {
  @Field var id: Int?
  @Required(.notBlank) var name = "Unknown"
  @ModelArrayField(inverse: \.$author) var books: [Book]?
  override var identifierField: AnyField? { $id }
}

private final class Book: Model {
  @Field var id: Int?
  @Required(.notBlank, .length(1...200)) var title = "Untitled"
  @Field(.range(1...5), key: "stars") var rating: Int?
  @Required var tags: [String] = []
  @Required var isRead = false
  @Required(configure: { $0.constrain(to: ["S", "M", "L"]) }) var size = "M"
  @Field var isLent: Bool?
  @ModelField(foreignKey: true) var author: Author?
  let pages = Field<Int>()
  override var identifierField: AnyField? { $id }

  /// A computed property that can be set, but is no field's value.
  var shout: String {
    get { title.uppercased() }
    set { title = newValue.lowercased() }
  }
  /// Computed properties that have the value of a field, but for an empty text, a negative number, or an order.
  var shownTitle: String {
    get { title.isEmpty ? "unknown" : title }
    set { title = newValue }
  }
  var firstTag: String {
    get { title.isEmpty ? tags.first ?? "" : title }
    set { title = newValue }
  }
  var shownRating: Int? {
    get { rating.map { max($0, 0) } }
    set { rating = newValue }
  }
  var sortedTags: [String] {
    get { tags.sorted() }
    set { tags = newValue }
  }
  /// A computed property of two fields.
  var stars: Int? {
    get { id.flatMap { _ in rating } }
    set { rating = newValue }
  }
}

@Suite struct `Ordinary properties in stores` {
  private func fill(_ store: some TransactionalModelStore) async throws -> Author {
    let jane = Author(), emily = Author()
    (jane.name, emily.name) = ("Jane", "Emily")
    for author in [jane, emily] { try await store.create(author) }
    for (number, title) in ["Emma", "Persuasion", "Wuthering Heights", "Sanditon"].enumerated() {
      let book = Book()
      book.title = title
      book.rating = number == 3 ? nil : 5 - number
      book.tags = number < 2 ? ["classic", "love"] : []
      book.isRead = number == 0
      if number == 2 { book.size = "L" }
      book.isLent = number == 1
      book.author = number == 2 ? emily : jane
      book.pages.value = 100 * (number + 1)
      try await store.create(book)
    }
    return jane
  }

  private func queries(_ store: some TransactionalModelStore, _ jane: Author) async throws {
    func titles(
      _ filter: ((ModelColumns<Book>) -> QueryExpression)? = nil, sort: [ModelSort<Book>] = []
    ) async throws -> [String] {
      try await store.list(Book.self, where: filter, sort: sort).map(\.title)
    }
    #expect(try await titles { $0.title == "Emma" && $0.author.name == "Jane" } == ["Emma"])
    #expect(try await titles { $0.size == "L" } == ["Wuthering Heights"])
    #expect(try await titles { $0.$title == "Emma" } == ["Emma"])
    #expect(try await titles { $0.rating > 3 || $0.pages > 350 } == ["Emma", "Persuasion", "Sanditon"])
    #expect(try await titles { $0.rating == nil } == ["Sanditon"])
    #expect(try await titles { $0.title.hasPrefix("P") || $0.title.ignoringCase == "emma" } == ["Emma", "Persuasion"])
    #expect(try await titles { $0.tags.contains("love") } == ["Emma", "Persuasion"])
    #expect(try await titles { $0.tags.isEmpty } == ["Wuthering Heights", "Sanditon"])
    #expect(
      try await titles { $0.tags.count == 2 && $0.tags.contains { $0.hasPrefix("cl") } } == ["Emma", "Persuasion"])
    #expect(try await titles { $0.isRead } == ["Emma"])
    #expect(try await titles { !$0.isRead && $0.isLent } == ["Persuasion"])
    #expect(try await titles { $0.isLent == true } == ["Persuasion"])
    #expect(try await titles { $0.author == jane } == ["Emma", "Persuasion", "Sanditon"])
    #expect(try await titles { (1...3).contains($0.rating) } == ["Wuthering Heights"])
    #expect(
      try await titles(sort: [.descending(\.rating), .ascending(\.title)]) == [
        "Emma", "Persuasion", "Wuthering Heights", "Sanditon",
      ])
    #expect(
      try await titles(sort: [.ascending { $0.author.name }, .descending(\.title)]) == [
        "Wuthering Heights", "Sanditon", "Persuasion", "Emma",
      ])
    #expect(try await store.list(Author.self, where: { $0.books.contains { $0.rating == 5 } }).map(\.name) == ["Jane"])
    #expect(try await store.list(in: jane.$books).map(\.title) == ["Emma", "Persuasion", "Sanditon"])
  }

  @Test func `Conditions, orders and indexes name ordinary properties in a memory store`() async throws {
    let store = MemoryModelStore()
    let jane = try await fill(store)
    try await queries(store, jane)
    try store.index(\Book.title, unique: true)
    try store.index(\Book.rating)
    try await queries(store, jane)
    #expect(
      "\(try await store.explain(ModelQuery(Book.self, where: { $0.title == "Emma" })))".contains(
        "by the index of title"))
  }

  @Test func `Conditions, orders and indexes name ordinary properties in a file store`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = FileModelStore(directory: folder)
    let jane = try await fill(store)
    try await queries(store, jane)
    try await store.index(\Book.title, unique: true)
    try await store.index(\Book.rating)
    try await queries(store, jane)
    try await store.close()
  }

  @Test func `A computed property is refused by conditions, orders and indexes`() async throws {
    let store = MemoryModelStore()
    _ = try await fill(store)
    let filters: [(ModelColumns<Book>) -> QueryExpression] = [
      { $0.shout == "EMMA" }, { $0.stars == 5 }, { $0.shownTitle == "Emma" }, { $0.firstTag == "Emma" },
      { $0.shownRating == 5 }, { $0.sortedTags.contains("love") },
    ]
    for filter in filters {
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Book.self, where: filter) }
      #expect(error?.code == .invalid)
    }
    let error = await #expect(throws: ModelStoreError.self) {
      _ = try await store.list(Book.self, sort: [.ascending(\.shout)])
    }
    #expect(error?.code == .invalid)
    #expect(throws: ModelStoreError.self) { try store.index(\Book.shout) }
  }

  @Test func `A property of related models has those that are known`() async throws {
    let store = MemoryModelStore(), jane = Author(), book = Book()
    jane.name = "Jane"
    #expect(jane.books == [])
    try await store.save(jane)
    book.author = jane
    #expect(jane.books == [book])
    try await store.save(book)
    #expect(jane.books == [book])
  }

  @Test func `A live result follows ordinary properties`() async throws {
    let store = MemoryModelStore()
    _ = try await fill(store)
    var results = store.observe(Book.self, where: { $0.rating >= 4 }, sort: [.ascending(\.title)]).makeAsyncIterator()
    #expect(await results.next()?.models.map(\.title) == ["Emma", "Persuasion"])
    let book = try await store.list(Book.self, where: { $0.title == "Sanditon" })[0]
    book.rating = 4
    try await store.save(book)
    #expect(await results.next()?.models.map(\.title) == ["Emma", "Persuasion", "Sanditon"])
  }
}

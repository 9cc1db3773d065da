import MemoryStore
import Testing

@testable import StoreProtocolTesting

/// Aggregates of fields of related models, which are built from the column of the references.
@Suite struct `Columns of related models` {
  private let store = MemoryModelStore()

  final class Shelf: Model {
    @Field var id: Int?
    @Field var name: String?
    @Field var width: Int?
    @Field var weight: Double?
    @ModelField(foreignKey: true) var beside: Shelf?
    override var identifierField: AnyField? { $id }
  }

  final class Book: Model {
    @Field var id: Int?
    @Field var pages: Int?
    @ModelField(foreignKey: true) var shelf: Shelf?
    override var identifierField: AnyField? { $id }
  }

  private func report() async throws -> QueryReport {
    try await store.explain(ModelQuery(Book.self), columns: { $0.shelf.name })
  }

  private func counts(in store: MemoryModelStore) async throws -> [String] {
    try await store.groups(Book.self, by: { $0.shelf.name }) { $0.count }.map { "\($0.key ?? "none"): \($0.values)" }
  }

  /// Stores two shelves, and three books, one of which is on none.
  private func storeBooks() async throws -> [Shelf] {
    let shelves = ["low", "high"].map { name in
      let shelf = Shelf()
      shelf.name = name
      return shelf
    }
    try await store.createAll(shelves)
    for shelf in [shelves[0], nil, shelves[1], shelves[0]] {
      let book = Book()
      book.shelf = shelf
      try await store.create(book)
    }
    return shelves
  }

  @Test func `Groups by a field of a related model read no records again, and follow its changes`() async throws {
    let shelves = try await storeBooks()
    #expect(try await counts(in: store) == ["low: 2", "none: 1", "high: 1"])
    let second = try await report()
    #expect(second.usesColumns)
    #expect(second.readCount == 0)
    shelves[0].name = "lowest"
    try await store.save(shelves[0])
    #expect(try await counts(in: store) == ["lowest: 2", "none: 1", "high: 1"])
    shelves[1].name = "lowest"
    try await store.save(shelves[1])
    #expect(try await counts(in: store) == ["lowest: 3", "none: 1"])
    #expect(try await report().readCount == 0)
  }

  @Test func `Groups inside a transaction have its uncommitted related models`() async throws {
    let shelves = try await storeBooks()
    for _ in 0..<2 { #expect(try await counts(in: store) == ["low: 2", "none: 1", "high: 1"]) }
    try await store.transaction { store in
      shelves[0].name = "lowest"
      try await store.save(shelves[0])
      #expect(try await counts(in: store) == ["lowest: 2", "none: 1", "high: 1"])
    }
    let other = MemoryModelStore(store.handle)
    #expect(try await counts(in: other) == ["lowest: 2", "none: 1", "high: 1"])
  }

  @Test func `A transaction that grouped by a related model conflicts with a change of it`() async throws {
    let shelves = try await storeBooks()
    for _ in 0..<2 { _ = try await counts(in: store) }
    let other = MemoryModelStore(store.handle)
    let error = await #expect(throws: ModelStoreError.self) {
      try await store.transaction { store in
        _ = try await counts(in: store)
        let shelf = try await other.lookup(Shelf.self, identifier: try #require(shelves[1].identifier))
        shelf.name = "highest"
        try await other.save(shelf)
        let book = Book()
        try await store.create(book)
      }
    }
    #expect(error?.code == .conflict)
  }

  @Test func `A transaction that grouped some records does not conflict with a change of other related models`()
    async throws
  {
    let shelves = try await storeBooks()
    for number in 1...4 {
      let book = try await store.lookup(Book.self, identifier: "\(number)")
      book.pages = number
      try await store.save(book)
    }
    func names() async throws -> [String?] {
      try await store.groups(Book.self, by: { $0.shelf.name }, where: { $0.pages != 3 }) { $0.count }.map(\.key)
    }
    for _ in 0..<2 { #expect(try await names() == ["low", nil]) }
    let other = MemoryModelStore(store.handle)
    try await store.transaction { store in
      #expect(try await names() == ["low", nil])
      let shelf = try await other.lookup(Shelf.self, identifier: try #require(shelves[1].identifier))
      shelf.name = "highest"
      try await other.save(shelf)
      try await store.create(Book())
    }
    #expect(try await store.count(Book.self) == 5)
  }

  final class Label: Model {
    @Field var id: String?
    @Field var name: String?
    override var identifierField: AnyField? { $id }
  }

  final class Jar: Model {
    @Field var id: Int?
    @ModelField(foreignKey: true) var label: Label?
    @ModelField var embedded: Label?
    override var identifierField: AnyField? { $id }
  }

  /// Swift's comparison of texts takes both spellings of the identifier for the same one.
  @Test func `Groups keep models apart whose identifiers differ only in the spelling of an accent`() async throws {
    let labels = ["\u{E9}", "e\u{301}"].map { identifier in
      let label = Label()
      (label.id, label.name) = (identifier, "\(identifier.unicodeScalars.count)")
      return label
    }
    try await store.createAll(labels)
    for label in labels + [labels[1]] {
      let jar = Jar()
      (jar.label, jar.embedded) = (label, label)
      try await store.create(jar)
    }
    for _ in 0..<3 {
      let store = MemoryModelStore(store.handle)
      for _ in 0..<3 {
        let keys = try await store.groups(Jar.self, by: { $0.label.name }) { $0.count }
        #expect(keys.map { "\($0.key ?? "none"): \($0.values)" } == ["1: 1", "2: 2"])
        let embedded = try await store.groups(Jar.self, by: { $0.embedded.name }) { $0.count }
        #expect(embedded.map { "\($0.key ?? "none"): \($0.values)" } == ["1: 1", "2: 2"])
      }
    }
  }

  /// References to nothing, paths of several relations, and more models than a column of references has.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `Sums and groups of random related models are those of plain Swift`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    let shelfCount = seed == 1 ? 5_000 : Int.random(in: 1...20, using: &random)
    let shelves = (0..<shelfCount).map { number in
      let shelf = Shelf()
      shelf.name = Int.random(in: 0..<4, using: &random) == 0 ? nil : "s\(number % 7)"
      shelf.width = Int.random(in: 0..<4, using: &random) == 0 ? nil : number
      shelf.weight = Int.random(in: 0..<4, using: &random) == 0 ? nil : Double(number % 3)
      return shelf
    }
    try await store.createAll(shelves)
    for shelf in shelves where Bool.random(using: &random) { shelf.beside = shelves.randomElement(using: &random) }
    for shelf in shelves { try await store.save(shelf) }
    let books = (0..<max(200, shelfCount)).map { number in
      let book = Book()
      book.pages = number
      book.shelf = number < shelfCount ? shelves[number] : shelves.randomElement(using: &random)
      if Int.random(in: 0..<5, using: &random) == 0 { book.shelf = nil }
      return book
    }
    try await store.createAll(books)
    for round in 0..<3 {
      let groups = try await store.groups(Book.self, by: { ($0.shelf.beside.name, $0.shelf.weight) }) {
        ($0.count, $0.sum(\.shelf.width))
      }
      let expected = Dictionary(grouping: books) { "\($0.shelf?.beside?.name ?? "-") \($0.shelf?.weight ?? -1)" }
      try #require(groups.count == expected.count, "round \(round)")
      for group in groups {
        let members = try #require(expected["\(group.key.0 ?? "-") \(group.key.1 ?? -1)"], "round \(round)")
        let widths = members.compactMap { $0.shelf?.width }
        #expect(group.values.0 == members.count)
        #expect(group.values.1 == (widths.isEmpty ? nil : widths.reduce(0, +)))
      }
      let widest = try await store.maximum(Book.self, of: { $0.shelf.beside.width }, where: { $0.pages > 20 })
      #expect(widest == books.filter { $0.pages ?? 0 > 20 }.compactMap { $0.shelf?.beside?.width }.max())
      let shelf = try #require(shelves.randomElement(using: &random))
      shelf.name = "changed"
      shelf.width = 7
      shelf.beside = shelves.randomElement(using: &random)
      try await store.save(shelf)
    }
  }
}

import Foundation
import MemoryStore
import StoreProtocolTesting
import Testing

private struct Cover: Codable, Hashable, Sendable {
  var caption: String
  var year: Int?
}

private final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let subjects = Field<String>()*
  let pages = Field<Int>()
  let cover = Field<Cover>()
  override var identifierField: AnyField? { id }

  static func titled(_ title: String?, pages: Int? = nil) -> Book {
    let book = Book()
    book.title.value = title
    book.pages.value = pages
    return book
  }
}

@Suite struct `A text index of a memory store` {
  private let store = MemoryModelStore()

  /// 2,000 books: `word n` of ten, `even` or `odd`, a number of its own, and a name with an accent.
  private func fill() async throws {
    try store.index(\Book.title, .text)
    let books = (0..<2_000).map { (number: Int) -> Book in
      let parity = number % 2 == 0 ? "Even" : "Odd"
      return Book.titled("Word\(number % 200), \(parity): n\(number) Émile", pages: number % 50)
    }
    try await store.createAll(books)
  }

  private func report(
    _ filter: @escaping (ModelColumns<Book>) -> QueryExpression, sort: [ModelSort<Book>] = [], limit: Int? = nil
  ) async throws -> QueryReport {
    let query = ModelQuery(Book.self, where: filter, sort: sort, limit: limit)
    let report = try await store.explain(query)
    let plain = MemoryModelStore()
    try plain.restore(store.snapshot())
    let expected = try plain.listImmediately(query).map(\.id.value)
    #expect(try store.listImmediately(query).map(\.id.value) == expected, "\(query)")
    #expect(try store.countImmediately(query) == expected.count, "\(query)")
    #expect(try await store.identifiers(query) == expected.map { "\($0 ?? 0)" }, "\(query)")
    #expect(report.matchCount == expected.count)
    return report
  }

  @Test(
    arguments: [
      ("word7", 10), ("WÖRD7", 10), ("n1999", 1), ("even n1998", 1), ("odd word7", 10), ("even word7", 0),
      ("word19*", 110),
      ("word1* emile", 1_110), ("none", 0), ("word19* n19*", 21), ("emile even", 1_000), ("even even", 1_000),
    ])
  func `A text index of a memory store finds words, and reads and tests only matches`(words: String, count: Int)
    async throws
  {
    try await fill()
    let report = try await report { $0.title.matches(words: words) }
    #expect(report.plan.usedIndexes == ["title.text"])
    #expect((report.readCount, report.testedCount, report.matchCount) == (count, 0, count))
  }

  @Test func `A text index of a memory store serves searches together with other conditions`() async throws {
    try await fill()
    try store.index(\Book.pages)
    let first = try await report { $0.title.matches(words: "word7") && $0.pages < 10 }
    #expect(first.readCount == 10)
    let both = try await report { $0.title.matches(words: "odd") && $0.title.matches(words: "word7") }
    #expect(both.readCount == 10)
    let either = try await report { $0.title.matches(words: "word7") || $0.title.matches(words: "word8 even") }
    #expect((either.readCount, either.testedCount) == (20, 0))
    let mixed = try await report { $0.title.matches(words: "odd") && $0.pages == 7 }
    #expect(mixed.readCount == 40)
    let sorted = try await report({ $0.title.matches(words: "word7") }, sort: [.descending(\.pages)], limit: 3)
    #expect(sorted.readCount <= 10)
    // A negation and a search without words are answered without it.
    #expect(try await report { !$0.title.matches(words: "word7") }.plan.isFullScan)
    #expect(try await report { $0.title.matches(words: "*") }.plan.isFullScan)
    #expect(try await report { !($0.title.matches(words: "odd") || $0.title.matches(words: "n0")) }.matchCount == 999)
  }

  @Test func `A rare word beside a frequent prefix is found without reading the records of the prefix`() async throws {
    try await fill()
    let report = try await report { $0.title.matches(words: "n1234 e*") }
    #expect((report.readCount, report.matchCount) == (1, 1))
  }

  @Test func `A text index of a list of texts, and of a member, finds their words`() async throws {
    try store.index(\Book.subjects, .text)
    try store.index(Book.self, .text) { $0.cover.caption }
    let books = (0..<100).map { Book.titled("b\($0)") }
    books[3].subjects.value = ["new books", "old"]
    books[4].subjects.value = ["old books", "new"]
    books[5].cover.value = Cover(caption: "A green Cover")
    try await store.createAll(books)
    let one = try await report { $0.subjects.matches(words: "new") }
    #expect((one.readCount, one.testedCount, one.matchCount) == (2, 0, 2))
    #expect(one.plan.usedIndexes == ["subjects.text"])
    let both = try await report { $0.subjects.matches(words: "new books") }
    #expect((both.readCount, both.matchCount) == (2, 1))
    let cover = try await report { $0.cover.caption.matches(words: "GREEN c*") }
    #expect((cover.readCount, cover.matchCount) == (1, 1))
  }

  @Test func `A text index and an index of values of the same field serve their own conditions`() async throws {
    try await fill()
    try store.index(\Book.title)
    #expect(try await report { $0.title.matches(words: "n5") }.plan.usedIndexes == ["title.text"])
    #expect(try await report { $0.title.hasPrefix("Word5,") }.plan.usedIndexes == ["title"])
    #expect(try await report { $0.title == "x" || $0.title.matches(words: "n5") }.readCount == 1)
    let sorted = try await report({ $0.pages < 3 }, sort: [.ascending(\.title)], limit: 5)
    #expect(sorted.plan.usedIndexes == ["title"])
  }

  @Test func `A text index of a field that is no text is rejected`() async throws {
    let errors = [
      #expect(throws: ModelStoreError.self) { try store.index(\Book.pages, .text) },
      #expect(throws: ModelStoreError.self) { try store.index(\ContractPerson.company, .text) },
      #expect(throws: ModelStoreError.self) { try store.index(Book.self, .text) { $0.title.ignoringCase } },
      #expect(throws: ModelStoreError.self) { try store.index(ModelType(Book.self), "pages", .text) },
      #expect(throws: ModelStoreError.self) { try store.index(ModelType(Book.self), "nothing", .text) },
    ]
    #expect(errors.map(\.?.code) == Array(repeating: .invalid, count: 5))
    #expect(errors[0]?.message.contains("values of the type Int are not text") == true)
    try store.index(ModelType(Book.self), "title", .text)
    try await store.create(Book.titled("found"))
    #expect(try store.countImmediately(ModelQuery(Book.self, where: { $0.title.matches(words: "found") })) == 1)
  }

  @Test func `A text index of texts of megabytes finds their words`() async throws {
    try store.index(\Book.title, .text)
    let long = String(repeating: "x", count: 5_000_000)
    let many = (0..<20_000).map { "m\($0)" }.joined(separator: " ")
    let books = [Book.titled(long), Book.titled(long + "y"), Book.titled(many)]
    try await store.createAll(books)
    func found(_ words: String) throws -> [Book] {
      try store.listImmediately(ModelQuery(Book.self, where: { $0.title.matches(words: words) }))
    }
    #expect(try found(long) == [books[0]])
    #expect(try found(long + "*") == [books[0], books[1]])
    #expect(try found("m19999 m0") == [books[2]])
    #expect(try found(many) == [books[2]])
    books[2].title.value = nil
    try await store.update(books[2])
    #expect(try found("m*") == [])
  }

  @Test(arguments: TestEffort.seeds(3))
  func `A text index of a memory store finds the same models as plain Swift after any history`(seed: UInt64)
    async throws
  {
    try await ModelStoreContract.randomSearches(150, seed: seed).run {
      let store = MemoryModelStore()
      try store.index(\ContractPerson.nickname, .text)
      try store.index(\ContractPerson.tags, .text)
      return store
    }
  }
}

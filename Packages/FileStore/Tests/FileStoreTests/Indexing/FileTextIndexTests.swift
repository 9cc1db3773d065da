import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore

private final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let pages = Field<Int>()
  override var identifierField: AnyField? { id }
}

@Suite struct `A text index of a file store` {
  /// Opens a store that writes a checkpoint whenever it is closed.
  private func open(_ directory: URL) -> FileModelStore {
    var options = FileEngineOptions()
    options.journal.checkpointInterval = 1
    let engine = FileEngine(directory: directory.path(percentEncoded: false), options: options)
    return FileModelStore(
      FileStoreHandle(directory: directory, options: FileStoreOptions(), engine: engine, feeds: FileChangeFeeds()))
  }

  /// 1,000 books: `word n` of ten, `even` or `odd`, a number of its own, and a name with an accent.
  private func fill(_ store: FileModelStore) async throws {
    let books = (0..<1_000).map { (number: Int) -> Book in
      let book = Book()
      book.title.value = "Word\(number % 100), \(number % 2 == 0 ? "Even" : "Odd"): n\(number) Émile"
      book.pages.value = number % 50
      return book
    }
    try await store.createAll(books)
  }

  private func titles(_ words: String, in store: FileModelStore) async throws -> [String] {
    let query = ModelQuery(Book.self, where: { $0.title.matches(words: words) })
    let report = try await store.explain(query)
    #expect(report.plan.usedIndexes == ["title.text"])
    #expect((report.readCount, report.testedCount) == (report.matchCount, 0))
    #expect(try await store.count(query) == report.matchCount)
    return try await store.list(query).compactMap(\.title.value)
  }

  @Test func `A text index of a file store finds words, and reads only matches`() async throws {
    try await withTemporaryDirectory { directory in
      let store = open(directory)
      try await store.index(\Book.title, .text)
      try await fill(store)
      #expect(try await titles("n77", in: store) == ["Word77, Odd: n77 Émile"])
      #expect(try await titles("WORD7 odd", in: store).count == 10)
      #expect(try await titles("word7 even", in: store) == [])
      #expect(try await titles("emil*", in: store).count == 1_000)
      #expect(try await titles("word9* even", in: store).count == 50)
      let report = try await store.explain(
        ModelQuery(Book.self, where: { $0.title.matches(words: "word7") && $0.id < 500 }))
      #expect((report.readCount, report.matchCount) == (10, 5))
      try await store.close()
    }
  }

  @Test
  func `A text index is built of the records that a store has when it is opened, and follows writes and compactions`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      var store = open(directory)
      try await fill(store)
      try await store.close()
      store = open(directory)
      try await store.index(\Book.title, .text)
      #expect(try await titles("n77", in: store) == ["Word77, Odd: n77 Émile"])
      let book = try #require(try await store.first(Book.self, where: { $0.title.matches(words: "n77") }))
      book.title.value = "Nothing, nothing new"
      try await store.save(book)
      try await store.compact()
      #expect(try await titles("n77", in: store) == [])
      #expect(try await titles("noth* new", in: store) == ["Nothing, nothing new"])
      let other = FileModelStore(store.handle)
      try await other.delete(other.lookup(Book.self, identifier: book.identifier ?? ""))
      #expect(try await titles("nothing", in: store) == [])
      try await store.close()
    }
  }

  @Test(arguments: ["damaged", "missing", "empty"])
  func `A text index finds everything although the checkpoint is lost`(loss: String) async throws {
    try await withTemporaryDirectory { directory in
      var store = open(directory)
      try await store.index(\Book.title, .text)
      try await fill(store)
      try await store.close()
      let checkpoint = directory.appending(path: "groups/@default/index.checkpoint")
      var data = try Data(contentsOf: checkpoint)
      switch loss {
      case "missing": try FileManager.default.removeItem(at: checkpoint)
      case "empty": try Data().write(to: checkpoint)
      default:
        for place in stride(from: 40, to: data.count, by: 97) { data[place] ^= 0x55 }
        try data.write(to: checkpoint)
      }
      store = open(directory)
      try await store.index(\Book.title, .text)
      #expect(try await titles("n500", in: store) == ["Word0, Even: n500 Émile"])
      #expect(try await titles("word7", in: store).count == 10)
      try await store.close()
    }
  }

  @Test func `A text index that lacks an unreadable record is not used, so that the search reports the record`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      var store = open(directory)
      try await fill(store)
      try await store.close()
      let segment = directory.appending(path: "groups/@default/000001.journal")
      var data = try Data(contentsOf: segment)
      let range = try #require(data.range(of: Data("n77 ".utf8)))
      data[range.lowerBound] ^= 1
      try data.write(to: segment)
      store = open(directory)
      try await store.index(\Book.title, .text)
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await store.list(Book.self, where: { $0.title.matches(words: "n78") })
      }
      #expect(error?.code == .corrupt)
      try await store.repair()
      #expect(try await titles("n78", in: store) == ["Word78, Even: n78 Émile"])
      try await store.close()
    }
  }

  @Test func `A text index that is made while others write has all that they wrote`() async throws {
    try await withTemporaryDirectory { directory in
      let store = open(directory)
      try await fill(store)
      let handle = store.handle
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await FileModelStore(handle).index(\Book.title, .text) }
        for task in 0..<4 {
          group.addTask {
            let store = FileModelStore(handle)
            for number in stride(from: task + 1, through: 400, by: 4) {
              let book = try await store.lookup(Book.self, identifier: "\(number)")
              if number % 2 == 0 {
                try await store.delete(book)
              } else {
                book.title.value = "fresh n\(number)"
                try await store.save(book)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await titles("fresh", in: FileModelStore(handle)).count == 200)
      #expect(try await titles("emile", in: FileModelStore(handle)).count == 600)
      try await store.close()
    }
  }

  @Test func `A text index of a field that is no text is rejected`() async throws {
    try await withTemporaryDirectory { directory in
      let store = open(directory)
      let error = await #expect(throws: ModelStoreError.self) { try await store.index(\Book.pages, .text) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("values of the type Int are not text") == true)
      try await store.index(ModelType(Book.self), "title", .text)
      try await fill(store)
      #expect(try await titles("n5", in: store).count == 1)
      try await store.close()
    }
  }

  @Test func `A text index of texts of megabytes finds their words`() async throws {
    try await withTemporaryDirectory { directory in
      let store = open(directory)
      try await store.index(\Book.title, .text)
      let long = String(repeating: "x", count: 5_000_000)
      for title in [long, long + "y"] {
        let book = Book()
        book.title.value = title
        try await store.create(book)
      }
      func count(_ words: String) async throws -> Int {
        try await store.count(Book.self, where: { $0.title.matches(words: words) })
      }
      #expect(try await count(long) == 1)
      #expect(try await count(long + "*") == 2)
      #expect(try await count("x*") == 2)
      #expect(try await count("x") == 0)
      try await store.close()
    }
  }

  @Test(arguments: TestEffort.seeds(2))
  func `A text index of a file store finds the same models as plain Swift after any history`(seed: UInt64) async throws
  {
    try await withTemporaryDirectory { directory in
      try await ModelStoreContract.randomSearches(120, seed: seed).run {
        let store = open(directory)
        try await store.index(\ContractPerson.nickname, .text)
        try await store.index(\ContractPerson.tags, .text)
        return store
      }
    }
  }
}

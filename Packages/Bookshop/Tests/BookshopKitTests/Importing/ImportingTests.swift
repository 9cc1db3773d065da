import BookshopKit
import Foundation
import ModelKit
import Testing

@Suite struct `Importing a catalogue` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `An import keeps the valid entries of the shipped catalogue and reports the others with path and reason`()
    async throws
  {
    try await folder.withShop { shop in
      let report = try await shop.importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
      #expect(report.authors == MergeCounts(added: 89, rejected: 1))
      #expect(report.books == MergeCounts(added: 440, rejected: 7))
      #expect(
        report.rejections.flatMap(\.reasons) == [
          #"authors[1].books[2].title cannot be blank"#,
          #"authors[18].books[1].tags: expected a list, found the string "novel satire""#,
          #"authors[31].books[0].rating must be less than or equal to 5"#,
          #"authors[45].books[5].price must be greater than or equal to 0"#,
          #"authors[53].name.full cannot be blank"#,
          #"authors[64].books[3].added_at (addedAt): expected a date as yyyy-MM-dd, found the string "2024-02-30""#,
          #"authors[69].books[4].book_id is required"#,
          #"authors[78].books[7].published: expected an integer, found the string "unknown""#,
        ])
    }
    // Another run of the program reads the same stock.
    try await folder.withShop { shop in
      let books = try await shop.books()
      #expect(try await shop.authors().count == 89)
      #expect(books.count == 440)
      #expect(books.map { $0.id.value ?? 0 }.prefix(3) == [101, 102, 103])
      #expect(books.allSatisfy { $0.author.value?.fullName.value != nil })
      #expect(books[0].price.value == Decimal(string: "14.95"))
    }
  }

  @Test func `A second import of the same catalogue changes nothing`() async throws {
    try await folder.withShop { shop in
      let file = try CatalogueFile(contentsOf: shippedCatalogue)
      _ = try await shop.importCatalogue(file)
      let report = try await shop.importCatalogue(file)
      #expect(report.authors == MergeCounts(unchanged: 89, rejected: 1))
      #expect(report.books == MergeCounts(unchanged: 440, rejected: 7))
    }
  }

  @Test func `An import updates different values and keeps those that the catalogue lacks`() async throws {
    let store = RecordingStore()
    let shop = Shop(store: store)
    _ = try await shop.importCatalogue(
      CatalogueFile(
        contentsOf: folder.file(
          #"[{"author_id": 1, "name": {"full": "A", "native": "B"}, "books": [{"book_id": 10, "title": "T", "rating": 3}]}]"#
        )))
    let report = try await shop.importCatalogue(
      CatalogueFile(
        contentsOf: folder.file(
          #"[{"author_id": 1, "name": {"full": "C"}, "books": [{"book_id": 10, "title": "U", "price": 2}]}]"#)))
    #expect(report.authors == MergeCounts(updated: 1))
    #expect(report.books == MergeCounts(updated: 1))
    #expect(store.updates == ["Author 1: name.full name.native", "Book 10: title price"])
    let book = try await shop.book(10)
    #expect(book.title.value == "U")
    #expect(book.rating.value == 3)
    #expect(book.author.value?.fullName.value == "C")
    #expect(book.author.value?.nativeName.value == "B")
  }

  @Test func `An import uses the last of several entries with one number`() async throws {
    let shop = Shop(store: MemoryModelStore())
    let report = try await shop.importCatalogue(
      CatalogueFile(
        contentsOf: folder.file(
          """
          [{"author_id": 1, "name": {"full": "A"}, "books": [{"book_id": 10, "title": "T"}, {"book_id": 10, "title": "U"}]},
           {"author_id": 1, "name": {"full": "A"}}]
          """)))
    #expect(report.authors == MergeCounts(added: 1, unchanged: 1))
    #expect(report.books == MergeCounts(added: 1, updated: 1))
    #expect(try await shop.books().map(\.title.value) == ["U"])
  }

  @Test func `An import rejects the books of a rejected author, with the reason`() async throws {
    let shop = Shop(store: MemoryModelStore())
    let report = try await shop.importCatalogue(
      CatalogueFile(
        contentsOf: folder.file(#"{"authors": [{"author_id": 1, "books": [{"book_id": 10, "title": "T"}]}]}"#)))
    #expect(
      report.rejections.flatMap(\.reasons) == [
        "authors[0].name.full cannot be blank", "authors[0].books[0]: its author was rejected",
      ])
    #expect(report.keptCount == 0)
    #expect(try await shop.books().isEmpty)
  }

  @Test func `An import keeps an author whose books are not a list`() async throws {
    let shop = Shop(store: MemoryModelStore())
    let report = try await shop.importCatalogue(
      CatalogueFile(contentsOf: folder.file(#"[{"author_id": 1, "name": {"full": "A"}, "books": "none"}]"#)))
    #expect(report.rejections.map(\.description) == [#"[0].books: expected a list, found the string "none""#])
    #expect(report.authors.added == 1)
  }

  @Test func `An import describes the first fifty rejections and counts the others`() async throws {
    let shop = Shop(store: MemoryModelStore())
    let list = Array(repeating: "1", count: 1_000).joined(separator: ",")
    let report = try await shop.importCatalogue(CatalogueFile(contentsOf: folder.file("[\(list)]")))
    #expect(report.rejectedCount == 1_000)
    #expect(report.rejections.count == 50)
    #expect(report.rejections[49].description == "[49]: expected an object, found 1")
    #expect(ReportText(report).rejections.last == "rejected: 950 more, 1000 in all")
  }

  @Test func `An import writes each author before the books, in the order of the file`() async throws {
    let store = RecordingStore()
    let shop = Shop(store: store)
    _ = try await shop.importCatalogue(
      CatalogueFile(
        contentsOf: folder.file(
          """
          [{"author_id": 3, "name": {"full": "A"}}, {"author_id": 1, "name": {"full": "B"}, "books": [
             {"book_id": 20, "title": "T"}, {"book_id": 10, "title": "U"}]},
           {"author_id": 2, "name": {"full": "C"}, "books": [{"book_id": 30, "title": "V"}]}]
          """)))
    #expect(
      store.batches == [["Author 3", "Author 1"], ["Book 20", "Book 10"], ["Author 2"], ["Book 30"]])
  }

  @Test func `An import that fails on a full disk leaves the first part of the file in the store`() async throws {
    let whole = RecordingStore()
    _ = try await Shop(store: whole).importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
    let store = RecordingStore()
    store.batchesUntilFull = 57
    await #expect(throws: ModelStoreError.self) {
      _ = try await Shop(store: store).importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
    }
    #expect(store.created.count > 57)
    #expect(store.created == Array(whole.created.prefix(store.created.count)))
  }

  @Test func `An import notifies the observers of its progress`() async throws {
    let shop = Shop(store: MemoryModelStore())
    var seen: [ShopProgress] = []
    shop.progress.addObserver(updateImmediately: false) { _, new in seen.append(new) }
    _ = try await shop.importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
    #expect(seen.count > 10)
    #expect(seen.map(\.done) == seen.map(\.done).sorted())
    #expect(seen.last?.done == seen.last?.total)
    #expect(seen.last?.books == 440)
  }
}

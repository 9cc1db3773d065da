import BookshopKit
import Foundation
import ModelKit
import Testing

@Suite struct `The stock of a shop` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func filled() async throws -> Shop {
    let shop = Shop(store: MemoryModelStore())
    _ = try await shop.importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
    return shop
  }

  @Test func `A rating is kept for the next run`() async throws {
    try await folder.withShop { shop in
      _ = try await shop.importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
      #expect(try await shop.rate(101, 5).rating.value == 5)
    }
    let rating = try await folder.withShop { shop in try await shop.book(101).rating.value }
    #expect(rating == 5)
  }

  @Test(arguments: [
    (7, "rating must be less than or equal to 5"), (0, "rating must be greater than or equal to 1"),
  ])
  func `A book keeps its rating when the new one breaks the rule`(rating: Int, message: String) async throws {
    let shop = try await filled()
    let book = try await shop.book(101)
    var seen: [Int?] = []
    book.rating.addObserver(updateImmediately: false) { _, new in seen.append(new) }
    let error = await #expect(throws: ShopError.self) { _ = try await shop.rate(101, rating) }
    #expect(error?.description == message)
    #expect(book.rating.value == 3)
    #expect(!book.isDirty)
    #expect(seen.isEmpty, "a refused value is not observed")
    // Another store instance reads what is stored, whatever the models of this one have.
    let handle = try #require(shop.store as? MemoryModelStore).handle
    let stored = try await Shop(store: MemoryModelStore(handle)).book(101)
    #expect(stored.rating.value == 3)
  }

  @Test func `Tags are added and removed with one notification`() async throws {
    let shop = try await filled()
    let book = try await shop.book(101)
    var seen: [[String]?] = []
    book.tags.addObserver(updateImmediately: false) { _, new in seen.append(new) }
    let changes = try ["+classic", "-novel", "+romance", "-nothing"].map { try TagChange($0) }
    let tagged = try await shop.tag(101, changes)
    #expect(tagged === book, "within one scope there is one object for one number")
    #expect(seen == [["romance", "society", "classic"]])
    let again = try await shop.tag(101, changes)
    #expect(again.tags.value == ["romance", "society", "classic"])
    #expect(seen.count == 1)
  }

  @Test(arguments: ["", "+", "-", "--json", "classic"])
  func `A change of tags without sign or without tag is refused`(text: String) {
    #expect(throws: ShopError.notATagChange(text)) { try TagChange(text) }
  }

  @Test func `The observers of an author are notified when a book is removed`() async throws {
    let shop = try await filled()
    let books = try await shop.books()
    let author = try #require(books.first?.author.value)
    var counts: [Int?] = []
    author.books.addObserver { _, new in counts.append(new?.count) }
    _ = try await shop.removeBook(105)
    #expect(counts == [5, 4])
    await #expect(throws: ShopError.noBook(id: 105)) { _ = try await shop.book(105) }
    #expect(try await shop.books().count == 439)
  }

  @Test func `An author with books is kept unless the books may be deleted too`() async throws {
    let shop = try await filled()
    let error = await #expect(throws: ShopError.self) { _ = try await shop.removeAuthor(1) }
    #expect(error == .authorHasBooks(name: "Jane Austen", id: 1, count: 5))
    #expect(try await shop.author(1).books.count == 5)
    #expect(try await shop.removeAuthor(1, withBooks: true).books == 5)
    #expect(try await shop.books().count == 435)
    await #expect(throws: ShopError.noAuthor(id: 1)) { _ = try await shop.author(1) }
  }

  @Test func `The details of a book show its author, and those of an author the books`() async throws {
    let shop = try await filled()
    let book = try await shop.book(2806)
    #expect(
      Details(Style(isColoured: false)).lines(book) == [
        "Toilers of the Sea  (book 2806)", "  original title  Les Travailleurs de la mer",
        "  author          Victor Hugo (28)", "  published       1866", "  language        fr",
        "  price           9.99 EUR", "  in stock        no", "  added           2025-10-12",
        "  tags            novel, sea", "  rating          ★★★★★",
      ])
    let (author, books) = try await shop.author(1)
    #expect(
      Details(Style(isColoured: false)).lines(author, books: books).prefix(5) == [
        "Jane Austen  (author 1)", "  born            1775-12-16", "  died            1817-07-18",
        "  country         England", "  books           5",
      ])
  }
}

import BookshopKit
import Foundation
import ModelKit
import Testing

@Suite struct `A list of books` {
  private func allBooks() async throws -> [Book] {
    let shop = Shop(store: MemoryModelStore())
    _ = try await shop.importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
    return try await shop.books()
  }

  private func found(_ prepare: (inout BookQuery) -> Void) async throws -> [Book] {
    var query = BookQuery()
    prepare(&query)
    return query(try await allBooks())
  }

  @Test func `A query returns all books in the order of creation by default`() async throws {
    let books = try await found { _ in }
    #expect(books.count == 440)
    #expect(books.prefix(2).map(\.title.value) == ["Sense and Sensibility", "Pride and Prejudice"])
  }

  @Test func `A query finds authors by a part of the name, ignoring case and accents`() async throws {
    let books = try await found { $0.author = "BRONTE" }
    #expect(Set(books.compactMap { $0.author.value?.id.value }) == [2, 3, 4])
    #expect(books.count == 7)
  }

  @Test func `A query returns only books with all its tags and at least its rating`() async throws {
    let books = try await found {
      $0.tags = ["novel", "sea"]
      $0.minimumRating = 4
    }
    #expect(!books.isEmpty)
    #expect(books.allSatisfy { $0.tags.contains("sea") && $0.tags.contains("novel") && ($0.rating.value ?? 0) >= 4 })
  }

  @Test(arguments: BookQuery.Order.allCases)
  func `A query sorts in both directions, with books that lack the value at the end`(order: BookQuery.Order)
    async throws
  {
    let books = try await allBooks()
    var query = BookQuery()
    query.order = order
    let forward = query(books)
    query.isReversed = true
    let backward = query(books)
    func key(_ book: Book) -> String? {
      switch order {
      case .title: book.title.value?.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      case .author:
        book.author.value?.fullName.value?.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      case .year: book.published.value.map { String(10_000 + $0) }
      case .rating: book.rating.value.map(String.init)
      case .price: book.price.value.map { String(format: "%010.2f", NSDecimalNumber(decimal: $0).doubleValue) }
      }
    }
    let (up, down) = (forward.map(key), backward.map(key))
    #expect(up.compactMap(\.self) == up.compactMap(\.self).sorted())
    #expect(down.compactMap(\.self) == up.compactMap(\.self).reversed())
    for keys in [up, down] {
      #expect(keys.drop { $0 != nil }.allSatisfy { $0 == nil })
    }
  }

  @Test func `A query returns no more books than its limit`() async throws {
    let books = try await allBooks()
    var query = BookQuery()
    query.limit = 3
    #expect(query(books).map(\.id.value) == [101, 102, 103])
    query.limit = 0
    #expect(query(books).isEmpty)
  }
}

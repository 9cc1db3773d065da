import Foundation
import SchemaKit
import Testing

@Suite struct `A model that is mapped by a schema` {
  @Test func `A mapped model reads attributes by their keys, also numbers that are text`() throws {
    let book = try Book.from(dictionaryValue: ["title": "Salt", "year": "1999", "book_id": "3401"], in: sampleScope())
    #expect(book.title.value == "Salt")
    #expect(book.year.value == "1999")
    #expect(book.bookId.value == 3401)
    #expect(book.identifier == "3401")
  }

  @Test func `A mapped model reads numbers into enumerations and booleans`() throws {
    let json: AttributeDictionary = ["book_id": "3401", "rating": 3, "favorite": true]
    let book = try Book.from(dictionaryValue: json, in: sampleScope())
    #expect(book.rating.value == .good)
    #expect(book.favorite.value == true)
    let text = try Book.from(dictionaryValue: ["book_id": "1", "rating": "5", "favorite": "false"], in: sampleScope())
    #expect(text.rating.value == .great)
    #expect(text.favorite.value == false)
  }

  @Test func `A mapped model reads children with their inverse`() throws {
    let author = try Author.from(dictionaryValue: ninasBooks, in: sampleScope())
    #expect(author.dateOfBirth.value == Date(timeIntervalSince1970: -149_904_000))
    #expect(author.books.value?.map(\.bookId.value) == [3401, 3402])
    #expect(author.books.value?.allSatisfy { $0.author.value === author } == true)
    #expect(author.books.value?.first?.tags.value == ["sea", "north"])
  }

  @Test func `A child removed from a mapped model loses its inverse`() throws {
    let author = try Author.from(dictionaryValue: ninasBooks, in: sampleScope())
    let book = try #require(author.books.value?.first)
    try author.remove(book, forKey: "books")
    #expect(author.books.count == 1)
    #expect(book.author.value == nil)
  }

  @Test(arguments: [1, 2]) func `A mapped model gets children from dictionaries`(count: Int) throws {
    let author = try Author.from(dictionaryValue: ["author_id": "105"], in: sampleScope())
    let books: [AttributeDictionary] = [["book_id": "3401", "title": "Salt"], ["book_id": "3402", "title": "Fog"]]
    try author.add(Array(books.prefix(count)), forKey: "books")
    #expect(author.books.value?.map(\.title.value) == Array(["Salt", "Fog"].prefix(count)))
    #expect(author.books.value?.allSatisfy { $0.author.value === author } == true)
  }

  @Test func `A mapped model gets one related model from a dictionary that wraps it`() throws {
    let book = try Book.from(dictionaryValue: ["book_id": "3402"], in: sampleScope())
    try book.set(["pricing": ["pricing_id": 101, "retail_price": 14.99]], forKey: "pricing")
    let price = try #require(book.pricing.value?.retailPrice.value)
    #expect(abs(price - 14.99) < 0.1)
    #expect(book.pricing.value?.book.value === book)
  }

  @Test func `A mapped model reads a flattened attribute and the related model from one object`() throws {
    let json: AttributeDictionary = ["book_id": "3402", "pricing": ["pricing_id": "101", "retail_price": "14.99"]]
    let book = try Book.from(dictionaryValue: json, in: sampleScope())
    #expect(book.retailPrice.value == 14.99)
    #expect(book.pricing.value?.pricingId.value == 101)
    #expect(book.pricing.value?.retailPrice.value == 14.99)
  }

  @Test func `A model is added to a mapped list, whether or not it has members`() throws {
    let scope = try sampleScope()
    let empty = try Author.from(dictionaryValue: ["author_id": "1"], in: scope)
    let full = try Author.from(dictionaryValue: ninasBooks, in: scope)
    let (first, second) = (Book(in: scope), Book())
    try empty.add(first, forKey: "books")
    try full.add(second, forKey: "books")
    #expect(empty.books.value == [first])
    #expect(first.author.value === empty)
    #expect(full.books.count == 3)
    #expect(second.author.value === full)
  }

  @Test func `A mapped model rejects an unknown relation`() throws {
    let scope = try sampleScope()
    let (author, book) = (Author(in: scope), Book(in: scope))
    #expect(throws: FieldError.self) { try author.add(book, forKey: "novels") }
    #expect(throws: FieldError.self) { try book.set(author, forKey: "writer") }
    #expect(author.books.value == [])
  }

  @Test func `Setting a to-one relation of a mapped model sets its inverse`() throws {
    let scope = try sampleScope()
    let (book, pricing) = (Book(in: scope), Pricing(in: scope))
    try book.set(pricing, forKey: "pricing")
    #expect(book.pricing.value === pricing)
    #expect(pricing.book.value === book)
  }

  @Test func `A mapped model writes its values under mapped keys and with their types`() throws {
    let book = Book(in: try sampleScope())
    book.bookId.value = 3401
    book.rating.value = .good
    book.favorite.value = true
    book.tags.value = ["sea", "north"]
    let json = book.dictionaryValue
    #expect(json["book_id"] == 3401)
    #expect(json["rating"] == 3)
    #expect(json["favorite"] == true)
    #expect(json["tags"] == "sea,north")
    #expect(json["bookId"] == nil)
  }

  @Test func `A flattened attribute is written into the object of the related model, whose other keys stay`() throws {
    let json: AttributeDictionary = ["book_id": 3402, "pricing": ["pricing_id": 101, "retail_price": 14.99]]
    let book = try Book.from(dictionaryValue: json, in: sampleScope())
    book.retailPrice.value = 9.5
    #expect(book.dictionaryValue["pricing"]?["retail_price"] == 9.5)
    #expect(book.dictionaryValue["pricing"]?["pricing_id"] == 101)
  }

  @Test func `A flattened attribute is written without a related model`() throws {
    let book = try Book.from(dictionaryValue: ["book_id": 3402], in: sampleScope())
    book.retailPrice.value = 9.5
    #expect(book.dictionaryValue == ["book_id": 3402, "pricing": ["retail_price": 9.5]])
  }

  @Test func `A mapped model writes children, and text as text`() throws {
    let author = try Author.from(dictionaryValue: ninasBooks, in: sampleScope())
    let json = author.dictionaryValue
    #expect(json["books"]?.arrayValue?.count == 2)
    #expect(json["books"]?[0]?["year"] == "1999")
    #expect(json["born"] == "1965-04-02")
  }

  @Test func `A mapped model writes null for a nil list if nulls are requested`() throws {
    let json: AttributeDictionary = ["author_id": 7, "books": nil]
    let author = try Author.from(dictionaryValue: json, in: sampleScope(explicitNull: true))
    #expect(author.dictionaryValue["books"] == .null)
  }
}

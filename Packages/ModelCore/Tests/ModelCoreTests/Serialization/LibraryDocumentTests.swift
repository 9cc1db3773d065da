import Foundation
import ModelCore
import Testing

private enum Stars: Int, CaseIterable {
  case zero, one, two, three, four, five
}

private final class Novelist: Model {
  let id = Field<Int>(key: "author_id")
  let firstName = Field<String>()
  let born = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let books = ModelField<Novel>()*
  override var identifierField: AnyField? { id }
}

private final class Novel: Model {
  let id = Field<String>(key: "book_id")
  let title = Field<String>()
  let year = Field<Int>()
  let rating = EnumField<Stars>()
  let isFavorite = Field<Bool>(key: "favorite")
  let tags = ArrayField(Field<String>()).transform(
    importValue: { $0.stringValue.map { $0.split(separator: ",").map(String.init) } },
    exportValue: { .string($0.joined(separator: ",")) })
  let retailPrice = Field<Double>(key: "pricing.retail_price")
  let author = ModelField<Novelist>(inverse: \.books)
  let pricing = ModelField<PriceTag>(inverse: \.novel)
  override var identifierField: AnyField? { id }
}

private final class PriceTag: Model {
  let id = Field<Int>(key: "pricing_id")
  let retailPrice = Field<Double>(key: "retail_price")
  let novel = ModelField<Novel>()
  override var identifierField: AnyField? { id }
}

/// A model with a relation of which a transformer writes a part.
private final class Badge: Model {
  let holder = ModelField<Author>().transform(
    importValue: { json in json.stringValue.map { Author(name: $0) } },
    exportValue: { author in .object(author.dictionaryValue(fields: [author.name])) })
  let holders = ArrayField(
    Field<Author>().transform(
      importValue: { _ in nil }, exportValue: { author in .object(author.dictionaryValue(fields: [author.name])) }))
  let friends =
    ModelField<Author>().transform(
      importValue: { json in json.stringValue.map { Author(name: $0) } }, exportValue: { .string($0.name.value ?? "") })*
  let names = (ModelField<Author>()*).transform(
    importValue: { json in
      json.stringValue.map { $0.split(separator: "+").map { Author(name: String($0)) } }
    }, exportValue: { .string($0.compactMap(\.name.value).joined(separator: "+")) })
}

@Suite struct `A library's document` {
  private let lenient = ModelScope(transformers: ValueTransformerContext(decoding: .lenient))

  private static let authors = """
    {"version": "2", "authors": [
      {"firstName": "Ada", "author_id": "101", "born": "1815-12-10", "books": [
        {"title": "A", "year": "1843", "book_id": "3001", "favorite": true, "rating": 3, "tags": "x,y",
         "pricing": {"pricing_id": 7, "retail_price": "14.99"}},
        {"title": "B", "book_id": "3002", "rating": "5"}]},
      {"firstName": "Bob", "author_id": 102}]}
    """

  private func read() throws -> [Novelist] {
    try Novelist.list(fromJSON: Data(Self.authors.utf8), at: "authors", in: lenient)
  }

  @Test func `A library's document has numbers as text, mapped keys, enumerations, flags and lists as text`() throws {
    let authors = try read()
    let books = try #require(authors[0].books.value)
    #expect(authors.compactMap(\.id.value) == [101, 102])
    #expect(authors[0].born.value == Date(timeIntervalSince1970: -4_861_728_000))
    #expect(books.compactMap(\.id.value) == ["3001", "3002"])
    #expect(books[0].year == 1843)
    #expect(books.map(\.rating.value) == [.three, .five])
    #expect(books[0].isFavorite == true)
    #expect(books[0].tags.value == ["x", "y"])
  }

  @Test func `The children in a library's document reference their parent`() throws {
    let ada = try read()[0]
    #expect(ada.books.value?.allSatisfy { $0.author.value === ada } == true)
    ada.books.value?.removeLast()
    #expect(ada.books.count == 1)
  }

  @Test func `A library's document sets a flattened attribute and the related model from the same object`() throws {
    let book = try #require(try read()[0].books.value?.first)
    #expect(book.retailPrice == 14.99)
    #expect(book.pricing.value?.retailPrice.value == 14.99)
    #expect(book.pricing.value?.novel.value === book)
    book.retailPrice.value = 5
    #expect(book.dictionaryValue["pricing"] == ["pricing_id": 7, "retail_price": 5, "novel": ["book_id": "3001"]])
    let plain = try Novel.from(dictionaryValue: ["pricing": nil])
    #expect(plain.retailPrice.loadState == .notLoaded)
    #expect(plain.pricing.loadState == .loaded)
    plain.retailPrice.value = 3
    #expect(plain.dictionaryValue == ["pricing": ["retail_price": 3]])
  }

  @Test func `A library's document is written with mapped keys, raw values and text for lists`() throws {
    let novel = Novel()
    novel.id.value = "3401"
    novel.year.value = 1843
    novel.rating.value = .three
    novel.isFavorite.value = false
    novel.tags.value = ["x", "y"]
    #expect(
      novel.dictionaryValue == ["book_id": "3401", "year": 1843, "rating": 3, "favorite": false, "tags": "x,y"])
    let author = Novelist()
    author.id.value = 105
    author.born.value = Date(timeIntervalSince1970: 0)
    author.books.value = [novel, Novel()]
    #expect(author.dictionaryValue["born"] == "1970-01-01")
    #expect(author.dictionaryValue["books"]?.arrayValue?.count == 2)
    #expect(author.dictionaryValue["books"]?[0]?["book_id"] == "3401")
  }

  @Test func `A library's document has null for missing children if null is explicit`() throws {
    let author = Novelist()
    author.id.value = 105
    author.books.value = nil
    #expect(author.dictionaryValue == ["author_id": 105])
    let scope = ModelScope(transformers: ValueTransformerContext(explicitNull: true))
    #expect(author.dictionaryValue(fields: author.fields, in: scope) == ["author_id": 105, "books": nil])
  }

  @Test func `A library's document may have the part of a related model that a transformer writes`() throws {
    let badge = Badge()
    badge.holder.value = Author(id: 1, name: "Ada")
    badge.holders.value = [Author(id: 2, name: "Bob")]
    badge.names.value = [Author(id: 3, name: "Cy"), Author(name: "Di")]
    badge.friends.value = [Author(name: "Hal"), Author(name: "Ida")]
    let written: AttributeDictionary = [
      "friends": ["Hal", "Ida"], "holder": ["name": "Ada"], "holders": [["name": "Bob"]], "names": "Cy+Di",
    ]
    #expect(badge.dictionaryValue == written)
    #expect(try JSONValue(json: badge.jsonData()) == .object(written))
    let read = try Badge.from(json: Data(#"{"holder": "Eve", "names": "Flo+Gus", "friends": ["Hal"]}"#.utf8))
    #expect(read.holder.value?.name.value == "Eve")
    #expect(read.names.value?.map(\.name.value) == ["Flo", "Gus"])
    #expect(read.friends.value?.map(\.name.value) == ["Hal"])
    #expect(!read.isDirty)
    #expect(throws: ModelDecodingError.self) { try Badge.from(dictionaryValue: ["holders": [["name": "Bob"]]]) }
  }
}

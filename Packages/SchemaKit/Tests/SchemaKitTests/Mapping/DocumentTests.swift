import Foundation
import SchemaKit
import Testing

/// The document of an app: authors with their books, all numbers as text, and what only some of them have.
@Suite struct `A document that a schema describes` {
  private static let counts = [6, 4, 4, 3, 3, 2, 4]

  private static let document: Data = {
    var number = 3_000
    let authors = counts.enumerated().map { index, count in
      var author: AttributeDictionary = [
        "author_id": .string("\(101 + index)"), "firstName": .string("First \(index)"),
        "lastName": .string("Last \(index)"),
      ]
      if index < 2 { author["born"] = .string("19\(50 + index)-03-0\(index + 1)") }
      author["books"] = .array(
        (0..<count).map { place in
          number += 1
          var book: AttributeDictionary = [
            "book_id": .string("\(number)"), "title": .string("Book \(number)"), "year": .string("\(1_990 + place)"),
          ]
          if index < 3 { book["pricing"] = ["retail_price": .string("\(10 + place).99")] }
          if place == 0, index < 4 {
            book["tags"] = "sea,north"
            book["rating"] = .string("\(index + 1)")
          }
          return .object(book)
        })
      return JSONValue.object(author)
    }
    let root: JSONValue = ["version": "2", "batchSize": "10", "authors": .array(authors)]
    return (try? root.jsonData()) ?? Data()
  }()

  @Test func `A document of another app is read in the newest version of its schema`() throws {
    let authors = try Author.list(fromJSON: Self.document, at: "authors", in: sampleScope())
    #expect(authors.compactMap(\.books.count) == Self.counts)
    #expect(authors.map(\.authorId.value) == Array(101...107))
    #expect(authors.filter { $0.dateOfBirth.value != nil }.count == 2)
    let books = authors.flatMap { $0.books.value ?? [] }
    #expect(books.map(\.bookId.value) == Array(3_001...3_026))
    #expect(books.filter { $0.tags.value == ["sea", "north"] }.map(\.rating.value) == [.poor, .fair, .good, .fine])
    #expect(books.filter { $0.pricing.value != nil }.count == 14)
    #expect(
      books.allSatisfy { $0.pricing.value.map { $0.retailPrice.value } == $0.retailPrice.value.map { .some($0) } })
    #expect(books.allSatisfy { $0.author.value != nil })
  }

  @Test func `A document of another app reads back the same after it was written`() throws {
    let authors = try Author.list(fromJSON: Self.document, at: "authors", in: sampleScope())
    let written = try authors.jsonData()
    let again = try Author.list(fromJSON: written, in: sampleScope())
    #expect(again.map(\.dictionaryValue) == authors.map(\.dictionaryValue))
    #expect(try again.jsonData() == written)
  }

  @Test(arguments: [AuthorsModel.first, AuthorsModel.second, AuthorsModel.third])
  func `A document of another app is read without classes in every version of its schema`(text: String) throws {
    let schema = try AuthorsModel.schema(text).with(transformers: sampleTransformers)
    let root = try JSONValue(json: Self.document)
    let type = schema.modelType("Author")
    let authors = try (root["authors"]?.arrayValue ?? []).map { json in
      try type.from(dictionaryValue: json.objectValue ?? [:], in: ModelScope(schema: schema))
    }
    #expect(authors.map { ($0["books"] as? [DynamicModel])?.count } == Self.counts)
    #expect(authors.map { $0["lastName"] as? String } == (0..<7).map { "Last \($0)" })
    let books = authors.flatMap { $0["books"] as? [DynamicModel] ?? [] }
    #expect(books.count == 26)
    #expect(books.allSatisfy { $0["author"] is DynamicModel })
    #expect(books.first?["year"] as? String == "1990")
    if schema.entity("Author")?.attribute("dateOfBirth") != nil {
      #expect(authors.filter { $0["dateOfBirth"] is Date }.count == 2)
      #expect(books.first?["tags"] as? [String] == ["sea", "north"])
      #expect(books.first?["rating"] as? Int == 1)
    }
  }
}

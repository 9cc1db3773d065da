import Foundation
import SchemaKit
import Testing

/// The scenarios of `ScenarioTests` for each version, without classes. They cover the properties that all versions
/// have, under the names and keys of each.
@Suite struct `A model of each version of a model file` {
  struct Version: Sendable, CustomStringConvertible {
    let description: String
    let text: String
    /// The identifier attributes of authors and books with their keys; nil for a version without identifiers.
    let identifiers: (author: String, authorKey: String, book: String, bookKey: String)?
    var hasRatings: Bool { identifiers != nil }
  }

  static let versions = [
    Version(description: "first", text: AuthorsModel.first, identifiers: nil),
    Version(
      description: "second", text: AuthorsModel.second,
      identifiers: ("externalID", "author_id", "externalID", "book_id")),
    Version(
      description: "third", text: AuthorsModel.third, identifiers: ("authorId", "author_id", "bookId", "book_id")),
  ]

  private struct Sample {
    let schema: CoreDataSchema
    let scope: ModelScope

    init(_ version: Version, explicitNull: Bool = false) throws {
      schema = try AuthorsModel.schema(version.text).with(transformers: sampleTransformers)
      scope = ModelScope(schema: schema, context: ValueTransformerContext(explicitNull: explicitNull))
    }

    func model(_ entity: String, _ json: AttributeDictionary = [:]) throws -> DynamicModel {
      try DynamicModel(entity: entity, in: schema, dictionaryValue: json, scope: scope)
    }
  }

  @Test(arguments: versions) func `Each version reads text, text numbers and transformed values`(version: Version)
    throws
  {
    let sample = try Sample(version)
    let book = try sample.model(
      "Book", ["title": "Salt", "year": "1999", "book_id": "3401", "rating": "3", "favorite": true, "tags": "sea,fog"])
    #expect(book["title"] as? String == "Salt")
    #expect(book["year"] as? String == "1999")
    guard let identifiers = version.identifiers else { return #expect(book.identifier == nil) }
    #expect(book[identifiers.book] as? Int == 3401)
    #expect(book["rating"] as? Int == 3)
    #expect(book["favorite"] as? Bool == true)
    #expect(book["tags"] as? [String] == ["sea", "fog"])
    let author = try sample.model("Author", ["born": "1965-04-02", "author_id": "105"])
    #expect(author["dateOfBirth"] as? Date == Date(timeIntervalSince1970: -149_904_000))
    #expect(author.identifier == "105")
  }

  @Test(arguments: versions) func `Each version reads children, and a removed child loses its inverse`(
    version: Version
  ) throws {
    let author = try Sample(version).model("Author", ninasBooks)
    let books = try #require(author["books"] as? [DynamicModel])
    #expect(books.map { $0["title"] as? String } == ["Salt", "Fog"])
    #expect(books.allSatisfy { $0["author"] as? DynamicModel === author })
    try author.remove(books[0], forKey: "books")
    #expect((author["books"] as? [DynamicModel])?.map { $0 === books[1] } == [true])
    #expect(books[0]["author"] == nil)
  }

  @Test(arguments: versions, [1, 2]) func `Each version gets children from dictionaries`(version: Version, count: Int)
    throws
  {
    let author = try Sample(version).model("Author", ["author_id": 7])
    let books: [AttributeDictionary] = [["title": "Salt", "book_id": "1"], ["title": "Fog", "book_id": "2"]]
    try author.add(Array(books.prefix(count)), forKey: "books")
    let added = try #require(author["books"] as? [DynamicModel])
    #expect(added.map { $0["title"] as? String } == Array(["Salt", "Fog"].prefix(count)))
    #expect(added.allSatisfy { $0["author"] as? DynamicModel === author })
  }

  @Test(arguments: versions) func `Each version sets single models in both directions, and rejects unknown names`(
    version: Version
  ) throws {
    let sample = try Sample(version)
    let (author, first, second) = (
      try sample.model("Author"), try sample.model("Book", ["book_id": 1]), try sample.model("Book", ["book_id": 2])
    )
    try author.add(first, forKey: "books")
    try second.set(author, forKey: "author")
    #expect((author["books"] as? [DynamicModel])?.map { $0 === first || $0 === second } == [true, true])
    #expect(first["author"] as? DynamicModel === author)
    #expect(throws: FieldError.self) { try author.add(first, forKey: "novels") }
    #expect(throws: FieldError.self) { try first.set(author, forKey: "writer") }
  }

  @Test(arguments: versions) func `Each version writes values under its keys and with their types`(version: Version)
    throws
  {
    let book = try Sample(version).model("Book")
    book["title"] = "Salt"
    guard let identifiers = version.identifiers else { return #expect(book.dictionaryValue == ["title": "Salt"]) }
    book[identifiers.book] = 3401
    book["rating"] = 3
    book["favorite"] = true
    #expect(book.dictionaryValue == ["title": "Salt", "book_id": 3401, "rating": 3, "favorite": true])
    let json = String(decoding: try book.jsonData(), as: UTF8.self)
    #expect(json == #"{"book_id":3401,"favorite":true,"rating":3,"title":"Salt"}"#)
  }

  @Test(arguments: versions) func `Each version writes children, and null for a nil list`(version: Version) throws {
    let author = try Sample(version).model("Author", ninasBooks)
    let books = author.dictionaryValue["books"]?.arrayValue ?? []
    #expect(books.map { $0["year"] } == ["1999", "2004"])
    let lonely = try Sample(version, explicitNull: true).model("Author", ["lastName": "Lund", "books": nil])
    #expect(lonely.dictionaryValue == ["lastName": "Lund", "books": nil])
  }
}

import Foundation
import SchemaKit
import Testing

/// The scenarios of `ScenarioTests` in the shape of each version, without classes: what the versions have in common, under
/// the names and keys of each.
@Suite struct `A model of each version of a model file` {
  struct Version: Sendable, CustomStringConvertible {
    let description: String
    let text: String
    /// The attribute that identifies, and its key for authors and books; nil if there is none.
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

  @Test(arguments: versions) func `reads text, numbers that come as text, and what has a transformer`(version: Version)
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

  @Test(arguments: versions) func `reads a parent with two children that lead back, one of which is removed`(
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

  @Test(arguments: versions, [1, 2]) func `gets children by dictionaries`(version: Version, count: Int) throws {
    let author = try Sample(version).model("Author", ["author_id": 7])
    let books: [AttributeDictionary] = [["title": "Salt", "book_id": "1"], ["title": "Fog", "book_id": "2"]]
    try author.add(Array(books.prefix(count)), forKey: "books")
    let added = try #require(author["books"] as? [DynamicModel])
    #expect(added.map { $0["title"] as? String } == Array(["Salt", "Fog"].prefix(count)))
    #expect(added.allSatisfy { $0["author"] as? DynamicModel === author })
  }

  @Test(arguments: versions) func `gets models one by one, in both directions, and by known names only`(
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
    #expect(throws: MappingError.unknownRelationship("novels")) { try author.add(first, forKey: "novels") }
    #expect(throws: MappingError.unknownRelationship("writer")) { try first.set(author, forKey: "writer") }
  }

  @Test(arguments: versions) func `writes what was set in code, under its keys and as its type`(version: Version)
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

  @Test(arguments: versions) func `writes children, and null for a list that is nil`(version: Version) throws {
    let author = try Sample(version).model("Author", ninasBooks)
    let books = author.dictionaryValue["books"]?.arrayValue ?? []
    #expect(books.map { $0["year"] } == ["1999", "2004"])
    let lonely = try Sample(version, explicitNull: true).model("Author", ["lastName": "Lund", "books": nil])
    #expect(lonely.dictionaryValue == ["lastName": "Lund", "books": nil])
  }
}

import Testing

@testable @_spi(ModelKitInternals) import ModelCore

@Suite struct `A store's record` {
  private func context(_ decoding: ValueTransformerContext.Decoding, keeps: Bool) -> ValueTransformerContext {
    ValueTransformerContext(explicitNull: true, decoding: decoding, keepsUnknownKeys: keeps)
  }

  private func record(_ model: ModelObject, _ context: ValueTransformerContext) throws -> AttributeDictionary {
    var record: AttributeDictionary = [:]
    for value in try model.storedValues(of: model.storableFields, in: context) { value.write(to: &record) }
    return record
  }

  private func author() throws -> Author {
    let scope = ModelScope(transformers: context(.lenient, keeps: true))
    scope.decodingIssueHandler = { _ in }
    return try Author.from(
      dictionaryValue: ["id": 1, "name": [], "x": ["y": 1.5], "books": [["id": 2, "z": nil], 7.5]], in: scope)
  }

  @Test func `A record has the rejected values of a new model if the store's context keeps them`() throws {
    let author = try author()
    let books: JSONValue = [["id": 2, "z": nil, "author": ["id": 1]], 7.5]
    #expect(
      try record(author, context(.lenient, keeps: true)) == ["id": 1, "name": [], "x": ["y": 1.5], "books": books])
    #expect(
      try record(author, context(.strict, keeps: false)) == ["id": 1, "books": [["id": 2, "author": ["id": 1]]]])
  }

  @Test func `An update writes only fields to the record of a stored model`() throws {
    let author = try author()
    author.markSaved(author.storableFields, asOf: .next())
    author.name.value = "Ada"
    let values = try author.storedValues(of: author.dirtyFields, in: context(.lenient, keeps: true))
    #expect(values.map(\.path) == [["name"]])
    #expect(values.map(\.value) == ["Ada"])
  }

  @Test func `A lenient store reads records leniently, except for local changes`() throws {
    let scope = ModelScope(transformers: context(.lenient, keeps: true))
    var paths: [String] = []
    scope.decodingIssueHandler = { paths += $0.map { "\($0.path)" } }
    let books = try scope.models(Book.self, from: [["id": 1, "year": 1900, "x": 1]], localChanges: .keep)
    books[0].year.value = 1901
    _ = try scope.models(Book.self, from: [["id": 1, "year": "MCM", "title": []]], localChanges: .keep)
    #expect(paths.sorted() == ["title", "year"])
    #expect(books[0].rejectedValues.map(\.key) == ["title"])
    #expect(books[0].dictionaryValue == ["id": 1, "title": [], "year": 1901, "x": 1])
    let apply = try scope.staged(["id": 1, "title": "T", "year": [], "x": 2], into: books[0])
    apply()
    #expect(books[0].rejectedValues.isEmpty)
    #expect(books[0].dictionaryValue == ["id": 1, "title": "T", "year": 1901, "x": 2])
  }

  @Test func `A record of a hierarchy keeps the keys of other classes`() throws {
    let scope = ModelScope(transformers: context(.lenient, keeps: true))
    let document: AttributeDictionary = ["shapes": [["kind": "circle", "radius": 1.5, "side": 2], ["side": 3]]]
    let drawing = try Drawing.from(dictionaryValue: document, in: scope)
    #expect(drawing.shapes.value?.map { $0.unknownValues } == [["side": 2], ["side": 3]])
    #expect(drawing.shapes.value?.first is Circle)
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import Testing

/// Documents that are loaded into models of a store, whose records lack some of their keys.
@Suite struct `A document loaded into a stored model` {
  private let scope = ModelScope()
  private let record: AttributeDictionary = ["id": 1, "title": "Emma"]

  private func stored(_ record: AttributeDictionary) throws -> Book {
    try scope.models(Book.self, from: [record], localChanges: .keep)[0]
  }

  @Test func `A value that the record lacks is saved although the store read the model again`() throws {
    let book = try stored(record)
    try book.read(["title": "Persuasion", "author": ["id": 2]])
    #expect(book.unsavedFields.compactMap(\.key) == ["title", "author"])
    _ = try stored(record)
    #expect(book.title.value == "Emma" && book.author.value?.id.value == 2)
    #expect(book.unsavedFields.compactMap(\.key) == ["author"])
    book.markSaved(book.unsavedFields, asOf: .next())
    #expect(book.unsavedFields.isEmpty)
  }

  @Test func `Values of documents before and after a read of the store are saved`() throws {
    let book = try stored(["id": 1])
    try book.read(["title": "Persuasion"])
    _ = try stored(["id": 1])
    try book.read(["author": ["id": 2]])
    _ = try stored(["id": 1])
    #expect(book.unsavedFields.compactMap(\.key) == ["title", "author"])
  }

  @Test func `A relation that the store read again is not saved`() throws {
    let book = try stored(record)
    try book.read(["author": ["id": 2]])
    _ = try stored(["id": 1, "title": "Emma", "author": ["id": 3]])
    #expect(book.author.value?.id.value == 3 && book.unsavedFields.isEmpty)
  }

  @Test func `A value that the record lacks is unloaded by a refresh`() throws {
    let book = try stored(["id": 1])
    try book.read(["title": "Persuasion"])
    _ = try stored(["id": 1])
    book.revertUnrecordedFields(asOf: .next())
    #expect(book.title.isUnset && book.unsavedFields.isEmpty)
  }
}

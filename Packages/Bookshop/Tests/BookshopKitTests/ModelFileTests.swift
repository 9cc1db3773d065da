import BookshopKit
import Foundation
import ModelKit
import Testing

@Suite struct `The model file` {
  private let schema: CoreDataSchema

  init() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    schema = try CoreDataSchema(
      contentsOf: package.appending(path: "Sources/bookshop/Bookshop.xcdatamodeld", directoryHint: .isDirectory))
  }

  @Test func `The model file is consistent and has no unknown parts`() {
    #expect(schema.check().isEmpty)
    #expect(schema.notes.isEmpty)
  }

  @Test func `The model file matches the classes`() {
    #expect(Author.mappingIssues(in: schema).isEmpty)
    #expect(Book.mappingIssues(in: schema).isEmpty)
  }

  @Test func `The model file keeps the type names in stores`() {
    #expect(Author.typeName == "Author")
    #expect(Book.typeName == "Book")
  }
}

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

  @Test func `fits together, and has nothing that is not known`() {
    #expect(schema.check().isEmpty)
    #expect(schema.notes.isEmpty)
  }

  @Test func `is what the classes have`() {
    #expect(Author.mappingIssues(in: schema).isEmpty)
    #expect(Book.mappingIssues(in: schema).isEmpty)
  }

  @Test func `leaves the names in stores as they were`() {
    #expect(Author.typeName == "Author")
    #expect(Book.typeName == "Book")
  }
}

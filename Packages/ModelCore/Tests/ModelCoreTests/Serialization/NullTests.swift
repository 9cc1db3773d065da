import Foundation
import ModelCore
import Testing

@Suite struct `Nil, null and missing` {
  private let explicit = ModelScope(transformers: ValueTransformerContext(explicitNull: true))

  @Test func `Nil, null and missing keep a field, set it to nil, or set a value`() throws {
    let book = Book(id: 1, title: "T")
    book.year.value = 1900
    try book.read(["title": nil])
    #expect(book.id == 1)
    #expect(book.title.value == nil)
    #expect(book.title.loadState == .loaded)
    #expect(book.year == 1900)
    #expect(book.author.loadState == .notLoaded)
  }

  @Test func `Null and missing members of a relation change both sides or none`() throws {
    let author = Author(id: 1, name: "Ada")
    let book = Book(id: 2, title: "T")
    author.books.add(book)
    try book.read(["author": nil])
    #expect(book.author.value == nil)
    #expect(author.books.value == [])
    author.books.add(book)
    try author.read(["books": nil])
    #expect(author.books.value == nil)
    #expect(book.author.value == nil)
  }

  @Test func `Nil and unset are written differently if null is explicit`() {
    let book = Book(title: "T")
    book.year.value = nil
    #expect(book.dictionaryValue(fields: book.fields, in: explicit) == ["title": "T", "year": nil])
    #expect(book.dictionaryValue == ["title": "T"])
  }

  @Test func `Unset fields of nested models are written as null if null is explicit`() {
    let drawing = Drawing()
    let shape = Shape()
    shape.kind.value = "line"
    drawing.shapes.value = [shape]
    #expect(
      drawing.dictionaryValue(fields: drawing.fields, in: explicit) == ["shapes": [["id": nil, "kind": "line"]]])
    #expect(drawing.dictionaryValue == ["shapes": [["kind": "line"]]])
  }

  @Test func `Fields of nested models that were never read are not written as null`() throws {
    let book = try Book.from(json: Data(#"{"id": 1, "author": {"id": 7.0}}"#.utf8), in: explicit)
    #expect(book.dictionaryValue(fields: [book.author], in: explicit)["author"]?["id"] == 7)
    #expect(book.dictionaryValue(fields: [book.author], in: explicit)["author"]?["name"] == nil)
    #expect(try !String(decoding: book.jsonData(), as: UTF8.self).contains("null"))
  }

  @Test func `Unset fields of unloaded references are not written as null`() {
    let book = Book(title: "T")
    book.author.value = Author.with(identifier: "1", in: explicit)
    #expect(book.dictionaryValue(fields: [book.author], in: explicit)["author"]?["id"] == 1)
    #expect(book.dictionaryValue(fields: [book.author], in: explicit)["author"]?["name"] == nil)
  }

  @Test func `Null is read and written back unchanged`() throws {
    let scope = explicit
    let book = try Book.from(dictionaryValue: ["id": 1, "title": nil], in: scope)
    #expect(book.dictionaryValue == ["id": 1, "title": nil])
    #expect(try String(decoding: book.jsonData(), as: UTF8.self) == #"{"id":1,"title":null}"#)
  }
}

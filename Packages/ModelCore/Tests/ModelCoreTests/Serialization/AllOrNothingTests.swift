import Foundation
import ModelCore
import Testing

@Suite struct `Reading JSON with an error` {
  @Test func `Reading JSON with an error leaves all models unchanged and notifies no observer`() throws {
    let scope = ModelScope()
    let author = try Author.from(
      dictionaryValue: ["id": 1, "name": "Ada", "books": [["id": 2, "title": "A", "year": 1900]]], in: scope)
    let book = try #require(author.books.value?.first)
    var calls = 0
    author.name.addObserver(requiresChange: false, updateImmediately: false) { _, _ in calls += 1 }
    author.books.addObserver(requiresChange: false, updateImmediately: false) { _, _ in calls += 1 }
    book.title.addObserver(requiresChange: false, updateImmediately: false) { _, _ in calls += 1 }
    let before = try author.jsonData()
    let stamp = author.name.updatedAt
    let bad: AttributeDictionary = [
      "id": 1, "name": "Bob",
      "books": [["id": 2, "title": "changed"], ["id": 3, "title": "new"], ["id": 4, "year": "late"]],
    ]
    let error = #expect(throws: ModelDecodingError.self) { try author.read(bad) }
    #expect(error?.path == "books[2].year")
    #expect(throws: ModelDecodingError.self) { try Author.from(dictionaryValue: bad, in: scope) }
    #expect(try author.jsonData() == before)
    #expect(author.name.updatedAt == stamp)
    #expect(!author.isDirty)
    #expect(calls == 0)
  }

  @Test func `Reading JSON with an error adds no model to the scope`() throws {
    let scope = ModelScope()
    #expect(throws: ModelDecodingError.self) {
      try Author.from(
        dictionaryValue: ["id": 1, "books": [["id": 2, "title": "A"], ["id": 3, "year": "late"]]], in: scope)
    }
    #expect(Author.with(identifier: "1", in: scope).loadState == .incomplete)
    #expect(Book.with(identifier: "2", in: scope).title.value == nil)
  }

  @Test func `Reading JSON with an error reads no element of a list`() throws {
    let scope = ModelScope()
    let first = try Book.from(dictionaryValue: ["id": 1, "title": "A"], in: scope)
    let json = Data(#"[{"id": 1, "title": "B"}, {"id": 2}, {"id": 3, "title": 7}]"#.utf8)
    #expect(throws: ModelDecodingError.self) { try Book.list(fromJSON: json, in: scope) }
    #expect(first.title == "A")
  }

  @Test func `Reading a truncated list of JSON reads no element`() throws {
    let scope = ModelScope()
    let first = try Book.from(dictionaryValue: ["id": 1, "title": "A"], in: scope)
    let json = Data(#"[{"id": 1, "title": "B"}, {"id": 2}"#.utf8)
    #expect(throws: JSONSyntaxError.self) { try Book.list(fromJSON: json, in: scope) }
    #expect(first.title == "A")
  }
}

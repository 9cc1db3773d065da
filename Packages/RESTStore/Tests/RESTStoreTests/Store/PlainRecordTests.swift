import Foundation
import RESTStore
import Testing

private final class Chapter: Model {
  let id = Field<Int>()
  let title = Field<String>().require(.notBlank)
  let pages = Field<Int>()
  let book = ModelField<Book>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

private final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  override var identifierField: AnyField? { id }
}

/// The plain dialect without the paths of records.
private struct Silent: RESTDialect {}

@Suite struct `A record that is read straight from the answer to a lookup` {
  /// Returns a description of the outcome of a lookup of chapter 7.
  private func outcome(_ body: String, _ dialect: any RESTDialect, isHere: Bool) async throws -> String {
    let transport = StubTransport(status: 200, body, headers: ["ETag": "\"1\""])
    let store = try RESTModelStore(transport, dialect: dialect)
    let here = try Chapter.from(dictionaryValue: ["id": 7, "title": "One", "pages": 5], in: store.scope)
    if isHere { here.pages.value = 6 } else { store.scope.remove(here) }
    do {
      let found = try await store.lookup(Chapter.self, identifier: "7")
      #expect((found === here) == isHere)
      _ = try? await store.lookup(Chapter.self, identifier: "7")
      let tag = transport.requests[1].headers["If-None-Match"] ?? "none"
      let book = found.book.value.map { "\($0.id.value ?? 0) \($0.title.value ?? "")" } ?? "none"
      return "\(JSONValue.object(found.dictionaryValue)) tag \(tag) book \(book)"
    } catch let error as ModelStoreError {
      return "\(error) here \(JSONValue.object(here.dictionaryValue))"
    }
  }

  @Test(
    arguments: [
      #"{"id": 7, "title": "Two"}"#, #" {"pages": 9, "id": 7} "#, #"{"id": 7, "title": "a\u00e9\n", "other": [1, {}]}"#,
      #"{"id": 7, "book": {"id": 1, "title": "Emma"}}"#, #"{"id": 7, "book": 1}"#, #"{"id": 7, "book": null}"#,
      #"{"id": 8, "id": 7, "title": "x"}"#, #"{"id": "7", "title": "x"}"#, #"{"title": "no identifier"}"#,
      #"{"id": 7}"#,
      #"{"id": 8, "title": "x"}"#, #"{"id": 7, "title": 1}"#, #"{"id": null, "title": "x"}"#, #"{"id": 7} x"#, #"[]"#,
      "",
      #"{"id": 7, "title": " "}"#, "null", #"{"id": 7.0, "title": "x"}"#, #"{"id": 7, "title": null, "pages": 9}"#,
    ], [true, false])
  func `A record that is read straight from the answer to a lookup equals one that is read from a tree`(
    body: String, isHere: Bool
  ) async throws {
    let plain = try await outcome(body, JSONDialect(), isHere: isHere)
    #expect(try await outcome(body, Silent(), isHere: isHere) == plain)
  }

  /// Returns a description of the outcome of reading the first page of all chapters.
  private func outcome(ofPage body: String, _ dialect: any RESTDialect, isOnly: Bool) async throws -> String {
    let headers: HTTPHeaderList = isOnly ? [:] : ["Link": #"</chapters?at=2>; rel="next""#]
    let store = try RESTModelStore(StubTransport(status: 200, body, headers: headers), dialect: dialect)
    let here = try Chapter.from(dictionaryValue: ["id": 7, "title": "One", "pages": 5], in: store.scope)
    here.pages.value = 6
    do {
      let page = try await store.page(ModelQuery(Chapter.self), after: nil)
      #expect((page.next == nil) == isOnly)
      return page.models.map { model in
        "\(JSONValue.object(model.dictionaryValue)) \(model === here) \(model.book.value?.title.value ?? "none")"
      }.joined(separator: "; ")
    } catch let error as ModelStoreError {
      return "\(error) here \(JSONValue.object(here.dictionaryValue))"
    }
  }

  @Test(
    arguments: [
      #"[{"id": 1, "title": "A"}, {"id": 7, "title": "Two", "pages": 9}]"#, "[]", " [ ] ", "{}", "", "null",
      #"[{"id": 2, "book": {"id": 1, "title": "Emma"}}, {"id": 3, "book": 1}]"#,
      #"[{"id": 1}, {"id": 1, "title": "B"}]"#,
      #"[{"title": "no identifier"}]"#, #"[{"id": 1, "title": "A"}, {"id": 7, "title": 1}]"#, #"[{"id": 1}, 2]"#,
      #"[{"id": 1, "title": "A"}"#, #"[{"id": 1, "other": [1, {}]}]"#, #"[{"id": "7", "title": null}]"#,
    ], [true, false])
  func `A page that is read straight from the answer equals one that is read from a tree`(
    body: String, isOnly: Bool
  ) async throws {
    let plain = try await outcome(ofPage: body, JSONDialect(), isOnly: isOnly)
    #expect(try await outcome(ofPage: body, Silent(), isOnly: isOnly) == plain)
  }

  @Test(arguments: [
    #"{"data": {"item": {"id": 7, "title": "Two"}}, "more": 1}"#, #"{"data": {"item": {"id": 8}, "item": {"id": 7}}}"#,
    #"{"data": [{"id": 7}]}"#, #"{"data": {"item": {"id": 7}}"#, #"{"data": {"other": {"id": 7}}}"#, #"{"data": 7}"#,
  ])
  func `A record that is read straight from the answer to a lookup is found at the path of its envelope`(body: String)
    async throws
  {
    let plain = try await outcome(body, EnvelopedDialect("data.item"), isHere: true)
    // Where errors have a path, no record is read straight from the answer.
    #expect(try await outcome(body, EnvelopedDialect("data.item", error: "error"), isHere: true) == plain)
  }
}

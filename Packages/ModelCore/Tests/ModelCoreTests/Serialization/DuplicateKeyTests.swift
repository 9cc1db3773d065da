import Foundation
import ModelCore
import Testing

private final class Entry: Model {
  let id = Field<Int>()
  let count = Field<Int>()
  let ratio = Field<Double>()
  let names = Field<String>()*
  let café = Field<String>()
  let day = Field<Date>()
  let parent = ModelField<Entry>()
  let children = ModelField<Entry>()*
  override var identifierField: AnyField? { id }
}

@Suite struct `A repeated key of an object` {
  /// The second value of each pair counts.
  private static let documents = [
    #"{"count": 1, "count": 2}"#, #"{"count": 2, "count": null}"#, #"{"count": null, "count": 2}"#,
    #"{"count": "x", "count": 2}"#, #"{"count": 1, "c\u006funt": 2}"#, #"{"ratio": 1.5, "count": 1, "ratio": -0}"#,
    #"{"names": ["a"], "names": ["b", "c"]}"#, #"{"café": "a", "cafe\u0301": "b"}"#,
    #"{"day": "2026-01-01", "day": "2026-01-02"}"#, #"{"parent": {"count": 1}, "parent": {"ratio": 2.0}}"#,
    #"{"parent": {"count": 1, "count": 2}}"#, #"{"children": [{"count": 1}], "children": [{"count": 2}, {}]}"#,
    #"{"id": 7, "id": 8, "count": 1}"#, #"{"unknown": 1, "unknown": 2, "count": 3, "count": 4}"#,
  ]

  @Test(arguments: documents)
  func `A repeated key is read as its last value, from bytes and from a dictionary`(text: String) throws {
    let data = Data(text.utf8)
    let expected = try #require(JSONValue(json: data).objectValue)
    let direct = try Entry.from(json: data)
    let fromTree = try Entry.from(dictionaryValue: expected)
    #expect(direct.dictionaryValue == fromTree.dictionaryValue)
    #expect(try Entry.list(fromJSON: Data("[\(text)]".utf8))[0].dictionaryValue == fromTree.dictionaryValue)
  }

  @Test(arguments: documents)
  func `A repeated key is read as its last value into an existing model`(text: String)
    throws
  {
    let scope = ModelScope()
    let data = Data(text.replacing("{\"", with: "{\"id\": 3, \"", maxReplacements: 1).utf8)
    let model = try Entry.from(json: data, in: scope)
    let before = model.dictionaryValue
    #expect(try Entry.from(json: data, in: scope) === model)
    #expect(model.dictionaryValue == before)
  }

  @Test func `A repeated key whose first value equals that of the model is read as its last value`() throws {
    let scope = ModelScope()
    let model = try Entry.from(dictionaryValue: ["id": 1, "count": 1], in: scope)
    _ = try Entry.list(fromJSON: Data(#"[{"id": 1, "count": 1, "count": 2}]"#.utf8), in: scope)
    #expect(model.count == 2)
    _ = try Entry.list(fromJSON: Data(#"[{"id": 1, "count": 1, "count": 2}]"#.utf8), in: scope)
    #expect(model.count == 2)
  }
}

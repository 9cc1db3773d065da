import Foundation
import ModelCore
import Testing

private final class Work: Model {
  let id = Field<Int>(key: "meta.id")
  let title = Field<String>(key: "titles.main")
  let price = Field<Double>(key: "pricing.price")
  let writer = ModelField<Writer>()
  let writerNote = Field<String>(key: "writer.note")
  let parts = ModelField<Work>()*
  let json = Field<JSONValue>()
  override var identifierField: AnyField? { id }
}

private final class Writer: Model {
  let id = Field<Int>()
  let firstName = Field<String>()
  override var identifierField: AnyField? { id }
}

@Suite struct `Unknown keys` {
  private let scope = ModelScope(transformers: ValueTransformerContext(keepsUnknownKeys: true))

  private func written(_ model: some Model) throws -> JSONValue { try JSONValue(json: model.jsonData()) }

  @Test func `Unknown keys survive a round trip at any depth, with exact numbers and null`() throws {
    let text = """
      {"meta": {"id": 1, "rev": 12345678901234567890123, "tags": []}, "titles": {"main": "T", "sub": {"de": "U"}},
       "pricing": {"price": 1.5, "tax": 0.10}, "Odd_Key": null, "a.b": 1, "json": {"deep": {"x": null}},
       "writer": {"id": 7, "firstName": "Ada", "born": "1815", "note": "N"},
       "parts": [{"meta": {"id": 2}, "x": [1, {"y": 2.50}]}, {"meta": {"id": 3}, "x": null}]}
      """
    let document = try JSONValue(json: Data(text.utf8))
    let work = try Work.from(json: Data(text.utf8), in: scope)
    #expect(try written(work) == document)
    #expect(.object(work.dictionaryValue) == document)
    #expect(try JSONValue(json: [work].jsonData()) == [document])
    #expect(try JSONValue(json: JSONEncoder().encode(work))["meta"]?["id"] == 1)
    work.title.value = "new"
    work.parts.value?[0].title.value = "part"
    var expected = document
    expected[path: "titles.main"] = "new"
    expected["parts"] = [
      ["meta": ["id": 2], "titles": ["main": "part"], "x": [1, ["y": 2.5]]], ["meta": ["id": 3], "x": nil],
    ]
    #expect(try written(work) == expected)
    #expect(work.unknownValues["pricing"] == ["tax": 0.1])
    #expect(work.unknownValues.keys.sorted() == ["Odd_Key", "a.b", "meta", "pricing", "titles"])
  }

  @Test func `Unknown keys are ignored on both paths unless the context keeps them`() throws {
    let plain = ModelScope()
    let work = try Work.from(dictionaryValue: ["meta": ["id": 1], "x": 1], in: plain)
    #expect(work.unknownValues.isEmpty)
    #expect(work.dictionaryValue(fields: work.fields, in: scope) == ["meta": ["id": 1]])
    let kept = try Work.from(dictionaryValue: ["meta": ["id": 1], "x": 1], in: scope)
    #expect(kept.unknownValues == ["x": 1])
    #expect(kept.dictionaryValue == ["meta": ["id": 1], "x": 1])
  }

  @Test func `Unknown keys are not written with chosen fields`() throws {
    let work = try Work.from(dictionaryValue: ["meta": ["id": 1, "x": 1], "y": 2], in: scope)
    #expect(work.dictionaryValue(fields: [work.id]) == ["meta": ["id": 1]])
  }

  @Test func `Unknown keys are written with all fields in a chosen scope`() throws {
    let work = try Work.from(dictionaryValue: ["meta": ["id": 1, "x": 1], "y": 2], in: scope)
    #expect(work.dictionaryValue(in: scope) == work.dictionaryValue)
    #expect(work.dictionaryValue(in: ModelScope()) == ["meta": ["id": 1]])
  }

  @Test func `Unknown keys are written unchanged, whatever the key case`() throws {
    let scope = ModelScope(transformers: ValueTransformerContext(keyCase: .snake, keepsUnknownKeys: true))
    let document: AttributeDictionary = ["id": 1, "first_name": "Ada", "firstName": 1, "Last-Name": "L"]
    let writer = try Writer.from(dictionaryValue: document, in: scope)
    #expect(writer.unknownValues == ["firstName": 1, "Last-Name": "L"])
    #expect(writer.dictionaryValue == document)
  }

  @Test func `Unknown keys are replaced by fields at the same path`() throws {
    let work = try Work.from(dictionaryValue: ["titles": "none", "pricing": nil, "meta": [:]], in: scope)
    #expect(work.dictionaryValue == ["titles": "none", "pricing": nil, "meta": [:]])
    work.title.value = "T"
    work.price.value = 2
    work.id.value = 5
    #expect(work.dictionaryValue == ["titles": ["main": "T"], "pricing": ["price": 2], "meta": ["id": 5]])
  }

  @Test func `Unknown keys of a related model exclude those of fields of the containing model`() throws {
    let work = try Work.from(dictionaryValue: ["writer": ["id": 1, "note": "N", "age": 3]], in: scope)
    #expect(work.writerNote == "N")
    #expect(work.writer.value?.unknownValues == ["age": 3])
    work.writerNote.value = nil
    #expect(work.dictionaryValue == ["writer": ["id": 1, "age": 3]])
  }

  @Test func `Unknown keys are replaced one by one when the model is read again, and stay where they are missing`()
    throws
  {
    let work = try Work.from(
      dictionaryValue: ["meta": ["id": 1], "x": 1, "y": ["z": 1], "titles": ["a": 1]], in: scope)
    try work.read(["x": [2], "y": ["w": 2], "titles": ["b": 2]])
    #expect(work.unknownValues == ["x": [2], "y": ["w": 2], "titles": ["a": 1, "b": 2]])
    let again = try Work.from(dictionaryValue: ["meta": ["id": 1]], in: scope)
    #expect(again === work)
    #expect(work.unknownValues.count == 3)
    try work.read(["titles": nil])
    #expect(work.unknownValues["titles"] == .some(.null))
  }

  @Test func `Unknown keys are those of a field added later, once it is set or read`() throws {
    let writer = try Writer.from(dictionaryValue: ["id": 1, "nickname": "A", "age": 3], in: scope)
    let nickname = Field<String>(key: "nickname")
    writer << nickname
    #expect(writer.dictionaryValue == ["id": 1, "nickname": "A", "age": 3])
    nickname.value = "B"
    #expect(writer.dictionaryValue == ["id": 1, "nickname": "B", "age": 3])
    nickname.value = nil
    #expect(writer.dictionaryValue == ["id": 1, "age": 3])
    try writer.read(["nickname": "C", "age": 4])
    #expect(nickname == "C")
    #expect(writer.unknownValues == ["age": 4])
  }

  @Test func `Unknown keys are copied in full copies, and discarded when a model is unloaded`() throws {
    let work = try Work.from(dictionaryValue: ["x": 1, "parts": [["y": 2]]], in: scope)
    let copy = work.copy()
    #expect(copy.unknownValues == ["x": 1])
    #expect(copy.parts.value?.first?.unknownValues == ["y": 2])
    try copy.read(["x": 5])
    #expect(work.unknownValues == ["x": 1])
    #expect(work.copy(fields: [work.parts]).unknownValues.isEmpty)
    work.unload()
    #expect(work.unknownValues.isEmpty)
  }

  /// This would take minutes if each key were compared with all others, or if each one copied those beside it.
  @Test func `Unknown keys are read again and written in linear time`() throws {
    let keys = (0..<20_000).map { "k\($0)" }
    let members = AttributeDictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
    let document = members.merging(["titles": .object(members.merging(["main": "T"]) { $1 })]) { $1 }
    let work = try Work.from(dictionaryValue: document, in: scope)
    for _ in 0..<3 { try work.read(document) }
    #expect(work.dictionaryValue == document)
    #expect(work.unknownValues.count == 20_001)
  }

  @Test func `Unknown keys are not merged`() throws {
    let mine = try Work.from(dictionaryValue: ["x": 1], in: scope)
    let other = try Work.from(dictionaryValue: ["x": 2, "titles": ["main": "T"]], in: scope)
    mine.merge(from: other)
    #expect(mine.title == "T")
    #expect(mine.unknownValues == ["x": 1])
  }

  @Test func `Unknown keys are not read from a document with an error`() throws {
    let work = try Work.from(dictionaryValue: ["x": 1], in: scope)
    #expect(throws: ModelDecodingError.self) { try work.read(["x": 2, "pricing": ["price": "high"]]) }
    #expect(work.unknownValues == ["x": 1])
  }

  @Test func `Unknown keys of a model are kept when a reference to it is read`() throws {
    let work = try Work.from(
      dictionaryValue: ["parts": [["writer": ["id": 1, "x": 1]], ["writer": ["id": 1]], ["writer": 1]]], in: scope)
    #expect(work.parts.value?.map { $0.writer.value?.unknownValues } == [["x": 1], ["x": 1], ["x": 1]])
    #expect(
      work.dictionaryValue == ["parts": [["writer": ["id": 1, "x": 1]], ["writer": ["id": 1]], ["writer": ["id": 1]]]])
  }
}

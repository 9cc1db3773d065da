import Foundation
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol

@Suite struct `Records as bytes` {
  private func merged(_ changes: String, into older: String) -> String? {
    RecordBytes.merging(Array(changes.utf8), into: Array(older.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    (#"{"b":2}"#, #"{"a":1,"c":3}"#, #"{"a":1,"b":2,"c":3}"#),
    (#"{"a":null,"c":[4]}"#, #"{"a":1,"c":{"a":9}}"#, #"{"a":null,"c":[4]}"#),
    (#"{"z":1}"#, "{}", #"{"z":1}"#), ("{}", "{}", "{}"), ("{}", #"{"a" : "x\"y" }"#, #"{"a":"x\"y"}"#),
    (#"{"a":1,"b":2}"#, #"{"b":0,"a":0}"#, #"{"b":2,"a":1}"#),
  ])
  func `Merging record bytes replaces and adds the newer members`(changes: String, older: String, expected: String) {
    #expect(merged(changes, into: older) == expected)
  }

  @Test(arguments: [(#"{"é":2}"#, "{}"), ("{}", #"{"\u0061":1}"#), ("[]", "{}"), ("{}", "{"), ("{}", "")])
  func `Record bytes are not merged if keys are escaped or not ASCII, or if there is no object`(
    changes: String, older: String
  ) {
    #expect(merged(changes, into: older) == nil)
  }

  @Test func `Record bytes are the document of the JSON tree for every kind of field`() async throws {
    let scope = ModelScope()
    for index in 0..<8 {
      let plain = Plain()
      plain.name.value = index.isMultiple(of: 2) ? "\"é\u{1}\(index)" : nil
      plain.number.value = index
      if index > 2 { plain.height.value = Double(index) / 3 }
      if index > 4 { plain.tags.value = ["x", "/"] }
      if index > 5 { plain.other.value = Plain.with(identifier: "7", in: scope) }
      let save = try await SaveOperation(creating: plain, in: scope, explicitNull: true)
      let tree = try JSONValue.object(Dictionary(uniqueKeysWithValues: plain.storedPairs(in: scope)))
      #expect(try save.recordBytes() == Array(tree.jsonData(JSONWritingOptions(sortedKeys: true))))
      #expect(JSONValue.object(save.record) == tree)
    }
  }

  @Test func `Record bytes contain the assigned identifier`() async throws {
    let plain = Plain()
    plain.name.value = "Ada"
    plain.day.unload()
    var save = try await SaveOperation(creating: plain, in: ModelScope())
    try save.assign(identifier: "5")
    #expect(String(decoding: try save.recordBytes(), as: UTF8.self) == #"{"flag":true,"id":5,"name":"Ada"}"#)
    #expect(save.record == ["flag": true, "id": 5, "name": "Ada"])
  }

  @Test func `Record bytes keep the members that an update does not write`() async throws {
    let scope = ModelScope()
    let plain = Plain()
    plain.id.value = 5
    plain.number.value = 1
    try await SaveOperation(creating: plain, in: scope).finish()
    plain.number.value = nil
    let save = try await SaveOperation(updating: plain, fields: nil, in: scope)
    let older = Array(#"{"id":5,"more":true,"number":1}"#.utf8)
    #expect(
      String(decoding: try save.merged(intoBytes: older), as: UTF8.self) == #"{"id":5,"more":true,"number":null}"#)
    #expect(throws: ModelStoreError.self) { try save.merged(intoBytes: Array("[]".utf8)) }
  }

  @Test func `Listing record bytes that can't be read throws an error with their identifier`() throws {
    let store = NotebookStore()
    let records = [#"{"id":1}"#, #"{"id":"x"}"#].map { Array($0.utf8) }
    let error = #expect(throws: ModelStoreError.self) {
      try store.models(Plain.self, fromBytes: records) { ["1", "2"][$0] }
    }
    #expect(error?.code == .corrupt)
    #expect(error?.identifier == "2")
  }
}

/// A model that is written directly as bytes.
private final class Plain: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let number = Field<Int>()
  let height = Field<Double>()
  let flag = Field<Bool>(true)
  let tags = Field<String>()*
  let day = Field<Date>(Date(timeIntervalSince1970: 0)).transform(with: .date(format: "yyyy-MM-dd"))
  let other = ModelField<Plain>(foreignKey: true)

  override var identifierField: AnyField? { id }

  func storedPairs(in scope: ModelScope) throws -> [(String, JSONValue)] {
    var context = scope.transformers
    context.explicitNull = true
    return try storedValues(of: storableFields, in: context).map { ($0.path[0], $0.value) }
  }
}

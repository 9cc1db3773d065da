@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `A list with a transformer of its own` {
  private struct CommaSeparated: ValueTransforming {
    func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> [String]? {
      guard let text = json.stringValue else { throw ValueTransformError(expected: "text with commas", found: json) }
      return text.split(separator: ",").map(String.init)
    }
    func exportValue(_ value: [String], in context: ValueTransformerContext) throws -> JSONValue {
      .string(value.joined(separator: ","))
    }
  }

  @Test func `A list with a transformer of its own rejects the values that the transformer rejects, including lists`() {
    let tags = (*Field<String>(key: "tags")).transform(with: CommaSeparated())
    tags.value = ["x"]
    let error = #expect(throws: ValueTransformError.self) { try tags.read(from: ["tags": ["a", "b"]]) }
    #expect(error?.description == "tags: expected text with commas, found a list of 2 elements")
    #expect(tags.value == ["x"])
  }

  @Test func `A list with a transformer of its own is read from text and written as text`() throws {
    let tags = (*Field<String>()).transform(with: CommaSeparated())
    try tags.read("a,b")
    #expect(tags.value == ["a", "b"])
    #expect(try tags.written() == "a,b")
    try tags.read(nil)
    #expect(tags.value == nil)
    #expect(try tags.written() == nil)
  }

  @Test func `A list with a transformer of its own is a list again in other contexts if the transformer has a name`()
    throws
  {
    let tags = (*Field<String>()).transform(with: CommaSeparated(), in: "csv")
    tags.value = ["a", "b"]
    #expect(try tags.written(in: ValueTransformerContext(name: "csv")) == "a,b")
    #expect(try tags.written() == ["a", "b"])
  }

  @Test func `A list with a transformer of its own may have it from the context, unless its element has one`() throws {
    var context = ValueTransformerContext()
    context.transform([String].self, with: CommaSeparated())
    let plain = *Field<String>()
    let special = *Field<String>().transform(
      importValue: { $0.stringValue?.lowercased() }, exportValue: { .string($0) })
    try plain.read("a,b", in: context)
    #expect(plain.value == ["a", "b"])
    #expect(try plain.written(in: context) == "a,b")
    try special.read(["A"], in: context)
    #expect(special.value == ["a"])
    #expect(try special.written(in: context) == ["a"])
  }

  @Test func `A list keeps its value when the transformer of an element throws or returns nothing`() {
    struct Bad: Error {}
    let throwing = *Field(1).transform(
      importValue: { json in
        guard let number = json.intValue else { throw Bad() }
        return number
      }, exportValue: { .int($0) })
    let thrown = #expect(throws: ValueTransformError.self) { try throwing.read([2, "x"]) }
    #expect(thrown?.path == "[1]")
    #expect(thrown?.cause is Bad)
    #expect(throwing.value == [1])
    let silent = *Field(1).transform(importValue: { $0.intValue }, exportValue: { .int($0) })
    let nothing = #expect(throws: ValueTransformError.self) { try silent.read([2, "x"]) }
    #expect(nothing?.description == "[1]: expected a value, found the string \"x\"")
    #expect(silent.value == [1])
  }

  @Test func `A list with a transformer of its own takes null elements only if they are optional`() throws {
    let optional = *Field<Int?>()
    try optional.read([1, nil])
    #expect(optional.value == [1, nil])
    #expect(try optional.written() == [1, nil])
    #expect(throws: ValueTransformError.self) { try (*Field<Int>()).read([1, nil]) }
  }
}

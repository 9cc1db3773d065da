@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `A transformer` {
  struct Percent: ValueTransforming {
    func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Double? {
      guard let number = json.doubleValue else { throw ValueTransformError(expected: "a percentage", found: json) }
      return number / 100
    }
    func exportValue(_ value: Double, in context: ValueTransformerContext) throws -> JSONValue { .double(value * 100) }
  }

  @Test func `A transformer of a field reads and writes its value`() throws {
    let share = Field<Double>().transform(with: Percent())
    try share.read(50)
    #expect(share.value == 0.5)
    #expect(try share.written() == 50)
    #expect(throws: ValueTransformError.self) { try share.read("half") }
    #expect(share.value == 0.5)
    try share.read(nil)
    #expect(share.value == nil)
  }

  @Test func `A transformer may be two closures, and nil from them is nil`() throws {
    let age = Field<Int>().transform(
      importValue: { json in json.stringValue.flatMap { Int($0) } }, exportValue: { .string("\($0)") })
    try age.read("12")
    #expect(age.value == 12)
    #expect(try age.written() == "12")
    try age.read("twelve")
    #expect(age.value == nil)
  }

  @Test func `A transformer's own error is the cause of the reported one`() {
    struct Odd: Error {}
    let age = Field(1).transform(importValue: { _ in throw Odd() }, exportValue: { _ in throw Odd() })
    let reading = #expect(throws: ValueTransformError.self) { try age.read(7) }
    #expect(reading?.cause is Odd)
    #expect(reading?.description == "expected a value its transformer accepts, found 7, which it rejects (Odd())")
    let writing = #expect(throws: ValueTransformError.self) { try age.written() }
    #expect(writing?.cause is Odd)
    #expect(
      writing?.description == "expected a value its transformer can write, found 1, which it rejects (Odd())")
    #expect(age.value == 1)
  }

  @Test func `The error of a transformer has the value found, as JSON or as a description`() {
    let json = ValueTransformError(expected: "an integer", found: JSONValue.string("seven"))
    #expect(json.description == "expected an integer, found the string \"seven\"")
    let words = ValueTransformError(expected: "a date", found: "a time", path: "days[1]")
    #expect(words.description == "days[1]: expected a date, found a time")
    #expect(words.cause == nil)
  }

  @Test func `A transformer of an element reads and writes every element`() throws {
    let shares = ArrayField(Field<Double>().transform(with: Percent()))
    try shares.read([50, 25])
    #expect(shares.value == [0.5, 0.25])
    #expect(try shares.written() == [50, 25])
    let error = #expect(throws: ValueTransformError.self) { try shares.read([50, "x"]) }
    #expect(error?.description == "[1]: expected a percentage, found the string \"x\"")
  }

  @Test func `A transformer of a list reads and writes the whole list`() throws {
    let tags = (Field<String>()*).transform(
      importValue: { json in json.stringValue?.split(separator: ",").map { String($0) } },
      exportValue: { .string($0.joined(separator: ",")) })
    try tags.read("a,b")
    #expect(tags.value == ["a", "b"])
    #expect(try tags.written() == "a,b")
  }

  @Test func `A transformer is never called for null, nor for null in a list`() throws {
    let isOn = { @Sendable (json: JSONValue) -> Bool? in json == "ON" }
    let write = { @Sendable (value: Bool) -> JSONValue in value ? "ON" : "OFF" }
    var context = ValueTransformerContext()
    context.transform(Bool.self, importValue: isOn, exportValue: write)
    let byContext = Field<Bool>()*
    let byElement = ArrayField(Field<Bool>().transform(importValue: isOn, exportValue: write))
    for (field, context) in [(byContext, context), (byElement, .standard)] {
      let error = #expect(throws: ValueTransformError.self) { try field.read(["ON", nil], in: context) }
      #expect(error?.description == "[1]: expected a value, found null")
    }
  }
}

@Suite struct `A context` {
  @Test func `A context transforms every value of a type, and other contexts do not`() throws {
    var context = ValueTransformerContext()
    context.transform(Bool.self, importValue: { $0 == "ON" }, exportValue: { $0 ? "ON" : "OFF" })
    let isOn = Field(true)
    #expect(try isOn.written(in: context) == "ON")
    #expect(try isOn.written() == true)
    try isOn.read("OFF", in: context)
    #expect(isOn.value == false)
    #expect(throws: ValueTransformError.self) { try isOn.read("ON") }
    let list = Field<Bool>()*
    try list.read(["ON", "OFF"], in: context)
    #expect(list.value == [true, false])
    #expect(try list.written(in: context) == ["ON", "OFF"])
    #expect(try Field("ON").written(in: context) == "ON")
  }

  @Test func `A context gives way to the transformer of a field`() throws {
    var context = ValueTransformerContext()
    context.transform(Int.self, importValue: { _ in 1 }, exportValue: { _ in "context" })
    let field = Field(5).transform(importValue: { _ in 2 }, exportValue: { _ in "field" })
    #expect(try field.written(in: context) == "field")
    try field.read(0, in: context)
    #expect(field.value == 2)
  }

  @Test func `A context passes itself to transformers`() throws {
    struct Spelled: ValueTransforming {
      func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> String? { nil }
      func exportValue(_ value: String, in context: ValueTransformerContext) throws -> JSONValue {
        .string(context.keyCase?.key(value) ?? value)
      }
    }
    var context = ValueTransformerContext(keyCase: .upperCamel, explicitNull: true)
    context.transform(String.self, with: Spelled())
    #expect(try Field("lightName").written(in: context) == "LightName")
    #expect(context.explicitNull)
    #expect(!ValueTransformerContext.standard.explicitNull)
    #expect(ValueTransformerContext.standard.keyCase == nil)
  }
}

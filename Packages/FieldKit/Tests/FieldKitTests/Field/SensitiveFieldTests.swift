import FieldKit
import Testing

@Suite struct `A sensitive field` {
  @Test func `A sensitive field is shown without its value`() {
    let pin = Field<String>("4711", key: "pin", sensitive: true)
    #expect(pin.isSensitive)
    #expect("\(pin)" == "Field<String> pin = (redacted)")
    #expect(!String(reflecting: pin).contains("4711"))
    var dumped = ""
    dump(pin, to: &dumped)
    #expect(!dumped.contains("4711"))
    #expect(dumped.contains("(redacted)"))
    pin.value = nil
    #expect("\(pin)" == "Field<String> pin = nil")
  }

  @Test func `A sensitive field stays so with rules, a name, a transformer, a copy and a list`() {
    let pin = Field<String>(sensitive: true).require(.length(4)).transform(importValue: { $0.stringValue }) {
      .string($0)
    }
    pin.rename("PIN")
    #expect(pin.isSensitive)
    #expect(pin.copy().isSensitive)
    #expect((Field<String>(sensitive: true)*).isSensitive)
    #expect(ArrayField(Field<Int>(), sensitive: true).isSensitive)
    #expect(!Field<String>(name: "PIN").isSensitive)
    #expect(!Field<String>().isSensitive)
  }

  @Test func `Errors about values that a sensitive field can't read or write do not quote them`() {
    struct Refusal: Error { let value: JSONValue }
    let code = Field<Int>(key: "code", sensitive: true)
    let custom = Field<Int>(key: "code", sensitive: true).transform(importValue: { throw Refusal(value: $0) }) {
      .int($0)
    }
    for field in [code, custom] {
      let error = #expect(throws: ValueTransformError.self) { try field.read(from: ["code": "secret 4711"]) }
      #expect(error.map { "\($0) \(String(reflecting: $0.cause))" }?.contains("4711") == false)
      #expect(error?.path == "code")
    }
    let height = Field<Double>(.infinity, key: "height", sensitive: true)
    var dictionary: AttributeDictionary = [:]
    let error = #expect(throws: ValueTransformError.self) { try height.write(to: &dictionary) }
    #expect(error?.description.contains("inf") == false)
  }

  @Test func `A sensitive field is not quoted by messages from elsewhere`() {
    let pin = Field<String>("4711", sensitive: true)
    pin.addValidationError("may not be 4711")
    #expect(pin.validationState.messages == ["may not be (redacted)"])
    let open = Field<String>("4711")
    open.addValidationError("may not be 4711")
    #expect(open.validationState.messages == ["may not be 4711"])
  }
}

@Suite struct `The description of a field` {
  @Test func `The description of a field has its key, its type and its value`() {
    #expect("\(Field("Emma", key: "title"))" == #"Field<String> title = "Emma""#)
    #expect("\(Field<Int>(name: "Age"))" == #"Field<Int> "Age" (not loaded)"#)
    #expect("\(Field<Int>(3))" == "Field<Int> = 3")
    let tags = Field<String>()*
    tags.value = (1...12).map { "t\($0)" }
    #expect("\(tags)".hasSuffix(#""t10", … 2 more]"#))
    #expect("\(Field(String(repeating: "x", count: 1_000)))".count < 150)
  }

  @Test func `The description of a field for debugging has its states`() {
    let name = Field<String>(key: "name").require(.notBlank)
    name.value = ""
    name.validate()
    #expect(String(reflecting: name) == #"Field<String> name = "" [loaded; dirty; invalid: cannot be blank]"#)
  }

  @Test func `A subclass of a field may have a property named description`() {
    final class Annotated: Field<Int> { let description = Field<String>("mine") }
    #expect(Annotated().description.value == "mine")
  }
}

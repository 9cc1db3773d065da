import FieldKit
import Testing

@Suite struct `A field of unknown type` {
  @Test func `A field of unknown type returns its value and type`() {
    let fields: [AnyField] = [Field("Bob", name: "Name"), Field<Int>(key: "age"), Field<String>()*]
    #expect(fields.map(\.name) == ["Name", nil, nil])
    #expect(fields.map(\.key) == [nil, "age", nil])
    #expect(fields[0].anyValue as? String == "Bob")
    #expect(fields[1].anyValue == nil)
    #expect(fields[2].anyValue as? [String] == [])
    #expect(ObjectIdentifier(fields[0].valueType) == ObjectIdentifier(String.self))
    #expect(ObjectIdentifier(fields[1].valueType) == ObjectIdentifier(Int.self))
    #expect(ObjectIdentifier(fields[2].valueType) == ObjectIdentifier([String].self))
  }

  @Test func `A field of unknown type takes a value of its type and notifies its observers`() throws {
    let age = Field<Int>()
    let recorder = Recorder<Int?>()
    age --> recorder
    let erased: AnyField = age
    try erased.set(anyValue: 5)
    #expect(age.value == 5)
    try erased.set(anyValue: Field(6).anyValue)
    try erased.set(anyValue: nil)
    #expect(age.value == nil)
    #expect(age.loadState == .loaded)
    #expect(recorder.values == [nil, 5, 6, nil])
  }

  @Test func `A field of unknown type refuses a value of another type with an error, and keeps its own`() {
    let age = Field(3, name: "Age")
    let erased: AnyField = age
    let error = #expect(throws: FieldError.self) { try erased.set(anyValue: "three") }
    #expect(error?.description == "Field \"Age\" keeps its value: it takes Int, not String.")
    #expect(error?.field == "Age")
    #expect(error?.code == .wrongType)
    #expect(age.value == 3)
    #expect(!age.isDirty)
  }

  @Test func `An error of a field of unknown type names the field's key, if it has one`() {
    let keyed = #expect(throws: FieldError.self) { try Field<Int>(key: "age").set(anyValue: 1.5) }
    #expect(keyed?.description == "Field \"age\" keeps its value: it takes Int, not Double.")
    let nameless = #expect(throws: FieldError.self) { try Field<[Int]>().set(anyValue: ["a"]) }
    #expect(nameless?.description == "The field keeps its value: it takes Array<Int>, not Array<String>.")
  }

  @Test func `A field of unknown type is validated and has states`() {
    let erased: AnyField = Field(3).require(.range(4...))
    #expect(!erased.valid)
    #expect(erased.validationState == .invalid(["must be greater than or equal to 4"]))
    erased.resetValidationState()
    #expect(erased.validationState == .unknown)
    erased.addValidationError("is taken")
    #expect(erased.validateIfNeeded() == .invalid(["is taken"]))
    #expect(erased.loadState == .loaded)
    erased.loadState = .loading
    #expect(erased.loadState == .loading)
    #expect(!erased.isDirty)
    #expect(erased.updatedAt != nil)
    #expect(erased.changedAt != nil)
  }
}

import FieldKit
import Testing

@Suite struct `Validation` {
  @Test func `Validation is unknown before the first time and after every set`() {
    let age = Field(3).require { $0 > 0 }
    #expect(age.validationState == .unknown)
    #expect(age.validate() == .valid)
    #expect(age.validationState == .valid)
    age.value = 3
    #expect(age.validationState == .unknown)
  }

  @Test func `Validation of a field without rules finds it valid`() {
    #expect(Field<Int>().validate() == .valid)
    #expect(Field<Int>().valid)
  }

  @Test func `Validation reports all violations, in the order of the rules`() {
    let name = Field("").require(.notBlank).require(.length(2...)).require(message: "must have an x") {
      $0.contains("x")
    }
    #expect(
      name.validate()
        == .invalid(["cannot be blank", "length must be greater than or equal to 2", "must have an x"]))
    name.value = "h"
    #expect(!name.valid)
    name.value = "hx"
    #expect(name.valid)
  }

  @Test func `Validation runs again only when it is needed`() {
    var calls = 0
    let age = Field(3).require { _ in
      calls += 1
      return true
    }
    age.validateIfNeeded()
    age.validateIfNeeded()
    #expect(age.valid)
    #expect(calls == 1)
    age.validate()
    #expect(calls == 2)
    age.value = 4
    #expect(age.valid)
    #expect(calls == 3)
  }

  @Test func `Validation keeps a message added by hand behind the rules', until it runs again`() {
    let age = Field(0).require(message: "must be positive") { $0 > 0 }
    age.validate()
    age.addValidationError("is taken")
    #expect(age.validationState == .invalid(["must be positive", "is taken"]))
    #expect(age.validate() == .invalid(["must be positive"]))
    age.resetValidationState()
    #expect(age.validationState == .unknown)
  }

  @Test func `Validation is not needed for a message added by hand`() {
    let name = Field("Ann")
    name.validate()
    name.addValidationError("is taken")
    #expect(name.validationState == .invalid(["is taken"]))
    #expect(!name.valid)
    name.value = "Ann"
    #expect(name.validationState == .unknown)
    name.addValidationError("is reserved")
    #expect(name.validationState.messages == ["is reserved"])
  }

  @Test func `Validation states have properties for their cases`() {
    #expect(ValidationState.valid.isValid)
    #expect(!ValidationState.valid.isInvalid)
    #expect(ValidationState.invalid(["a"]).isInvalid)
    #expect(!ValidationState.invalid(["a"]).isValid)
    #expect(!ValidationState.unknown.isValid)
    #expect(!ValidationState.unknown.isInvalid)
    #expect(ValidationState.unknown.messages.isEmpty)
    #expect(ValidationState.invalid(["a", "b"]) != .invalid(["b", "a"]))
  }

  @Test func `Validation of one field does not touch another that was declared like it`() {
    func make() -> Field<Int> { Field(1).require(.range(0...10)) }
    let (first, second) = (make(), make())
    first.require { $0 > 5 }
    #expect(!first.valid)
    #expect(second.valid)
  }
}

import FieldKit
import Testing

@Suite struct `A violation of a rule` {
  @Test func `A violation has a code and arguments for custom messages`() {
    let age = Field(131).require(.range(0...130)).require(message: "must be even") { $0 % 2 == 0 }
    age.validate()
    #expect(
      age.violations == [
        RuleViolation(
          code: "range", arguments: ["minimum": 0, "maximum": 130], message: "must be less than or equal to 130",
          detail: "maximum"),
        RuleViolation(code: "custom", message: "must be even"),
      ])
    #expect(age.violations.map(\.description) == age.validationState.messages)
  }

  @Test func `A violation of a range names the violated bound`() {
    #expect(Rule<Int>.range(1...3).violation(of: 0)?.detail == "minimum")
    #expect(Rule<Int>.range(1...3).violation(of: 4)?.detail == "maximum")
    #expect(Rule<Int>.range(1..<3).violation(of: 4)?.detail == "below")
    #expect(Rule<Int>.range(3...3).violation(of: 4)?.detail == "equal")
    #expect(Rule<Int>.notNil.violation(of: nil)?.detail == "missing")
    #expect(Rule.matching(/a/, maximumLength: 1).violation(of: "aa")?.detail == "tooLong")
    #expect(Rule<String>.notBlank.violation(of: "")?.detail == nil)
  }

  @Test func `A message of the declaration replaces that of a violation, but not its code and arguments`() {
    let age = Field(131).require(.range(0...130), message: "is no age").require(.range(0...99).message("is too old"))
    #expect(age.validate() == .invalid(["is no age", "is too old"]))
    #expect(age.violations.first?.code == "range")
    #expect(age.violations.first?.detail == "maximum")
    #expect(age.violations.last?.arguments == ["minimum": 0, "maximum": 99])
    #expect(Rule<Int>.range(0...130).violation(of: 131)?.message == "must be less than or equal to 130")
    let name = Field<String>().require(.notBlank, message: "darf nicht leer sein").requireNotNil(message: "fehlt")
    #expect(name.validate() == .invalid(["darf nicht leer sein", "fehlt"]))
    let even = Field(1).require(Rule(code: "even", message: "must be even") { $0 % 2 == 0 }.message("is odd"))
    #expect(even.validate() == .invalid(["is odd"]))
    #expect(even.violations.first?.code == "even")
  }

  @Test func `A violation of any rule can be a missing value`() {
    let age = Field<Int>().require(.range(0...130), allowNil: false)
    #expect(age.validate() == .invalid(["is required"]))
    #expect(age.violations.first?.detail == "missing")
    #expect(age.violations.first?.code == "range")
    let name = Field<String>().require(.notBlank, allowNil: true)
    #expect(name.valid)
    name.value = ""
    #expect(!name.valid)
    let worded = Field<Int>().require(.range(0...9), message: "must be a digit", allowNil: false)
    #expect(worded.validate() == .invalid(["must be a digit"]))
    #expect(Rule<Int>.range(0...9).allowsNil)
    #expect(Rule<Int>.range(0...9).allowingNil(true).allowsNil)
    #expect(!Rule<Int> { $0 > 0 }.allowingNil(false).allowsNil)
  }

  @Test func `A violation by an element of a list has its index`() {
    let tags = ArrayField(Field<String>().require(.notBlank).require(.length(...3), message: "is too long"))
    tags.value = ["a", "b", "", "abcd"]
    #expect(tags.validate() == .invalid(["[2] cannot be blank", "[3] is too long"]))
    #expect(tags.violations.map(\.index) == [2, 3])
    #expect(tags.violations.map(\.message) == ["cannot be blank", "is too long"])
    #expect(tags.violations.map(\.code) == ["notBlank", "length"])
    tags.require(.count(...2))
    tags.validate()
    #expect(tags.violations.map(\.index) == [nil, 2, 3])
  }

  @Test func `A field takes violations that were found elsewhere`() {
    let name = Field("Ann").require(.length(5...))
    name.validate()
    name.addValidationError("is taken")
    name.addViolation(RuleViolation(code: "banned", arguments: ["until": 2030], message: "is banned"))
    #expect(name.violations.map(\.code) == ["length", "manual", "banned"])
    #expect(
      name.validationState
        == .invalid(["length must be greater than or equal to 5", "is taken", "is banned"]))
    name.validate()
    #expect(name.violations.map(\.code) == ["length"])
  }

  @Test func `A field has no violations before validation, after a set, and when it is valid`() {
    let age = Field(131).require(.range(0...130))
    #expect(age.violations.isEmpty)
    age.validate()
    #expect(age.violations.count == 1)
    age.value = 5
    #expect(age.violations.isEmpty)
    age.validate()
    #expect(age.violations.isEmpty)
    age.addValidationError("is taken")
    age.resetValidationState()
    #expect(age.violations.isEmpty)
    age.addValidationError("is taken")
    age.value = 131
    age.addValidationError("is banned")
    #expect(age.violations.map(\.message) == ["is banned"])
  }

  @Test func `A field of unknown type has violations`() {
    let erased: AnyField = Field(131).require(.range(0...130))
    erased.validate()
    #expect(erased.violations.map(\.code) == ["range"])
    erased.addViolation(RuleViolation(code: "taken", message: "is taken"))
    #expect(erased.validationState.messages.last == "is taken")
  }

  @Test func `The violations of a field are in the order of its rules`() {
    let rules: [Rule<String>] = [.notBlank, .length(2...)]
    let name = Field("").require(rules)
    #expect(name.validate() == .invalid(["cannot be blank", "length must be greater than or equal to 2"]))
    name.value = "h"
    #expect(name.validate() == .invalid(["length must be greater than or equal to 2"]))
    name.value = "hi"
    #expect(name.valid)
    #expect(Field<Int>().require([]).valid)
  }

  @Test func `The messages of violations are those of the newest predecessor library`() {
    // Older ones reported "must be greater than 1" for inclusive ends, nothing for lengths, and "Field is required".
    #expect(Rule<Int>.range(1...).violation(of: 0)?.message == "must be greater than or equal to 1")
    #expect(Rule.length(2...).violation(of: "")?.message == "length must be greater than or equal to 2")
    #expect(Rule<Int>.notNil.violation(of: nil)?.message == "is required")
    #expect(Rule<Int> { _ in false }.violation(of: 1)?.message == "is invalid")
    #expect(Rule<String>.notBlank.violation(of: "")?.message == "cannot be blank")
  }
}

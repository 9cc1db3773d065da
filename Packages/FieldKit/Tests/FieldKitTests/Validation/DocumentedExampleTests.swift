import FieldKit
import Testing

/// A street, as in the documentation of `Blankable`.
private struct Address: Blankable {
  var street = ""
  var isBlank: Bool { street.isEmpty }
}

@Suite struct `The examples in the documentation of validation` {
  @Test func `The documented example of a rule holds`() {
    let even = Rule<Int>(code: "even", message: "must be even") { $0 % 2 == 0 }
    let count = Field<Int>().require(even).require(.range(0...10).message("must fit in the box"))
    count.value = 11
    #expect(count.validate() == .invalid(["must be even", "must fit in the box"]))
  }

  @Test func `The documented example of a validation state holds`() {
    let age = Field(7).require(.range(18...))
    #expect(age.validate() == .invalid(["must be greater than or equal to 18"]))
  }

  @Test func `The documented example of a violation holds`() {
    let age = Field(7).require(.range(18...))
    age.validate()
    let words = age.violations.map { violation in
      switch (violation.code, violation.detail) {
      case ("range", "minimum"): "mindestens \(violation.arguments["minimum"] ?? nil)"
      default: violation.message
      }
    }
    #expect(words == ["mindestens 18"])
  }

  @Test func `The documented examples of blank values, groups of characters and choices hold`() {
    let address = Field<Address>().require(.notBlank)
    #expect(!address.valid)
    let color = Field("00ffzz").require(.characters(in: .hexadecimal)).require(.length(6))
    #expect(color.validate() == .invalid(["contains invalid characters"]))
    let code = Field("12 34-5").require(.characters(in: .digits.union("- ")))
    #expect(code.valid)
    let size = Field("XS").require(.oneOf("S", "M", "L"))
    #expect(size.validate() == .invalid(["must be one of S, M, L"]))
    let price = Field(1_000.0).require(.range(0..<1_000))
    #expect(price.validate() == .invalid(["must be less than 1000.0"]))
  }

  @Test func `The documented example of a rule about a derived value holds`() {
    let name = Field<String>().require(.derived("first letter", { $0.first }, satisfies: .range("A"..."Z")))
    name.value = "ada"
    #expect(name.validate().messages == ["first letter must be less than or equal to Z"])
  }
}

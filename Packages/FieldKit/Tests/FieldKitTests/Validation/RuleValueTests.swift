import FieldKit
import Testing

@Suite struct `A rule about texts and values` {
  @Test func `A rule against blank values refuses empty lists`() {
    let tags = ArrayField(Field<String>()).require(.notBlank)
    #expect(tags.validate() == .invalid(["cannot be blank"]))
    tags.append("")
    #expect(tags.valid)
    tags.value = nil
    #expect(tags.validate() == .invalid(["cannot be blank"]))
  }

  private struct Address: Blankable {
    var street = ""
    var isBlank: Bool { street.isEmpty }
  }

  @Test func `A rule against blank values checks custom types`() {
    let address = Field<Address>().require(.notBlank)
    #expect(address.validate() == .invalid(["cannot be blank"]))
    address.value = Address()
    #expect(!address.valid)
    address.value = Address(street: "Main Street")
    #expect(address.valid)
  }

  @Test func `A rule about groups of characters checks every character`() {
    let code = Field("J9").require(.characters(in: .uppercaseHexadecimal))
    #expect(code.validate() == .invalid(["contains invalid characters"]))
    code.value = "F9"
    #expect(code.valid)
    code.value = "f9"
    #expect(!code.valid)
    #expect(Rule.characters(in: .lowercaseHexadecimal).violation(of: "f9") == nil)
    #expect(Rule.characters(in: .lowercaseHexadecimal).violation(of: "F9") != nil)
    #expect(Rule.characters(in: .hexadecimal).violation(of: "fF9") == nil)
    #expect(Rule.characters(in: .digits.union("- ")).violation(of: "030-123 45") == nil)
    #expect(Rule.characters(in: .latinLetters).violation(of: "né")?.code == "characters")
    #expect(Rule.characters(in: .digits).violation(of: nil) == nil)
    #expect(Rule.characters(in: "").violation(of: "a") != nil)
    #expect(Rule.characters(in: "").violation(of: "") == nil)
    #expect(Rule.characters(in: "👩‍👧é").violation(of: "e\u{301}👩‍👧") == nil)
    #expect(Rule.characters(in: "👩‍👧é").violation(of: "👧") != nil)
    let letters: CharacterGroup = "ba"
    #expect(letters == CharacterGroup("ab"))
    #expect(Set([letters, "ab", "abc"]).count == 2)
    #expect(letters.contains("a") && !letters.contains("c"))
  }

  @Test(arguments: [
    "a@b.cd", "ada.lovelace@example.org", "a+tag@mail.example.co.uk", "ünal@bücher.example", "x_y'z@a-b.de",
    "नाम@उदाहरण.भारत", "1@2.de", String(repeating: "a", count: 64) + "@b.de",
  ])
  func `A rule about email addresses accepts valid ones`(text: String) {
    #expect(Rule.email.violation(of: text) == nil)
  }

  @Test(arguments: [
    "", "a", "@", "a@", "@b.de", "a@b", "a@b.", "a@.de", "a@b..de", "a@@b.de", "a@b@c.de", ".a@b.de", "a.@b.de",
    "a..b@c.de", "a b@c.de", "a@b c.de", " a@b.de", "a@b.de ", "a@b.de\n", "a\u{0}@b.de", "a@-b.de", "a@b-.de",
    "a@127.0.0.1", "a@[127.0.0.1]", "\"a b\"@c.de", "a,b@c.de", "<a@b.de>", "a@b_c.de", "a\u{a0}b@c.de",
    String(repeating: "a", count: 65) + "@b.de", "a@" + String(repeating: "b", count: 64) + ".de",
    "a@" + String(repeating: "b.", count: 130) + "de",
  ])
  func `A rule about email addresses refuses other texts`(text: String) {
    #expect(Rule.email.violation(of: text)?.message == "must be an email address")
  }

  @Test func `A rule about email addresses takes linear time for long texts`() {
    let long = String(repeating: "a@", count: 500_000)
    let start = ContinuousClock.now
    #expect(Rule.email.violation(of: long) != nil)
    #expect(ContinuousClock.now - start < .seconds(1))
    #expect(Rule.email.violation(of: nil) == nil)
  }

  private enum Size { case small, medium, large }

  @Test func `A rule about one of several values refuses all others`() {
    let size = Field<String>().require(.oneOf("S", "M", "L"))
    #expect(size.valid)
    size.value = "XL"
    #expect(size.validate() == .invalid(["must be one of S, M, L"]))
    size.value = "M"
    #expect(size.valid)
    #expect(Rule<Int>.oneOf([1, 2]).violation(of: 12)?.arguments == ["values": [1, 2]])
    #expect(Rule<Int>.oneOf([12]).violation(of: 12) == nil)
    #expect(Rule<String>.oneOf("a", "b,c").violation(of: "a,b") != nil)
    #expect(Rule<String>.oneOf("ab", "c").violation(of: "a") != nil)
    #expect(Rule<String>.oneOf("a", "bc").violation(of: "a") == nil)
    #expect(Rule<Size>.oneOf(.small, .large).violation(of: .medium)?.message == "must be one of small, large")
    #expect(Rule<Size>.oneOf(.small, .large).violation(of: .large) == nil)
  }

  @Test func `A rule about a derived value checks that value`() {
    let name = Field<String>().require(.derived("first letter", { $0.first }, satisfies: .range("A"..."Z")))
    #expect(name.valid)
    name.value = "ada"
    #expect(name.validate() == .invalid(["first letter must be less than or equal to Z"]))
    let violation = name.violations.first
    #expect(violation?.code == "range")
    #expect(violation?.detail == "maximum")
    #expect(violation?.arguments == ["minimum": "A", "maximum": "Z", "of": "first letter"])
    name.value = "Ada"
    #expect(name.valid)
  }

  @Test func `A rule about a derived value applies the inner rule's nil policy if nothing can be derived`() {
    let lenient = Field("").require(.derived("first letter", { $0.first }, satisfies: .range("A"..."Z")))
    #expect(lenient.valid)
    let strict = Field("").require(.derived("first letter", { $0.first }, satisfies: .notNil))
    #expect(strict.validate() == .invalid(["first letter is required"]))
    strict.value = nil
    #expect(strict.valid)
    let strictest = Field<String>().require(.derived(nil, { $0.first }, satisfies: .notNil), allowNil: false)
    #expect(strictest.validate() == .invalid(["is required"]))
  }
}

import FieldKit
import Testing

@Suite struct `A rule` {
  @Test func `A custom rule reports that the value is invalid, or its own message`() {
    let age = Field<Int>().require { $0 > 0 }
    age.value = 0
    #expect(age.validate() == .invalid(["is invalid"]))
    age.value = 1
    #expect(age.validate() == .valid)
    let even = Field(3).require(message: "must be even") { $0 % 2 == 0 }
    #expect(even.validate() == .invalid(["must be even"]))
  }

  @Test func `A rule lets nil pass without a call of its test, unless nil is forbidden`() {
    var calls = 0
    let lenient = Field<Int>().require {
      calls += 1
      return $0 > 0
    }
    #expect(lenient.valid)
    #expect(calls == 0)
    let strict = Field<Int>().require(message: "must be even", allowNil: false) { $0 % 2 == 0 }
    #expect(strict.validate() == .invalid(["must be even"]))
  }

  @Test func `A rule that there is a value refuses nil`() {
    let age = Field<Int>().requireNotNil()
    #expect(age.validate() == .invalid(["is required"]))
    age.value = 0
    #expect(age.valid)
  }

  @Test func `A rule about a range reports the violated bound`() {
    let cases: [(Rule<Int>, Int, String?)] = [
      (.range(6...6), 7, "must be equal to 6"), (.range(6...6), 5, "must be equal to 6"), (.range(6...6), 6, nil),
      (.range(0...130), -1, "must be greater than or equal to 0"), (.range(0...130), 0, nil),
      (.range(0...130), 130, nil), (.range(0...130), 131, "must be less than or equal to 130"),
      (.range(1..<5), 5, "must be less than 5"), (.range(1..<5), 4, nil),
      (.range(18...), 17, "must be greater than or equal to 18"), (.range(18...), 18, nil),
      (.range(...9), 10, "must be less than or equal to 9"), (.range(..<9), 9, "must be less than 9"),
    ]
    for (rule, value, message) in cases {
      #expect(rule.violation(of: value)?.message == message)
      #expect(rule.violation(of: nil) == nil)
      #expect(rule.code == "range")
    }
  }

  @Test(arguments: [
    ("", "length must be greater than or equal to 1"), ("1", nil), ("111", nil),
    ("1111", "length must be less than or equal to 3"), ("👩‍👩‍👧‍👦é", nil),
  ])
  func `A rule about the length of a text counts characters`(text: String, message: String?) {
    #expect(Rule.length(1...3).violation(of: text)?.message == message)
  }

  @Test func `A rule about a smallest length refuses shorter texts`() {
    let name = Field<String>().require(.length(10...))
    name.value = "123456789"
    #expect(name.validate() == .invalid(["length must be greater than or equal to 10"]))
    name.value = "1234567890"
    #expect(name.valid)
    #expect(Rule.length(4...4).violation(of: "abc")?.message == "length must be equal to 4")
  }

  @Test func `A rule about the number of elements counts a list`() {
    let tags = ArrayField(Field<String>()).require(.count(1...1))
    #expect(tags.validate() == .invalid(["count must be equal to 1"]))
    tags.append("a")
    #expect(tags.valid)
    tags.append("b")
    #expect(!tags.valid)
    #expect(Rule<[Int]>.count(...2).violation(of: [1, 2, 3])?.message == "count must be less than or equal to 2")
  }

  @Test(
    arguments: [
      ("", "cannot be blank"), ("hi", nil), (" ", "cannot be blank"), ("\u{a0}\n", "cannot be blank"), (" a ", nil),
      (nil, "cannot be blank"),
    ] as [(String?, String?)])
  func `A rule against blank texts refuses empty ones`(text: String?, message: String?) {
    #expect(Rule.notBlank.violation(of: text)?.message == message)
  }

  @Test func `A rule about the characters of a text refuses all others`() {
    let digits = Field("J9").require(.characters(in: "0123456789ABCDEF"))
    #expect(digits.validate() == .invalid(["contains invalid characters"]))
    digits.value = "F9"
    #expect(digits.valid)
    digits.value = nil
    #expect(digits.valid)
  }

  @Test func `A rule about the form of a text requires that the whole text matches`() {
    let word = Field("abc").require(.matching(/[a-z]+/))
    #expect(word.valid)
    word.value = "abc1"
    #expect(word.validate() == .invalid(["has the wrong format"]))
  }

  @Test func `A rule about the form of a text refuses long texts without matching them`() {
    let rule = Rule.matching(/a*/)
    #expect(rule.violation(of: String(repeating: "a", count: 1_000)) == nil)
    #expect(
      rule.violation(of: String(repeating: "a", count: 1_001))?.message
        == "is too long to be checked (more than 1000 characters)")
    #expect(Rule.matching(/a*/, maximumLength: 2).violation(of: "aaa") != nil)
    #expect(rule.arguments == ["maximumLength": 1_000])
  }

  @Test func `A rule has a code and arguments for custom messages`() {
    #expect(Rule<Int>.range(0...130).arguments == ["minimum": 0, "maximum": 130])
    #expect(Rule<Int>.range(0..<130).arguments == ["minimum": 0, "below": 130])
    #expect(Rule<Double>.range(0.5...).arguments == ["minimum": 0.5])
    #expect(Rule.length(...80).arguments == ["maximum": 80])
    #expect(Rule.length(1...).code == "length")
    #expect(Rule<[Int]>.count(1...5).code == "count")
    #expect(Rule.notBlank.code == "notBlank")
    #expect(Rule.characters(in: "ab").arguments == ["in": "ab"])
    let even = Rule<Int>(code: "even", arguments: ["of": 2], message: "must be even") { $0 % 2 == 0 }
    #expect(even.code == "even")
    #expect(even.arguments == ["of": 2])
  }
}

@Suite struct `Rules of elements` {
  @Test func `Rules of elements are checked for every element, and violations have its index`() {
    let tags = ArrayField(Field<String>().require(.notBlank).require(.length(...3)))
    #expect(tags.valid)
    tags.value = ["a", "", "abcd", "b"]
    #expect(tags.validate() == .invalid(["[1] cannot be blank", "[2] length must be less than or equal to 3"]))
    tags.value = ["a"]
    #expect(tags.valid)
  }

  @Test func `Rules of elements come after the rules of the list`() {
    let tags = (Field<String>().require(.notBlank)*).require(.count(...1))
    tags.value = ["a", ""]
    #expect(tags.validate() == .invalid(["count must be less than or equal to 1", "[1] cannot be blank"]))
    tags.value = nil
    #expect(tags.valid)
  }
}

@_spi(ModelKitInternals) import ModelCore
import Testing

@Suite struct `Exact text` {
  @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 36, 100])
  func `Exact texts are equal only if they have the same bytes`(count: Int) {
    let text = String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
    // A separate string with the same bytes.
    let same = String(decoding: Array(text.utf8), as: UTF8.self)
    #expect(ExactText(text) == ExactText(same))
    #expect(ExactText(text).hashValue == ExactText(same).hashValue)
    #expect(ExactText(text) != ExactText(text + "x"))
    for place in 0..<count {
      var bytes = Array(text.utf8)
      bytes[place] ^= 1
      #expect(ExactText(text) != ExactText(String(decoding: bytes, as: UTF8.self)))
    }
  }

  @Test(arguments: [
    ("caf\u{e9}", "cafe\u{301}"),
    // The same number of bytes in another order.
    ("a\u{323}\u{307}", "a\u{307}\u{323}"),
    ("a rather long text that ends with \u{e9}", "a rather long text that ends with e\u{301}"),
  ])
  func `Exact texts differ where only Swift strings are equal`(first: String, second: String) {
    #expect(first == second)
    #expect(ExactText(first) != ExactText(second))
    #expect(Set([ExactText(first), ExactText(second)]).count == 2)
  }

  @Test func `Exact text of a substring equals that of a whole string with the same bytes`() {
    let text = "before: 3F2504E0-4F89-11D3, after"
    #expect(ExactText(String(text.dropFirst(8).dropLast(7))) == ExactText("3F2504E0-4F89-11D3"))
  }
}

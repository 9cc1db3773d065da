import Testing

@testable import StoreProtocol

@Suite struct `The folding of texts` {
  private static let pairs: [(String, String)] = [
    ("STRASSE", "straße"), ("STRASSE", "STRAẞE"), ("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ", "οδοσ"), ("FIN", "ﬁn"),
    ("Kelvin", "\u{212A}elvin"),
    ("ſ", "S"), ("Ǆ", "ǅ"), ("Ω", "\u{2126}"), ("Ꭰ", "ꭰ"), ("ა", "Ა"), ("i\u{307}", "İ"),
  ]

  @Test(arguments: pairs) func `The folding of case joins the forms of a letter as Unicode does`(pair: (String, String))
  {
    for folding in [TextFolding.case, .caseAndAccents] {
      #expect(Array(folding.folded(pair.0).utf8) == Array(folding.folded(pair.1).utf8), "\(pair)")
    }
  }

  @Test func `The folding of case keeps accents, spellings of letters and the dotless i`() {
    func folded(_ text: String) -> [UInt8] { Array(TextFolding.case.folded(text).utf8) }
    #expect(folded("É") == folded("é"))
    #expect(folded("é") != folded("e"))
    #expect(folded("e\u{301}") != folded("é"))
    #expect(folded("ᾳ") == folded("ΑΙ"))
    #expect(folded("ı") != folded("I"))
    #expect(folded("Ａ") == folded("ａ"))
    #expect(folded("Ａ") != folded("a"))
  }

  @Test(
    arguments: [
      ("José", "jose"), ("jose\u{301}", "jose"), ("Ｆｕｌｌ ½", "full 1⁄2"), ("soft\u{AD}hyphen", "softhyphen"),
      ("Việt Nam", "viet nam"), ("ガギ", "カキ"), ("Øre", "øre"), ("Łódź", "łodz"), ("㎏", "kg"), ("", ""), ("\u{301}", ""),
      ("ͅΑ", "α"),
    ])
  func `The folding of case and accents decomposes, removes marks and folds case`(text: String, expected: String) {
    #expect(Array(TextFolding.caseAndAccents.folded(text).utf8) == Array(expected.utf8))
  }

  @Test func `A folded text of any scalar is folded already`() {
    // The blocks of letters with case and of compatibility characters, and a sample of all others.
    let blocks: [ClosedRange<UInt32>] = [
      0...0x24FF, 0xA640...0xA7FF, 0xAB30...0xABBF, 0xFB00...0xFFEF, 0x10400...0x104FF, 0x1D400...0x1D7FF,
      0x1E900...0x1E95F,
    ]
    for value in blocks.joined() + Array(stride(from: UInt32(0x2500), to: 0x30000, by: 97)) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for folding in [TextFolding.case, .caseAndAccents] {
        let folded = folding.folded(String(Character(scalar)))
        if folding.folded(folded).unicodeScalars.elementsEqual(folded.unicodeScalars) { continue }
        Issue.record("U+\(String(value, radix: 16)) is folded to \(folded), and that to \(folding.folded(folded))")
      }
    }
  }

  @Test func `A text of many marks is folded in linear time`() {
    let text = "a" + String(repeating: "\u{302E}\u{1D165}\u{301}", count: 50_000) + "B"
    let folded = TextFolding.caseAndAccents.folded(text)
    #expect(folded.unicodeScalars.first == "a")
    #expect(folded.unicodeScalars.last == "b")
    #expect(folded.unicodeScalars.count == 100_002)
  }
}

@Suite struct `A search for words` {
  @Test func `A search splits texts at everything that is no letter, number or mark of one`() {
    func words(_ text: String) -> [String] { TextWords.distinct(in: text).map { String(decoding: $0, as: UTF8.self) } }
    #expect(words("Don't panic_42, Ünïcode…") == ["42", "don", "panic", "t", "unicode"])
    #expect(words("a a A á") == ["a"])
    #expect(words("\u{1F40D} — *") == [])
    #expect(words("東京 2020年") == ["2020年", "東京"])
    #expect(words("ⅷ ½x") == ["1", "2x", "viii"])
    #expect(words("\u{1F40D}𝐀\u{10FFFF}b") == ["a", "b"])
  }

  @Test(
    arguments: [
      ("jane aust*", "AUSTEN, Jane", true), ("jane aust*", "Jane", false), ("aust", "Austen", false),
      ("", "x", true), ("*", "", true), ("x", "", false), ("a*b", "ab", false), ("a*b", "ax b", true),
      ("É*", "etude", true), ("straße", "STRASSE", true), ("a a a", "a", true), ("＊", "x", true), ("ab＊", "abc", true),
    ])
  func `A search finds a text with all of its words`(search: String, text: String, isFound: Bool) {
    #expect(WordSearch(search).matches(text) == isFound)
  }

  @Test func `A search of many words finds a text that has all of them, in any order`() {
    var random = SystemRandomNumberGenerator()
    for count in [1, 2, 63, 64, 65, 200] {
      let words = (0..<count).map { "w\($0 % 150)" + ($0 % 7 == 0 ? "*" : "") }
      let all = words.map { $0.filter { $0 != "*" } }.shuffled(using: &random)
      #expect(WordSearch(words.joined(separator: " ")).matches(all.joined(separator: "-")))
      let last = words[count - 1].filter { $0 != "*" }
      let others = all.filter { !$0.hasPrefix(last) }
      #expect(!WordSearch(words.joined(separator: " ")).matches(others.joined(separator: "-")))
    }
  }

  @Test func `A search of very long and very many words ends`() {
    let long = String(repeating: "é", count: 250_000)
    #expect(WordSearch(long).matches(long.uppercased()))
    #expect(!WordSearch(long + "x").matches(long))
    #expect(WordSearch("eee*").matches(long))
    let many = (0..<30_000).map { "w\($0)" }.joined(separator: " ")
    #expect(WordSearch(many).matches(many))
    #expect(!WordSearch(many + " other").matches(many))
  }
}

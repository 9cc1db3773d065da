import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

@Suite struct `An index of words` {
  private static let words = [
    "a", "ab", "abc", "b", "ba", String(repeating: "x", count: 9), String(repeating: "y", count: 120), "é",
  ]

  private func key(_ text: String?) -> IndexKey { text.map { IndexKey(words: TextWords.distinct(in: $0)) } ?? .null }

  private func ranges(_ search: String) -> [IndexRanges] { WordSearch(search).words.map(\.ranges) }

  @Test(arguments: TestEffort.seeds(3)) func `An index of words has each record once, whatever is added and removed`(
    seed: UInt64
  ) {
    var random = RandomSource(seed: seed)
    var index = OrderedIndex()
    var texts: [Int: String?] = [:]
    for step in 0..<600 {
      let place = random.below(80)
      if let known = texts.removeValue(forKey: place) {
        if step % 5 == 0 { index.remove(place) } else { index.remove(key(known), place) }
      } else {
        let text = random.maybe { random in
          (0..<random.below(5)).map { _ in random.pick(Self.words) }.joined(separator: " ")
        }
        texts[place] = .some(text)
        index.insert(key(text), place)
      }
      #expect(index.count == texts.count)
      let search = (0...random.below(2)).map { _ in random.pick(Self.words) + random.pick(["", "*"]) }.joined(
        separator: " ")
      let isCut = ranges(search).contains { !$0.isExact }
      let expected = texts.filter { $0.value.map(WordSearch(search).matches) ?? false }.keys.sorted()
      let found = index.places(inAll: ranges(search))
      #expect(isCut ? Set(found).isSuperset(of: expected) : found == expected, "\(search)")
      #expect(found == Array(Set(found)).sorted())
    }
    let made = OrderedIndex(texts.map { (key: key($0.value), place: $0.key) })
    #expect(made.count == texts.count)
    for search in ["a", "a*", "b* a*", "e"] {
      #expect(made.places(inAll: ranges(search)) == index.places(inAll: ranges(search)))
    }
  }

  @Test func `Texts with the same words have the same key`() {
    #expect(key("b a") == key("A, b; a"))
    #expect(key("b a") != key("ba"))
    #expect(key("b a") != key("b"))
    #expect(key("b") == IndexKey("b"))
    #expect(key("…") == .null)
    #expect(key(String(repeating: "y", count: 120)) == key(String(repeating: "y", count: 500)))
    #expect(ranges("word")[0].isExact)
    #expect(!ranges(String(repeating: "y", count: 100))[0].isExact)
  }
}

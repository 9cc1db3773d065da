import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

@Suite struct `Ranges of an index` {
  private let keys: [IndexKey] = [.null] + (0..<12).map { IndexKey($0) }

  private func contains(_ ranges: IndexRanges, _ key: IndexKey) -> Bool {
    ranges.ranges.contains { $0.start < .after(key) && $0.end.map { .before(key) < $0 } ?? true }
  }

  private func cut(_ random: inout RandomSource) -> IndexBound {
    let key = keys[Int.random(in: keys.indices, using: &random)]
    return random.next() % 2 == 0 ? .before(key) : .after(key)
  }

  private func ranges(_ random: inout RandomSource) -> IndexRanges {
    IndexRanges(
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        IndexRange(cut(&random), random.next() % 5 == 0 ? nil : cut(&random))
      })
  }

  @Test func `Ranges of an index have the union, intersection and complement of sets`() {
    var random = RandomSource(seed: 4)
    for _ in 0..<2_000 {
      let (first, second) = (ranges(&random), ranges(&random))
      for key in keys {
        let (isInFirst, isInSecond) = (contains(first, key), contains(second, key))
        #expect(contains(first.union(second), key) == (isInFirst || isInSecond))
        #expect(contains(first.intersection(second), key) == (isInFirst && isInSecond))
        #expect(contains(first.complement, key) == !isInFirst)
      }
      #expect(first.complement.complement == first)
      for (left, right) in zip(first.ranges, first.ranges.dropFirst()) {
        #expect(left.end.map { $0 < right.start } ?? false)
      }
    }
  }

  @Test func `Ranges of one key, of all values and of nil contain exactly these keys`() {
    let one = IndexRanges([IndexRange(IndexKey(3))])
    #expect(keys.filter { contains(one, $0) } == [IndexKey(3)])
    #expect(keys.filter { contains(.values, $0) } == Array(keys.dropFirst()))
    #expect(keys.filter { contains(.null, $0) } == [.null])
    #expect(IndexRanges.null.complement == .values)
    #expect(!one.inexact.isExact && !one.inexact.union(.null).isExact && !one.inexact.complement.isExact)
  }
}

@Suite struct `Index keys` {
  @Test func `Index keys are in the order of their numbers`() {
    let integers = [Int.min, -300, -1, 0, 1, 255, 256, .max]
    #expect(integers.map { IndexKey($0) } == integers.map { IndexKey($0) }.sorted())
    let numbers = [-Double.infinity, -1e300, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.5, 1, 1e300]
    #expect(numbers.compactMap { IndexKey($0) } == numbers.compactMap { IndexKey($0) }.sorted())
    #expect(IndexKey(-0.0) == IndexKey(0.0))
    #expect(IndexKey(Double.nan) == nil)
    #expect(IndexKey.null < IndexKey(Int.min))
  }

  @Test func `Index keys of texts are in the order of the Unicode scalars`() {
    let texts = [
      "", "\u{0}", "\u{0}\u{0}", "a", "a\u{0}", "aa", "abcdefg", "abcdefgh", "abcdefgh\u{0}", "abcdefghi", "b",
      "e\u{301}", "é", "\u{FFFF}", "\u{1F40D}",
    ]
    let keys = texts.map { IndexKey($0) }
    #expect(keys == keys.sorted())
    #expect(Set(keys).count == texts.count)
    #expect(IndexKey.null < keys[0])
  }
}

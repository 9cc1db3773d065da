import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

@Suite struct `An ordered index` {
  private typealias Entry = (key: IndexKey, place: Int)

  private func sorted(_ entries: [Entry]) -> [Entry] { entries.sorted { ($0.key, $0.place) < ($1.key, $1.place) } }

  private func isIn(_ key: IndexKey, _ range: IndexRange) -> Bool {
    range.start < .after(key) && range.end.map { .before(key) < $0 } ?? true
  }

  private func key(_ random: inout RandomSource) -> IndexKey {
    switch random.next() % 8 {
    case 0: .null
    case 1:
      IndexKey(["", "a", "a\u{0}", "aaaaaaaa", "aaaaaaaab", "aaaaaaaa\u{0}", "é"].randomElement(using: &random) ?? "")
    default: IndexKey(Int.random(in: -20...200, using: &random))
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `An ordered index equals a sorted list after random changes`(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var index = OrderedIndex()
    var entries: [Entry] = []
    for round in 0..<4_000 {
      // The index grows, and later shrinks until it is empty.
      if round < 2_000 || entries.isEmpty ? random.next() % 4 != 0 || entries.isEmpty : random.next() % 8 == 0 {
        let entry = (key: key(&random), place: round)
        index.insert(entry.key, entry.place)
        entries.append(entry)
      } else {
        let entry = entries.remove(at: Int.random(in: entries.indices, using: &random))
        if round % 2 == 0 { index.remove(entry.key, entry.place) } else { index.remove(entry.place) }
      }
      guard round % 50 == 0 else { continue }
      let expected = sorted(entries)
      #expect(index.count == expected.count)
      #expect(index.places(in: .all) == expected.map(\.place))
      let bounds = [key(&random), key(&random)].sorted()
      let range = IndexRange(
        random.next() % 2 == 0 ? .before(bounds[0]) : .after(bounds[0]),
        random.next() % 4 == 0 ? nil : random.next() % 2 == 0 ? .before(bounds[1]) : .after(bounds[1]))
      let ranges = IndexRanges([range])
      let found = expected.filter { isIn($0.key, range) }
      #expect(index.places(in: ranges) == found.map(\.place))
      #expect(index.count(in: ranges) == found.count)
      #expect(index.first(bounds[0]) == expected.first { $0.key == bounds[0] }?.place)
      var backwards: [Int] = []
      index.forEach(in: ranges, isDescending: true) { place, _ in
        backwards.append(place)
        return true
      }
      let descending = found.sorted { $0.key == $1.key ? $0.place < $1.place : $1.key < $0.key }
      #expect(backwards == descending.map(\.place))
    }
  }

  @Test func `An ordered index created from many entries equals one that grew entry by entry`() {
    var random = RandomSource(seed: 9)
    let entries = (0..<3_000).map { (key: Optional(key(&random)), place: $0) }
    var grown = OrderedIndex()
    for entry in entries { grown.insert(entry.key, entry.place) }
    let made = OrderedIndex(entries)
    #expect(made.places(in: .all) == grown.places(in: .all))
    #expect(made.count(in: .values) == grown.count(in: .values))
  }

  @Test func `A copy of an ordered index is a snapshot that later changes do not affect`() {
    var index = OrderedIndex((0..<1_000).map { (key: IndexKey($0), place: $0) })
    let copy = index
    for number in 0..<1_000 { index.remove(IndexKey(number), number) }
    #expect(index.count == 0)
    #expect(copy.places(in: .all) == Array(0..<1_000))
  }

  @Test func `A walk through an ordered index ends on request, and reports where each key begins`() {
    let index = OrderedIndex([1, 1, 2, 2, 3].enumerated().map { (key: IndexKey($1), place: $0) })
    var seen: [String] = []
    let isComplete = index.forEach(in: .all, isDescending: true) { place, isNewKey in
      seen.append(isNewKey ? "|\(place)" : "\(place)")
      return seen.count < 4
    }
    #expect(seen == ["|4", "|2", "3", "|0"])
    #expect(!isComplete)
  }

  @Test func `An ordered index is incomplete as long as a value can't be read`() {
    var index = OrderedIndex([(key: IndexKey(1), place: 0)])
    #expect(index.isComplete)
    index.insert(nil, 1)
    #expect(!index.isComplete)
    #expect(index.count == 2)
    index.remove(nil, 1)
    #expect(index.isComplete)
  }

  @Test func `An ordered index finds the first duplicate value, and ignores nil`() {
    #expect(
      OrderedIndex([nil, nil, 1, 2].enumerated().map { (key: $1.map { IndexKey($0) } ?? .null, place: $0) })
        .firstDuplicate == nil)
    let duplicate = OrderedIndex([3, 1, 3].enumerated().map { (key: IndexKey($1), place: $0) }).firstDuplicate
    #expect(duplicate?.place == 2)
    #expect(duplicate?.other == 0)
  }
}

import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

@Suite struct `A walk through an ordered index` {
  @Test(arguments: [1, 2, 3] as [UInt64], [false, true])
  func `A walk from any record, or after any number of records, is the rest of the whole walk`(
    seed: UInt64, isDescending: Bool
  ) {
    var random = RandomSource(seed: seed)
    var index = OrderedIndex()
    for place in 0..<600 { index.insert(random.next() % 9 == 0 ? .null : IndexKey(Int(random.next() % 40)), place) }
    let ranges = IndexRanges([
      IndexRange(.start, .before(IndexKey(12))), IndexRange(.after(IndexKey(15)), .before(IndexKey(37))),
    ])
    func walk(from start: IndexStart?) -> [Int] {
      var places: [Int] = []
      index.forEach(in: ranges, isDescending: isDescending, from: start) { place, _ in
        places.append(place)
        return true
      }
      return places
    }
    let all = walk(from: nil)
    #expect(all.count == index.count(in: ranges))
    for count in stride(from: 0, to: all.count, by: 7) {
      var number = count
      let start = index.start(number: &number, in: ranges, isDescending: isDescending)
      #expect(walk(from: start) == Array(all[count...]), "after \(count)")
    }
    var number = all.count + 3
    #expect(index.start(number: &number, in: ranges, isDescending: isDescending) == nil)
    #expect(number == 3)
  }
}

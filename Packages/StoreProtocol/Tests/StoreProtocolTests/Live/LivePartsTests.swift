import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol

@Suite struct `The parts of live results` {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(
    arguments: [
      (#"{"a":1,"b":"x"}"#, #"{"a":1,"b":"x"}"#, []), (#"{"a":1,"b":"x"}"#, #"{"a":2,"b":"x"}"#, ["a"]),
      (#"{"a":1,"b":"x"}"#, #"{"a":1,"b":"y","c":null}"#, ["b", "c"]), (#"{"b":1,"a":1}"#, #"{"a":1,"b":2}"#, ["b"]),
      (#"{"a":{"b":[1]}}"#, #"{"a":{"b":[2]}}"#, ["a"]), (#"{"a":1}"#, "{}", ["a"]), ("{}", "{}", []),
    ] as [(String, String, [String])])
  func `The difference of two records lists the keys whose values differ`(
    before: String, after: String, keys: [String]
  ) {
    #expect(RecordDifference.keys(bytes(before), bytes(after)) == keys)
  }

  @Test func `The difference from a broken record is unknown`() {
    #expect(RecordDifference.keys(bytes("{}"), bytes("no JSON")) == nil)
  }

  @Test func `Ordered places keep numbers in order as an array does`() {
    var random = SystemRandomNumberGenerator()
    var keys: [Int] = []
    func isBefore(_ left: Int, _ right: Int) -> Bool { (keys[left], left) < (keys[right], right) }
    var ordered = OrderedNumbers()
    var plain: [Int] = []
    for round in 0..<4_000 {
      if round % 4 == 3, let gone = plain.randomElement(using: &random) {
        #expect(ordered.remove(gone, isBefore) == plain.firstIndex(of: gone))
        plain.removeAll { $0 == gone }
      } else {
        keys.append(Int.random(in: 0..<500, using: &random))
        let place = keys.count - 1
        let rank = plain.firstIndex { isBefore(place, $0) } ?? plain.count
        plain.insert(place, at: rank)
        #expect(ordered.insert(place, isBefore) == rank)
        #expect(ordered.rank(of: place, isBefore) == rank)
      }
    }
    #expect(ordered.count == plain.count)
    #expect(ordered.places(0..<plain.count) == plain)
    #expect(ordered.places(700..<900) == Array(plain[700..<900]))
  }

  @Test func `A change feed does not notify a consumer that was released`() async {
    let feed = StoreChangeFeed()
    weak var mailbox: FeedMailbox?
    do {
      let box = FeedMailbox(capacity: 10, overflow: .drop)
      mailbox = box
      let subscription = feed.subscribe(box, [FeedInterest(typeName: "Person")])
      feed.publish([RecordChange(.created, "Person", "1"), RecordChange(.created, "Company", "1")])
      let mail = box.take()
      #expect(mail.batches.map { $0.map(\.change.typeName) } == [["Person"]])
      withExtendedLifetime(subscription) {}
    }
    #expect(mailbox == nil)
    #expect(!feed.isObserved)
    feed.publish([RecordChange(.created, "Person", "2")])
    #expect(feed.deliveryCount == 1)
  }

  @Test func `A change feed ends when the store is closed, after the changes that were written before`() async {
    let feed = StoreChangeFeed()
    let box = FeedMailbox(capacity: 10, overflow: .drop)
    let subscription = feed.subscribe(box, [FeedInterest(typeName: "Person")])
    feed.append([RecordChange(.created, "Person", "1")])
    feed.finish()
    await box.wait(isolation: nil)
    let mail = box.take()
    #expect(mail.batches.count == 1)
    #expect(mail.isEnded)
    withExtendedLifetime(subscription) {}
  }

  /// Changes of one record.
  private func changes(_ count: Int, size: Int = 10) -> [RoutedChange] {
    (0..<count).map { number in
      let change = RecordChange(.updated, "Person", "1", before: nil, after: Array(repeating: 0x20, count: size))
      return RoutedChange(change: change, keys: nil, position: UInt64(number))
    }
  }

  @Test func `A mailbox without capacity keeps only that something changed`() {
    let box = FeedMailbox(capacity: 0, overflow: .collapse)
    _ = box.put(changes(1))
    _ = box.put(changes(1))
    let mail = box.take()
    #expect(mail.hasGap)
    #expect(mail.batches.isEmpty)
  }

  @Test func `A mailbox collapses when its records are too large together`() {
    let box = FeedMailbox(capacity: 100, maximumByteCount: 1_000, overflow: .collapse)
    _ = box.put(changes(5, size: 100))
    _ = box.put(changes(5, size: 100))
    #expect(box.take().batches.count == 2)
    _ = box.put(changes(5, size: 100))
    _ = box.put(changes(6, size: 100))
    let mail = box.take()
    #expect(mail.hasGap)
    #expect(mail.batches.isEmpty)
    _ = box.put(changes(5, size: 100))
    #expect(!box.take().hasGap)
  }

  @Test func `A mailbox whose capacity is reduced collapses if it has more`() {
    let box = FeedMailbox(capacity: 10, overflow: .collapse)
    _ = box.put(changes(4))
    box.setCapacity(4)
    #expect(box.take().batches.count == 1)
    _ = box.put(changes(4))
    box.setCapacity(3)
    #expect(box.take().hasGap)
    box.setCapacity(4)
    _ = box.put(changes(4))
    #expect(box.take().batches.count == 1)
  }
}

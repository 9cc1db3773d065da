@_spi(ModelKitInternals) import ModelCore

/// Everything that a query matches, in its order: identifiers and sort keys, and models for what is shown.
final class LiveTable<M: Model> {
  private var places: [ExactText: Int] = [:]
  private(set) var identifiers: [String] = []
  /// A number that rises with each creation.
  private var orders: [UInt64] = []
  /// The models that are shown.
  private(set) var models: [M?] = []
  /// Up to which batch of the feed they have everything since they were read.
  private var readPositions: [UInt64] = []
  private var free: [Int] = []
  private var freed: [Int] = []
  private let sorter: QuerySorter?
  private var order = OrderedNumbers()
  /// How many at the beginning of the order are as they were since ``beginChanges()``, and how many at the end.
  private(set) var (sameHead, sameTail) = (Int.max, Int.max)

  private var countBefore = 0

  init(sorter: QuerySorter?) { self.sorter = sorter }

  var count: Int { order.count }

  /// Whether there are as many as before the changes.
  var sameCount: Bool { order.count == countBefore }

  func place(of identifier: String) -> Int? { places[ExactText(identifier)] }

  func places(_ ranks: Range<Int>) -> [Int] { order.places(ranks) }

  func rank(of place: Int) -> Int { order.rank(of: place, isBefore) }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    if let sorter {
      let comparison = sorter.compare(left, right)
      if comparison != 0 { return comparison < 0 }
    }
    return orders[left] < orders[right]
  }

  // MARK: Filling

  /// Adds a row whose keys were just added to the sorter. ``sort()`` puts all in order.
  func append(_ identifier: String, _ order: UInt64) {
    places[ExactText(identifier)] = identifiers.count
    identifiers.append(identifier)
    orders.append(order)
    models.append(nil)
    readPositions.append(0)
  }

  /// Shows a model that was read when the feed was at a position, or shows none.
  func show(_ model: M?, at place: Int, readAt position: UInt64 = 0) {
    models[place] = model
    readPositions[place] = position
  }

  /// Whether what is shown of a record is older than a commit.
  func isShown(_ identifier: String, asBefore position: UInt64) -> Bool {
    guard let place = places[ExactText(identifier)], models[place] != nil else { return false }
    return readPositions[place] < position
  }

  func sort() {
    order = OrderedNumbers(sorted: identifiers.indices.sorted(by: isBefore))
  }

  // MARK: Changing

  func beginChanges() {
    (sameHead, sameTail) = (.max, .max)
    countBefore = order.count
    free += freed
    freed = []
  }

  private func note(_ rank: Int, _ count: Int) {
    sameHead = min(sameHead, rank)
    sameTail = min(sameTail, count - 1 - rank)
  }

  /// Adds a row whose keys were just added to the sorter.
  func insert(_ identifier: String, _ order: UInt64) {
    let place: Int
    if let reused = free.popLast() {
      place = reused
      identifiers[place] = identifier
      orders[place] = order
      sorter?.moveLast(to: place)
    } else {
      place = identifiers.count
      identifiers.append(identifier)
      orders.append(order)
      models.append(nil)
      readPositions.append(0)
    }
    places[ExactText(identifier)] = place
    note(self.order.insert(place, isBefore), self.order.count)
  }

  /// Takes a row out. Its place is not used again until the changes are over.
  func remove(_ place: Int) {
    let count = order.count
    note(order.remove(place, isBefore), count)
    places[ExactText(identifiers[place])] = nil
    freed.append(place)
  }

  /// Discards the model of a row, so that it is created again.
  func dropModel(_ place: Int) {
    show(nil, at: place)
    note(order.rank(of: place, isBefore), order.count)
  }

  /// Gives a row the keys that were just added to the sorter.
  func takeKeys(_ place: Int) {
    let count = order.count
    let old = order.remove(place, isBefore)
    sorter?.moveLast(to: place)
    let new = order.insert(place, isBefore)
    guard new != old else { return }
    note(old, count)
    note(new, count)
  }
}

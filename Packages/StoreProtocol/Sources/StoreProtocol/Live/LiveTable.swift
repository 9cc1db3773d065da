@_spi(ModelKitInternals) import ModelCore

/// All matches of a query, in its order: their identifiers and sort keys, and the models of the shown ones.
final class LiveTable<M: Model> {
  private var places: [ExactText: Int] = [:]
  private(set) var identifiers: [String] = []
  /// A number that increases with each creation.
  private var orders: [UInt64] = []
  /// The shown models.
  private(set) var models: [M?] = []
  /// The last batch of the feed that each model contains.
  private var readPositions: [UInt64] = []
  private var free: [Int] = []
  private var freed: [Int] = []
  private let sorter: QuerySorter?
  private var order = OrderedNumbers()
  /// The numbers of unchanged rows at the beginning and at the end of the order since ``beginChanges()``.
  private(set) var (sameHead, sameTail) = (Int.max, Int.max)

  private var countBefore = 0

  init(sorter: QuerySorter?) { self.sorter = sorter }

  var count: Int { order.count }

  /// Whether the number of rows is the same as before the changes.
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

  /// Adds a row whose keys were just added to the sorter. ``sort()`` sorts all rows.
  func append(_ identifier: String, _ order: UInt64) {
    places[ExactText(identifier)] = identifiers.count
    identifiers.append(identifier)
    orders.append(order)
    models.append(nil)
    readPositions.append(0)
  }

  /// Sets the model of a row, read at a position of the feed; nil to show none.
  func show(_ model: M?, at place: Int, readAt position: UInt64 = 0) {
    models[place] = model
    readPositions[place] = position
  }

  /// Returns whether the shown model of a record is older than a commit.
  func isShown(_ identifier: String, asBefore position: UInt64) -> Bool {
    guard let place = places[ExactText(identifier)], models[place] != nil else { return false }
    return readPositions[place] < position
  }

  /// Sorts the rows. A record that was deleted and created again during the read has two, of which the last one counts.
  func sort() {
    let rows = identifiers.indices.filter { places[ExactText(identifiers[$0])] == $0 }
    order = OrderedNumbers(sorted: rows.sorted(by: isBefore))
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

  /// Removes a row. Its index is not reused until the end of the changes.
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

  /// Replaces the keys of a row by those that were just added to the sorter.
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

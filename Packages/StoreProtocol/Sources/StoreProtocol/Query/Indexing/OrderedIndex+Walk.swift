/// The record of an index with which a walk begins.
@_spi(ModelKitInternals)
public struct IndexStart: Hashable, Sendable {
  /// The key of the record.
  let key: IndexKey
  /// The place of the record: see `OrderedIndex`.
  let place: Int

  /// Creates a start.
  init(key: IndexKey, place: Int) {
    self.key = key
    self.place = place
  }
}

extension OrderedIndex {
  /// Visits the records with keys in ranges, by key, until the body returns false.
  ///
  /// - Parameters:
  ///   - ranges: the ranges.
  ///   - isDescending: whether large values come first. Records with equal values are in the order of the records
  ///     anyway.
  ///   - start: the first record, which need not be in the index any more; nil for the beginning.
  ///   - body: receives a place, and whether its key differs from that of the previous place.
  /// - Returns: whether all records were visited.
  @discardableResult
  public func forEach(
    in ranges: IndexRanges, isDescending: Bool = false, from start: IndexStart? = nil,
    _ body: (_ place: Int, _ isNewKey: Bool) throws -> Bool
  ) rethrows -> Bool {
    if isDescending {
      for range in ranges.ranges.reversed() where try !backwards(range, from: start, body) { return false }
    } else {
      let first = start.map { position(of: Entry(key: $0.key, place: $0.place)) }
      for range in ranges.ranges {
        let begin = position(of: range.start)
        let from = first.map { max($0, begin) } ?? begin
        guard try go(from: from, to: position(ofEnd: range.end), body) else { return false }
      }
    }
    return true
  }

  private func backwards(
    _ range: IndexRange, from begin: IndexStart?, _ body: (Int, Bool) throws -> Bool
  ) rethrows -> Bool {
    let start = position(of: range.start)
    var end = position(ofEnd: range.end)
    if let begin { end = min(end, position(of: .after(begin.key))) }
    while start < end, let last = entry(before: end) {
      // Keys are visited in reverse, but the records of each key from the first to the last.
      let first = max(start, position(of: .before(last.key)))
      let from = begin.map {
        $0.key == last.key ? max(first, position(of: Entry(key: $0.key, place: $0.place))) : first
      }
      guard try go(from: from ?? first, to: end, body) else { return false }
      end = first
    }
    return true
  }

  /// Returns the record with a number in a walk.
  ///
  /// - Parameters:
  ///   - number: the number of the record. If the ranges have too few records, it is reduced by the number of these.
  ///   - ranges: the ranges.
  ///   - isDescending: whether large values come first.
  /// - Complexity: O(log *n*), plus a small fraction of the number of records.
  func start(number: inout Int, in ranges: IndexRanges, isDescending: Bool) -> IndexStart? {
    for range in isDescending ? ranges.ranges.reversed() : ranges.ranges {
      let (begin, end) = (position(of: range.start), position(ofEnd: range.end))
      let count = distance(from: begin, to: end)
      if number >= count {
        number -= count
        continue
      }
      guard isDescending else { return entry(at: position(begin, advancedBy: number)).map(IndexStart.init) }
      guard let key = entry(at: position(begin, advancedBy: count - 1 - number))?.key else { return nil }
      let passed = distance(from: position(of: .after(key)), to: end)
      return entry(at: position(max(begin, position(of: .before(key))), advancedBy: number - passed)).map(
        IndexStart.init)
    }
    return nil
  }

  private func position(_ position: Position, advancedBy count: Int) -> Position {
    var result = Position(leaf: position.leaf, number: position.number + count)
    while result.leaf < leaves.count, result.number >= leaves[result.leaf].count {
      result.number -= leaves[result.leaf].count
      result.leaf += 1
    }
    return result
  }
}

extension IndexStart {
  fileprivate init(_ entry: OrderedIndex.Entry) { self.init(key: entry.key, place: entry.place) }
}

@_spi(ModelKitInternals)
extension QueryPlan {
  /// Visits records in the order of an index, until the body returns false.
  ///
  /// - Parameters:
  ///   - indexes: the indexes for which the plan was made, in their order.
  ///   - start: the first record, which need not be in the index any more; nil for the beginning.
  ///   - body: receives a record, and whether its key differs from that of the previous record.
  public func forEachInOrder(
    _ indexes: [OrderedIndex], from start: IndexStart? = nil,
    _ body: (_ place: Int, _ isNewKey: Bool) throws -> Bool
  ) rethrows {
    guard let order else { return }
    var isPast = start == nil
    for part in order.parts {
      // Nil and values are separate parts, one of which contains the start.
      let isHere = !isPast && part.isNull == start?.key.isNull
      if !isPast, !isHere { continue }
      isPast = true
      guard
        try indexes[order.index].forEach(
          in: part.ranges, isDescending: order.isDescending, from: isHere ? start : nil, body)
      else { return }
    }
  }

  /// Returns the record with which a walk begins, and the number of matches that it skips.
  ///
  /// The skipped records are matches within the offset, or are before the position. Where further criteria order
  /// records with the same key, the walk begins with the first of these.
  ///
  /// - Parameters:
  ///   - position: the position after which the walk begins; nil for the beginning.
  ///   - offset: the number of matches that the query skips.
  ///   - indexes: the indexes for which the plan was made, in their order.
  /// - Complexity: O(log *n*), plus a small fraction of the number of records.
  public func start(
    after position: QueryPosition?, offset: Int, in indexes: [OrderedIndex]
  ) -> (start: IndexStart?, skippedCount: Int) {
    guard let order else { return (nil, 0) }
    if let position {
      guard let key = position.values.first.flatMap(fields[order.index].reader.key(of:)) else { return (nil, 0) }
      return (IndexStart(key: key, place: order.isPartial ? .min : position.order + 1), 0)
    }
    guard isExact, offset > 0 else { return (nil, 0) }
    let index = indexes[order.index]
    var rest = offset
    for part in order.parts {
      let before = rest
      guard let start = index.start(number: &rest, in: part.ranges, isDescending: order.isDescending) else { continue }
      guard order.isPartial else { return (start, offset) }
      let ranges = part.ranges.intersection(order.before(start.key))
      return (IndexStart(key: start.key, place: .min), offset - before + index.count(in: ranges))
    }
    // There are fewer matches than the offset: a walk through all of them finds nothing.
    return (nil, 0)
  }
}

extension QueryPlan.Order {
  /// The ranges of nil and of values, in the order of the query.
  var parts: [(isNull: Bool, ranges: IndexRanges)] {
    let (values, null) = ((false, ranges.intersection(.values)), (true, ranges.intersection(.null)))
    return nils == .first ? [null, values] : [values, null]
  }

  /// Returns the keys of the same part that come before a key in the order of the query.
  func before(_ key: IndexKey) -> IndexRanges {
    isDescending
      ? IndexRanges([IndexRange(.after(key), nil)]) : IndexRanges([IndexRange(.start, .before(key))])
  }
}

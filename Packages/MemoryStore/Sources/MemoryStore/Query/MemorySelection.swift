@_spi(ModelKitInternals) import StoreProtocol

/// The records that a query has to test, all from one snapshot.
struct MemorySelection {
  enum Records {
    /// All records of the type.
    case all(MemoryRows)
    /// The matches of indexes in the order of their creation, and for pages their numbers in that order.
    case some([MemoryRow], orders: [Int]?)
    /// The records in the order of an index, from a start position.
    case inOrder(MemoryRows, [OrderedIndex], start: IndexStart?)
  }

  let plan: QueryPlan
  let records: Records
  /// The number of omitted records, which the offset of the query skips.
  var skippedCount = 0
  /// Whether the order of the plan is only reported, because the records have another order.
  var isMerged = false

  /// Tests the records until the query has enough matches.
  ///
  /// - Parameters:
  ///   - run: the query.
  ///   - place: the first position of a scan of all records.
  ///   - isPaged: whether to return the numbers of the records in the order of creation.
  /// - Returns: the matches in the order of the query, the number of tested records, and the numbers of the matches.
  ///   Nil if the order of the index yields too few matches.
  func run<M: Model>(
    _ run: QueryRun<M>, from place: Int = 0, isPaged: Bool = false
  ) throws -> (rows: [MemoryRow], testedCount: Int, orders: [Int])? {
    var found: [MemoryRow] = []
    var orders: [Int] = []
    var testedCount = 0
    var isTooLong = false
    if run.isFinished { return ([], 0, []) }
    func take(_ row: MemoryRow, at order: Int) throws -> Bool {
      testedCount += 1
      let (progress, place) = try run.take(row.bytes, at: order)
      if let place {
        found.put(row, at: place)
        if isPaged { orders.put(order, at: place) }
      }
      return progress == .continues
    }
    switch records {
    case .all(let rows):
      if isPaged || place > 0 {
        try rows.forEach(from: place, while: take)
      } else {
        try rows.forEach { try take($0, at: 0) }
      }
    case .some(let rows, let orders):
      for (number, row) in rows.enumerated() where try !take(row, at: orders?[number] ?? 0) { break }
    case .inOrder(let rows, let indexes, let start):
      try plan.forEachInOrder(indexes, from: start) { place, isNewKey in
        if isNewKey, run.canStopAtNextKey { return false }
        isTooLong = run.isOrderTooLong(after: testedCount)
        return try !isTooLong && (rows[place].map { try take($0, at: place) } ?? true)
      }
    }
    if isTooLong { return nil }
    let places = run.finish()
    return (places.map { found[$0] }, testedCount, isPaged ? places.map { orders[$0] } : [])
  }
}

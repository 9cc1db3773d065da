@_spi(ModelKitInternals) import StoreProtocol

/// The records that a query has to look at, as of one moment.
struct MemoryFinding {
  enum Records {
    /// All of the type.
    case all(MemoryRows)
    /// Those that indexes lead to, in the order of their creation.
    case some([MemoryRow])
    /// Those that come out of an index in its order.
    case inOrder(MemoryRows, [OrderedIndex])
  }

  let plan: QueryPlan
  let records: Records

  /// Looks at the records, one after the other, until the query has what it asks for.
  ///
  /// - Returns: the records that were found, in the order asked for, and how many were looked at.
  func run<M: Model>(_ run: QueryRun<M>) throws -> (rows: [MemoryRow], lookedAt: Int) {
    var found: [MemoryRow] = []
    var lookedAt = 0
    if run.isFinished { return ([], 0) }
    func take(_ row: MemoryRow) throws -> Bool {
      lookedAt += 1
      let (progress, place) = try run.take(row.bytes)
      if let place { found.put(row, at: place) }
      return progress == .goesOn
    }
    switch records {
    case .all(let rows): try rows.forEach(while: take)
    case .some(let rows): for row in rows where try !take(row) { break }
    case .inOrder(let rows, let indexes):
      try plan.forEachInOrder(indexes) { place, isNewKey in
        if isNewKey, run.isFinishedBeforeNewKey { return false }
        return try rows[place].map(take) ?? true
      }
    }
    return (run.finish().map { found[$0] }, lookedAt)
  }
}

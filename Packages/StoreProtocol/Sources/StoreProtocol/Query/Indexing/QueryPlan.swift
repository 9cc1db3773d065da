/// The plan by which a store finds the records of a query: the used indexes, and the number of records to test.
///
/// ```swift
/// let query = ModelQuery(
///   Person.self, where: { $0.age >= 18 }, sort: [.ascending(\.age)], limit: 10)
/// print(try await store.explain(query).plan)
/// // in the order of the index of age, 10 of 40 records
/// ```
public struct QueryPlan: Hashable, Sendable, CustomStringConvertible {
  /// An access path: the way in which records are found.
  indirect enum Access: Hashable, Sendable {
    /// A scan of all records.
    case all
    /// The keys of an index, which is given by its number.
    case index(Int, IndexRanges)
    /// The records that have a key in each of the ranges of an index of words, which is given by its number.
    case words(Int, [IndexRanges])
    /// The union of the records of these paths.
    case either([Access])
    /// The intersection of the records of these paths.
    case both([Access])
  }

  /// An index with the order of the query.
  struct Order: Hashable, Sendable {
    let index: Int
    let ranges: IndexRanges
    let isDescending: Bool
    let nils: QueryOrder.Nils
    /// Whether further criteria order the records with the same key.
    let isPartial: Bool
    /// The number of records that can be tested in this order before it costs less to read and sort the matches of
    /// other indexes. Nil if every record in the ranges is a match.
    let budget: Int?
  }

  let access: Access
  let order: Order?
  /// Whether the condition holds for all records of the access path, so that none has to be tested.
  @_spi(ModelKitInternals) public let isExact: Bool
  /// Whether the query has another order than that of creation.
  let isSorted: Bool
  /// The fields of all indexes, by the numbers of the indexes.
  let fields: [StoredKeyPath]

  /// The largest number of records to test or, where that is not known, an estimate.
  public let estimatedCount: Int
  /// The number of all records.
  public let totalCount: Int

  /// The fields whose indexes are used, in the order of use. An index of words has the name of its field with `.text`.
  public var usedIndexes: [String] {
    var numbers: [Int] = []
    func visit(_ access: Access) {
      switch access {
      case .all: break
      case .index(let number, _), .words(let number, _): if !numbers.contains(number) { numbers.append(number) }
      case .either(let parts), .both(let parts): parts.forEach(visit)
      }
    }
    if let order { numbers.append(order.index) } else { visit(access) }
    return numbers.map { fields[$0].description }
  }

  /// Whether an index has the records in the order of the query.
  public var isSortedByIndex: Bool { order != nil }

  /// Whether the plan is a scan of all records.
  public var isFullScan: Bool { access == .all && order == nil }

  /// A description of the plan in words.
  public var description: String {
    let count = estimatedCount == totalCount ? "all \(totalCount)" : "\(estimatedCount) of \(totalCount)"
    if let order { return "in the order of the index of \(fields[order.index]), \(count) records" }
    if isFullScan { return "\(count) records one after the other" }
    return "by \(text(of: access)), \(count) records"
  }

  private func text(of access: Access) -> String {
    switch access {
    case .all: "nothing"
    case .index(let number, _), .words(let number, _): "the index of \(fields[number])"
    case .either(let parts): parts.isEmpty ? "nothing" : parts.map(text).joined(separator: " or ")
    case .both(let parts): parts.map(text).joined(separator: " and ")
    }
  }
}

@_spi(ModelKitInternals)
extension QueryPlan {
  /// Whether the matches of the indexes are the result of the query in its order, apart from limit and offset. No
  /// record has to be tested then.
  public var isAnswer: Bool { isExact && !isSorted }

  /// Returns the plan of a store that scans all records.
  public static func all(_ count: Int) -> QueryPlan {
    QueryPlan(
      access: .all, order: nil, isExact: false, isSorted: false, fields: [], estimatedCount: count, totalCount: count)
  }

  /// Returns the plan of a store whose engine selected records by itself.
  ///
  /// - Parameters:
  ///   - count: the number of selected records.
  ///   - isExact: whether the condition holds for all of them.
  package static func selected(_ count: Int, isExact: Bool) -> QueryPlan {
    QueryPlan(
      access: .all, order: nil, isExact: isExact, isSorted: false, fields: [], estimatedCount: count, totalCount: count)
  }

  /// Returns the plan of a store that uses the same access path, and tests its records and others against the
  /// condition.
  ///
  /// - Parameter count: the number of records that it tests.
  public func testing(_ count: Int) -> QueryPlan {
    QueryPlan(
      access: access, order: order, isExact: false, isSorted: isSorted, fields: fields, estimatedCount: count,
      totalCount: max(count, totalCount))
  }

  /// Returns the records to test, in the order of their creation.
  ///
  /// - Parameter indexes: the indexes for which the plan was made, in their order.
  /// - Returns: nil if all records have to be tested, or if they have to be visited in the order of an index.
  public func places(in indexes: [OrderedIndex]) -> [Int]? {
    if order != nil { return nil }
    switch access {
    case .all: return nil
    case .index(let number, let ranges):
      let places = indexes[number].places(in: ranges)
      // Records with the same key are in order already.
      return ranges.isOneKey ? places : places.sorted()
    case .words(let number, let parts): return indexes[number].places(inAll: parts)
    default: return Self.set(access, indexes)?.sorted()
    }
  }

  private static func set(_ access: Access, _ indexes: [OrderedIndex]) -> Set<Int>? {
    switch access {
    case .all: return nil
    case .index(let number, let ranges): return Set(indexes[number].places(in: ranges))
    case .words(let number, let parts): return Set(indexes[number].places(inAll: parts))
    case .either(let parts):
      return parts.reduce(into: Set()) { all, part in all.formUnion(set(part, indexes) ?? []) }
    case .both(let parts):
      let sets = parts.compactMap { set($0, indexes) }.sorted { $0.count < $1.count }
      guard let first = sets.first else { return nil }
      return sets.dropFirst().reduce(first) { $0.intersection($1) }
    }
  }

  /// Returns the records to test, in the order of their creation. Records before a position and matches within the
  /// offset are skipped.
  ///
  /// - Parameters:
  ///   - indexes: the indexes for which the plan was made, in their order.
  ///   - position: the position after which records are found.
  ///   - offset: the number of matches that the query skips.
  /// - Returns: the records, and the number of skipped matches; nil as for ``places(in:)``.
  public func places(
    in indexes: [OrderedIndex], after position: QueryPosition?, offset: Int
  ) -> (places: ArraySlice<Int>, skippedCount: Int)? {
    guard let places = places(in: indexes) else { return nil }
    if isSorted { return (places[...], 0) }
    if let position { return (places[places.firstIndex(ofSorted: { $0 > position.order })...], 0) }
    let skippedCount = isExact ? min(offset, places.count) : 0
    return (places.dropFirst(skippedCount), skippedCount)
  }

  /// Returns the number of records that the query finds without limit and offset; nil if records have to be read for
  /// it.
  public func exactCount(in indexes: [OrderedIndex]) -> Int? {
    guard isExact else { return nil }
    if let order { return indexes[order.index].count(in: order.ranges) }
    if case .index(let number, let ranges) = access { return indexes[number].count(in: ranges) }
    if case .words(let number, let parts) = access {
      let isOneKey = parts.count == 1 && parts[0].isOneKey
      return isOneKey ? indexes[number].count(in: parts[0]) : indexes[number].places(inAll: parts).count
    }
    return Self.set(access, indexes)?.count
  }
}

extension [Int] {
  /// Returns the first index whose element fits, provided that all elements after it fit, too.
  fileprivate func firstIndex(ofSorted fits: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if fits(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension IndexRanges {
  var isOneKey: Bool {
    guard ranges.count == 1, let end = ranges[0].end else { return ranges.isEmpty }
    return ranges[0].start == .before(end.key) && end == .after(end.key)
  }
}

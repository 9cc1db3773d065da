@_spi(ModelKitInternals) import ModelCore

/// Chooses the indexes that answer a query with the fewest records to test.
///
/// The conditions about the fields are derived first, without the indexes; the choice is made when they are at hand,
/// such as inside the lock that guards them.
///
/// ```swift
/// let planner = QueryPlanner(program, fields: [ageField, nameField])
/// let plan = planner.plan(with: [ageIndex, nameIndex], totalCount: rows.count)
/// ```
@_spi(ModelKitInternals)
public struct QueryPlanner: Sendable {
  /// The conditions of a part of the query about the fields.
  private indirect enum Part {
    /// The ranges of indexed fields, by number.
    case ranges([(index: Int, ranges: IndexRanges)])
    case and([(index: Int, ranges: IndexRanges)], [Part])
    case or([(index: Int, ranges: IndexRanges)], [Part])
  }

  /// A path, and the number of records on it.
  private struct Way {
    var access: QueryPlan.Access
    var count: Int
    var isExact: Bool
  }

  private let fields: [StoredKeyPath]
  private let part: Part?
  private let hasCondition: Bool
  private var order: (index: Int, order: QueryOrder, isPartial: Bool)?
  private let end: Int
  private let limit: Int?
  /// How many records are read one after the other in the time that it takes to read one somewhere else.
  private let scatteredCost: Int
  private let isSorted: Bool
  private let canTrustKeys: Bool

  /// Derives the conditions of a query about indexed fields.
  ///
  /// - Parameters:
  ///   - program: the query.
  ///   - fields: the fields of which there are indexes.
  ///   - scatteredCost: how many records the store reads one after the other in the time that it takes to read one in the
  ///     order of an index.
  public init<M: Model>(_ program: QueryProgram<M>, fields: [StoredKeyPath], scatteredCost: Int = 1) {
    self.init(program.query, fields: fields, scatteredCost: scatteredCost)
  }

  /// Derives the conditions of a query about indexed fields, without preparing the query for records. If indexes alone
  /// answer it, that is not needed.
  ///
  /// - Parameters:
  ///   - query: the query. Whether it makes sense is checked only as far as indexes answer it: that they do only if
  ///     it does.
  ///   - fields: the fields of which there are indexes.
  ///   - scatteredCost: how many records the store reads one after the other in the time that it takes to read one in the
  ///     order of an index.
  public init<M: Model>(_ query: ModelQuery<M>, fields: [StoredKeyPath], scatteredCost: Int = 1) {
    self.fields = fields
    self.scatteredCost = scatteredCost
    part = fields.isEmpty ? nil : query.filter.map { Self.part($0, fields, depth: 1) }
    hasCondition = query.filter != nil
    end = query.end
    limit = query.limit
    isSorted = !query.sort.isEmpty
    canTrustKeys = !M.hierarchyChoosesClasses && M.isTopOfHierarchy
    order = query.sort.first.flatMap { sort in
      guard sort.order.term.form == .value else { return nil }
      return fields.firstIndex { $0.isOrdered && $0.isAbout(sort.order.term.path) }
        .map { ($0, sort.order, query.sort.count > 1) }
    }
  }

  /// The same, but for the order of an index.
  public var withoutOrder: QueryPlanner {
    var planner = self
    planner.order = nil
    return planner
  }

  /// Whether the query is sorted by a field that has an index.
  public var canFollowOrder: Bool { order != nil }

  /// Whether there are a condition and indexes, so that these may find its matches.
  public var canUseIndexes: Bool { part != nil }

  /// How many records are read one after the other in the time that it takes to sort one by the values in its bytes.
  private static let sortingCost = 8

  /// Deeper parts of a condition are left to the test of the records.
  private static let maximumDepth = 32

  /// - Complexity: O(*n* log *n*) in the size of the condition, for each field and each level.
  private static func part(_ condition: QueryExpression, _ fields: [StoredKeyPath], depth: Int) -> Part {
    if depth > maximumDepth { return .ranges([]) }
    switch condition {
    case .and(let terms):
      let parts = terms.map { part($0, fields, depth: depth + 1) }
      return .and(combined(parts, fields.count, IndexRanges.intersection(ofKnown:)), parts)
    case .or(let terms):
      let parts = terms.map { part($0, fields, depth: depth + 1) }
      return .or(combined(parts, fields.count, IndexRanges.union(ofKnown:)), parts)
    case .not(let term):
      return .ranges(
        ranges(part(term, fields, depth: depth + 1)).compactMap { index, ranges in
          // What holds for some of these values only may not hold for any of them.
          ranges.isExact ? (index: index, ranges: ranges.complement) : nil
        })
    default:
      return .ranges(
        fields.indices.compactMap { number in
          fields[number].ranges(where: condition).map { (index: number, ranges: $0) }
        })
    }
  }

  /// The ranges of each field that follow from those of the parts.
  private static func combined(
    _ parts: [Part], _ fieldCount: Int, _ combine: ([IndexRanges?]) -> IndexRanges?
  ) -> [(index: Int, ranges: IndexRanges)] {
    var known = [[IndexRanges?]](repeating: [], count: fieldCount)
    for (number, part) in parts.enumerated() {
      for (index, ranges) in ranges(part) {
        known[index] += Array(repeating: nil, count: number - known[index].count)
        known[index].append(ranges)
      }
    }
    return known.indices.compactMap { index in
      if known[index].isEmpty, !parts.isEmpty { return nil }
      let rest = Array<IndexRanges?>(repeating: nil, count: parts.count - known[index].count)
      return combine(known[index] + rest).map { (index: index, ranges: $0) }
    }
  }

  /// Makes the choice.
  ///
  /// - Parameters:
  ///   - indexes: the indexes of the fields, in their order.
  ///   - totalCount: how many records there are.
  /// - Complexity: O(log *n*) for each part of the condition, and a small part of the number of records.
  public func plan(with indexes: [OrderedIndex], totalCount: Int) -> QueryPlan {
    let found = part.flatMap { way($0, indexes) }
    let all = Way(access: .all, count: totalCount, isExact: !hasCondition)
    // To go through all in their order takes less than to gather most of them.
    let best = found.map { $0.count <= totalCount / 2 || $0.isExact ? $0 : all } ?? all
    if let ordered = inOrder(best, indexes, totalCount) { return ordered }
    let isEnoughEarly = !isSorted && best.isExact
    return QueryPlan(
      access: best.access, order: nil, isExact: canTrustKeys && best.isExact && best.access != .all, isSorted: isSorted,
      fields: fields, estimatedCount: isEnoughEarly ? min(best.count, end) : best.count, totalCount: totalCount)
  }

  /// The way through the index that has the order of the query, if it is shorter than to find and sort.
  private func inOrder(_ best: Way, _ indexes: [OrderedIndex], _ totalCount: Int) -> QueryPlan? {
    guard let order, indexes[order.index].isComplete else { return nil }
    let known = part.flatMap { Self.ranges($0).first { $0.index == order.index }?.ranges }
    let ranges = known ?? .all
    let isExact = known.map(\.isExact) ?? !hasCondition
    let count = known == nil ? totalCount : indexes[order.index].count(in: ranges)
    // The number to test until enough are found, if those that fit are spread evenly. Those that are found
    // without a look are passed over in the index.
    let share = isExact ? 1 : max(1, count / max(1, min(best.count, count)))
    let (needed, isTooMany) = (isExact && canTrustKeys ? limit ?? .max : end).multipliedReportingOverflow(by: share)
    let cost = isTooMany ? count : min(count, needed)
    // Few of many are read in as many places; to sort takes longer than to look, the more there are.
    let readingCost =
      best.access == .all
      ? best.count : min(best.count.multipliedReportingOverflow(by: scatteredCost).partialValue, totalCount)
    // How many of those that are read have to be sorted is known only without a further condition.
    let sortingCost = best.isExact && scatteredCost > 1 ? best.count * Self.sortingCost : best.count / 4
    let budget = (readingCost + sortingCost) / scatteredCost
    guard cost <= budget else { return nil }
    return QueryPlan(
      access: .all,
      order: QueryPlan.Order(
        index: order.index, ranges: ranges, isDescending: order.order.isDescending, nils: order.order.nils,
        isPartial: order.isPartial, budget: isExact ? nil : budget),
      isExact: canTrustKeys && isExact, isSorted: true, fields: fields, estimatedCount: cost, totalCount: totalCount)
  }

  private static func ranges(_ part: Part) -> [(index: Int, ranges: IndexRanges)] {
    switch part {
    case .ranges(let ranges), .and(let ranges, _), .or(let ranges, _): ranges
    }
  }

  /// The shortest way to the records of a part; nil if no index leads there.
  private func way(_ part: Part, _ indexes: [OrderedIndex]) -> Way? {
    var best = Self.ranges(part).filter { indexes[$0.index].isComplete }
      .map { number, ranges in
        Way(access: .index(number, ranges), count: indexes[number].count(in: ranges), isExact: ranges.isExact)
      }
      .min { ($0.count, $0.isExact ? 0 : 1) < ($1.count, $1.isExact ? 0 : 1) }
    // No path is shorter than one to exactly the matches; to count half an index takes a while.
    if best?.isExact == true { return best }
    switch part {
    case .ranges: break
    case .and(_, let parts):
      let ways = parts.map { way($0, indexes) }
      for case var other? in ways where other.count < best?.count ?? .max {
        other.isExact = false
        best = other
      }
      best = best.map { narrowed($0, by: ways) }
    case .or(_, let parts):
      let ways = parts.compactMap { way($0, indexes) }
      guard ways.count == parts.count else { break }
      let count = ways.reduce(0) { $0 + $1.count }
      if count < best?.count ?? .max {
        best = Way(access: .either(ways.map(\.access)), count: count, isExact: ways.allSatisfy(\.isExact))
      }
    }
    return best
  }

  /// The matches of several terms, where it takes less to intersect them than to test all of one.
  private func narrowed(_ best: Way, by ways: [Way?]) -> Way {
    guard !best.isExact, best.count > 16 else { return best }
    func isIn(_ way: Way) -> Bool {
      if case .index(let number, _) = best.access, case .index(number, _) = way.access { return true }
      return way.access == best.access
    }
    func isShort(_ way: Way) -> Bool { way.count / 4 <= best.count }
    let others = ways.compactMap { $0 }.filter { !isIn($0) && isShort($0) }
    if others.isEmpty { return best }
    return Way(
      access: .both([best.access] + others.map(\.access)), count: best.count,
      isExact: ways.allSatisfy { way in way.map { $0.isExact && (isIn($0) || isShort($0)) } ?? false })
  }
}

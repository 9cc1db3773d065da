@_spi(ModelKitInternals) import ModelCore

/// A planner that chooses the indexes by which a query has to test the fewest records.
///
/// A planner is created without indexes: it derives the conditions about their fields. It makes the choice when it gets
/// the indexes, for example inside the lock that guards them.
///
/// ```swift
/// let planner = QueryPlanner(program, fields: [ageField, nameField])
/// let plan = planner.plan(with: [ageIndex, nameIndex], totalCount: rows.count)
/// ```
@_spi(ModelKitInternals)
public struct QueryPlanner: Sendable {
  /// The conditions about indexed fields in a part of the query.
  private indirect enum Part {
    /// The ranges of indexed fields, by number.
    case ranges([(index: Int, ranges: IndexRanges)])
    /// The ranges of the words of a search, in an index of words.
    case words(index: Int, [IndexRanges])
    case and([(index: Int, ranges: IndexRanges)], [Part])
    case or([(index: Int, ranges: IndexRanges)], [Part])
  }

  /// An access path, and the number of its records.
  private struct AccessPath {
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
  /// The number of records that are read sequentially in the time of one random read.
  private let scatteredCost: Int
  private let isSorted: Bool
  private let canTrustKeys: Bool

  /// Creates a planner by deriving the conditions of a query about indexed fields.
  ///
  /// - Parameters:
  ///   - program: the query.
  ///   - fields: the indexed fields.
  ///   - scatteredCost: the number of records that the store reads sequentially in the time of one read in the order of
  ///     an index.
  public init<M: Model>(_ program: QueryProgram<M>, fields: [StoredKeyPath], scatteredCost: Int = 1) {
    self.init(program.query, fields: fields, scatteredCost: scatteredCost)
  }

  /// Creates a planner without preparing the query for records, which is not needed if indexes alone answer it.
  ///
  /// - Parameters:
  ///   - query: the query. It is not validated, but indexes alone answer only a valid query.
  ///   - fields: the indexed fields.
  ///   - scatteredCost: the number of records that the store reads sequentially in the time of one read in the order of
  ///     an index.
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

  /// The same planner, which does not use the order of an index.
  public var withoutOrder: QueryPlanner {
    var planner = self
    planner.order = nil
    return planner
  }

  /// Whether the query is sorted by a field that has an index.
  public var canFollowOrder: Bool { order != nil }

  /// Whether the query has a condition, and there are indexes that could find its matches.
  public var canUseIndexes: Bool { part != nil }

  /// The number of records that are read sequentially in the time that it takes to sort one by the values in its bytes.
  private static let sortingCost = 8

  /// The largest depth of parts of a condition for which indexes are used. Deeper parts are tested only with the
  /// records.
  private static let maximumDepth = 32

  /// Returns the conditions about indexed fields in a part of the query.
  ///
  /// - Complexity: O(*n* log *n*) in the size of the condition, for each field and each level.
  private static func part(_ condition: QueryExpression, _ fields: [StoredKeyPath], depth: Int) -> Part {
    if depth > maximumDepth { return .ranges([]) }
    switch condition {
    case .and:
      let parts = joinedTerms(condition).map { part($0, fields, depth: depth + 1) }
      return .and(combined(parts, fields.count, IndexRanges.intersection(ofKnown:)), parts)
    case .or:
      let parts = joinedTerms(condition).map { part($0, fields, depth: depth + 1) }
      return .or(combined(parts, fields.count, IndexRanges.union(ofKnown:)), parts)
    case .not(let term):
      return .ranges(
        ranges(part(term, fields, depth: depth + 1)).compactMap { index, ranges in
          // Where the term holds for only some values in its ranges, its negation can hold for the others.
          ranges.isExact ? (index: index, ranges: ranges.complement) : nil
        })
    default:
      for number in fields.indices {
        if let words = fields[number].words(where: condition) { return .words(index: number, words) }
      }
      return .ranges(
        fields.indices.compactMap { number in
          fields[number].ranges(where: condition).map { (index: number, ranges: $0) }
        })
    }
  }

  /// Returns the terms that a conjunction or a disjunction joins at any depth, in their order.
  ///
  /// A long chain of operators is a list of lists. Combining the ranges list by list would take quadratic time.
  private static func joinedTerms(_ condition: QueryExpression) -> [QueryExpression] {
    var rest = [condition]
    var joined: [QueryExpression] = []
    while let next = rest.popLast() {
      switch (condition, next) {
      case (.and, .and(let terms)), (.or, .or(let terms)): rest += terms.reversed()
      default: joined.append(next)
      }
    }
    return joined
  }

  /// Returns the ranges of each field that follow from those of the parts.
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

  /// Returns the plan with the indexes that are the best choice.
  ///
  /// - Parameters:
  ///   - indexes: the indexes of the fields, in their order.
  ///   - totalCount: the number of all records.
  /// - Complexity: O(log *n*) for each part of the condition, plus a small fraction of the number of records.
  public func plan(with indexes: [OrderedIndex], totalCount: Int) -> QueryPlan {
    let found = part.flatMap { way($0, indexes) }
    let all = AccessPath(access: .all, count: totalCount, isExact: !hasCondition)
    // A scan of all records costs less than random reads of most of them.
    let best = found.map { $0.count <= totalCount / 2 || $0.isExact ? $0 : all } ?? all
    if let ordered = inOrder(best, indexes, totalCount) { return ordered }
    let isEnoughEarly = !isSorted && best.isExact
    return QueryPlan(
      access: best.access, order: nil, isExact: canTrustKeys && best.isExact && best.access != .all, isSorted: isSorted,
      fields: fields, estimatedCount: min(isEnoughEarly ? min(best.count, end) : best.count, totalCount),
      totalCount: totalCount)
  }

  /// Returns the plan with the index that has the order of the query, if it costs less than another path and a sort.
  private func inOrder(_ best: AccessPath, _ indexes: [OrderedIndex], _ totalCount: Int) -> QueryPlan? {
    guard let order, indexes[order.index].isComplete else { return nil }
    let known = part.flatMap { Self.ranges($0).first { $0.index == order.index }?.ranges }
    let ranges = known ?? .all
    let isExact = known.map(\.isExact) ?? !hasCondition
    let count = known == nil ? totalCount : indexes[order.index].count(in: ranges)
    // The number of records to test until enough are found, if matches are distributed evenly. Where every record of
    // the index is a match, the offset is skipped without a test.
    let share = isExact ? 1 : max(1, count / max(1, min(best.count, count)))
    let (needed, isTooMany) = (isExact && canTrustKeys ? limit ?? .max : end).multipliedReportingOverflow(by: share)
    let cost = isTooMany ? count : min(count, needed)
    // The matches of an index are random reads, which never cost more than a scan. The cost of sorting grows faster
    // than that of testing.
    let readingCost =
      best.access == .all
      ? best.count : min(best.count.multipliedReportingOverflow(by: scatteredCost).partialValue, totalCount)
    // The number of records to sort is known only if every record of the index is a match.
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
    case .words: []
    }
  }

  /// Returns the access path with the fewest records of a part; nil if no index has them.
  private func way(_ part: Part, _ indexes: [OrderedIndex]) -> AccessPath? {
    var best = Self.ranges(part).filter { indexes[$0.index].isComplete }
      .map { number, ranges in
        AccessPath(access: .index(number, ranges), count: indexes[number].count(in: ranges), isExact: ranges.isExact)
      }
      .min { ($0.count, $0.isExact ? 0 : 1) < ($1.count, $1.isExact ? 0 : 1) }
    // No path has fewer records than one with exactly the matches. Counting others can visit half an index.
    if best?.isExact == true { return best }
    switch part {
    case .ranges: break
    case .words(let number, let parts): return way(number, parts, indexes[number])
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
        best = AccessPath(access: .either(ways.map(\.access)), count: count, isExact: ways.allSatisfy(\.isExact))
      }
    }
    return best
  }

  /// The number of entries of an index of words that are visited in the time that it takes to test one record.
  private static let testingCost = 32

  /// Returns the access path of a search in an index of words; nil if some words are unknown.
  private func way(_ number: Int, _ parts: [IndexRanges], _ index: OrderedIndex) -> AccessPath? {
    guard index.isComplete else { return nil }
    let counts = parts.map(index.count(in:))
    let count = counts.min() ?? 0
    // The many words that begin with one letter are left to the test of the records with a rare word.
    let used = zip(parts, counts).filter { $0.isOneKey || $1 / Self.testingCost <= count }.map(\.0)
    return AccessPath(
      access: .words(number, used), count: count,
      isExact: used.count == parts.count && parts.allSatisfy(\.isExact))
  }

  /// Returns the intersection of the paths of several terms, where it costs less than testing all records of one.
  private func narrowed(_ best: AccessPath, by ways: [AccessPath?]) -> AccessPath {
    guard !best.isExact, best.count > 16 else { return best }
    func isIn(_ way: AccessPath) -> Bool {
      if case .index(let number, _) = best.access, case .index(number, _) = way.access { return true }
      return way.access == best.access
    }
    func isShort(_ way: AccessPath) -> Bool { way.count / 4 <= best.count }
    let others = ways.compactMap { $0 }.filter { !isIn($0) && isShort($0) }
    if others.isEmpty { return best }
    return AccessPath(
      access: .both([best.access] + others.map(\.access)), count: best.count,
      isExact: ways.allSatisfy { way in way.map { $0.isExact && (isIn($0) || isShort($0)) } ?? false })
  }
}

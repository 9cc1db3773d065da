@_spi(ModelKitInternals) public import ModelCore

/// A query on its way through the stored records of a type, one after the other, in the order of their creation.
///
/// ```swift
/// let run = try QueryRun(program) { modelClass, identifier in bytes(of: modelClass.typeName, identifier) }
/// for row in rows {
///   let (progress, place) = try run.take(row)
///   if let place { found.put(row, at: place) }
///   if progress == .enough { break }
/// }
/// let page = run.finish().map { found[$0] }
/// ```
@_spi(ModelKitInternals)
public final class QueryRun<M: Model> {
  /// Whether to go on.
  public enum Progress: Sendable {
    /// More records are wanted.
    case goesOn
    /// All requested records were found.
    case enough
  }

  private let program: QueryProgram<M>
  private let surroundings: QuerySurroundings
  private let sorter: QuerySorter?
  /// How many have to be found, if they come in order.
  private let end: Int
  /// How many of the found ones are kept, if they have to be sorted.
  private let keptCount: Int
  /// How many have to be found before a group begins, if groups come in order.
  private let endOfGroups: Int
  private let isExact: Bool
  private let start: QueryPageStart?
  private let budget: Int?
  /// How many that come first in order, and would be found, the store passes over.
  private let skippedCount: Int
  private let projection: QueryProjection?
  // Unchecked, because it is changed in one place, where no other code runs; it is read for every record.
  @exclusivity(unchecked) private var count = 0

  /// Begins.
  ///
  /// - Parameters:
  ///   - program: the query.
  ///   - plan: how records are found; without one, all are gone through in the order of their creation.
  ///   - position: the position after which records are found; nil for the beginning.
  ///   - skippedCount: how many of those that the query passes over the store leaves out. They come first in order.
  ///   - related: gives the bytes of the record of a related model.
  ///   - joined: gives the bytes of the records of a type for which a condition holds.
  public init(
    _ program: QueryProgram<M>, _ plan: QueryPlan? = nil, after position: QueryPosition? = nil, skippedCount: Int = 0,
    related: ((ModelObject.Type, String) throws -> [UInt8]?)? = nil,
    joined: ((ModelObject.Type, QueryExpression) throws -> [[UInt8]])? = nil
  ) throws {
    self.program = program
    projection = program.projection
    projection?.begin(isStreamed: !program.isSorted && program.query.limit == nil && program.query.offset == 0)
    isExact = plan?.isExact ?? false
    budget = plan?.order?.budget
    let comesInOrder = !program.isSorted || plan?.order?.isPartial == false
    sorter = comesInOrder ? nil : try program.sorter()
    self.skippedCount = skippedCount
    keptCount = program.query.end == .max ? .max : program.query.end - skippedCount
    end = comesInOrder ? keptCount : .max
    endOfGroups = plan?.order == nil ? .max : keptCount
    start = try position.map { try QueryPageStart($0, program) }
    surroundings = QuerySurroundings(
      related.map { related in
        { modelClass, identifier in
          try related(modelClass, identifier).map { try JSONValue(json: $0).objectValue ?? [:] }
        }
      },
      join: joined.map { joined in
        { join in try joined(join.relatedClass, join.condition).map { try join.foreignKey(in: $0) } }
      })
  }

  /// Whether nothing more has to be found: there are enough, or the limit is 0.
  public var isFinished: Bool { count >= end || keptCount == 0 }

  /// Whether all requested records were found, if the next record has another key in the index whose order is followed.
  public var isFinishedBeforeNewKey: Bool { count >= endOfGroups }

  /// Whether the order of the index yields so few records that it costs less to find them otherwise and sort.
  ///
  /// - Parameter testedCount: how many records were tested.
  public func isOrderTooLong(after testedCount: Int) -> Bool {
    guard let budget, testedCount >= 128, keptCount < .max else { return false }
    // As many as there were so far for each that was found, and one more found with the next.
    let (product, isTooLarge) = testedCount.multipliedReportingOverflow(by: keptCount)
    return testedCount >= budget || isTooLarge || product / (count + 1) > budget
  }

  /// Tests the next record.
  ///
  /// - Parameters:
  ///   - record: the bytes of the record.
  ///   - order: its number in the order of creation, for pages.
  /// - Returns: whether to go on, and the place among the found records: the next free one, or that of a record that is
  ///   dropped for it. Nil if this record is not among the result.
  /// - Throws: ``ModelStoreError``; the run can go on with the same record.
  /// - Complexity: of *n* found ones to be sorted with a limit *m*, O(log *m*), and only these *m* are kept.
  public func take(_ record: [UInt8], at order: Int = 0) throws -> (progress: Progress, place: Int?) {
    if isFinished { return (.enough, nil) }
    var projected: [JSONValue] = []
    let isFound = try record.withUnsafeBytes { bytes in
      if !isExact, try !program.matches(bytes, surroundings) { return false }
      if let start, try !start.isBefore(bytes, at: order, program, surroundings) { return false }
      if projection != nil { projected = try program.projectedValues(of: bytes, surroundings) }
      if let sorter { try program.add(bytes, to: sorter, surroundings) }
      return true
    }
    if !isFound { return (.goesOn, nil) }
    count += 1
    guard let sorter else {
      try projection?.put(projected, at: count - 1)
      return (isFinished ? .enough : .goesOn, count - 1)
    }
    let place = sorter.keepBest(keptCount)
    if let place { try projection?.put(projected, at: place) }
    return (.goesOn, place)
  }

  /// The places of the found records, from offset to limit, in the order of the query.
  public func finish() -> [Int] {
    let places = sorter?.order() ?? Array(0..<count)
    return Array(places.dropFirst(program.query.offset - skippedCount).prefix(program.query.limit ?? .max))
  }

  /// Whether values of columns are wanted instead of records.
  public var isProjected: Bool { projection != nil }

  /// Hands the rows that were not streamed over to the projection.
  ///
  /// - Returns: nil if there is no projection.
  /// - Throws: the error of the receiver.
  public func finishProjection() throws -> [Int]? {
    guard let projection else { return nil }
    try projection.finish(finish())
    return []
  }

  /// The values by which a record that was found is sorted.
  public func sortValues(of record: [UInt8]) throws -> [JSONValue] {
    try record.withUnsafeBytes { try program.sortValues(of: $0, surroundings) }
  }
}

extension Array {
  /// Puts an element at the place that ``QueryRun/take(_:)`` gave.
  @_spi(ModelKitInternals)
  public mutating func put(_ element: Element, at place: Int) {
    if place == count { append(element) } else { self[place] = element }
  }
}

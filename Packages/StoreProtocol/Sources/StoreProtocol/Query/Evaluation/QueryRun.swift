@_spi(ModelKitInternals) public import ModelCore

/// The execution of a query on the stored records of a type, record by record in the order of creation.
///
/// ```swift
/// let run = try QueryRun(program) { modelClass, identifier in
///   bytes(of: modelClass.typeName, identifier)
/// }
/// for row in rows {
///   let (progress, place) = try run.take(row)
///   if let place { found.put(row, at: place) }
///   if progress == .enough { break }
/// }
/// let page = run.finish().map { found[$0] }
/// ```
@_spi(ModelKitInternals)
public final class QueryRun<M: Model> {
  /// The state of a run after a record.
  public enum Progress: Sendable {
    /// More records are needed.
    case continues
    /// All requested records were found.
    case enough
  }

  private let program: QueryProgram<M>
  private let surroundings: QueryRelatedRecords
  private let sorter: QuerySorter?
  /// The number of records to find, if they come in the order of the query; otherwise `Int.max`.
  private let end: Int
  /// The number of found records that are kept, if they have to be sorted.
  private let keptCount: Int
  /// The number of records to find before the next key begins, if records come in the order of an index.
  private let endOfGroups: Int
  private let isExact: Bool
  private let start: QueryPageStart?
  private let budget: Int?
  /// The number of matches at the beginning of the order that the store skips.
  private let skippedCount: Int
  private let projection: QueryProjection?
  // Unchecked, because it is read for every record, and changed in one place, where no other code runs.
  @exclusivity(unchecked) private var count = 0

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - program: the query.
  ///   - plan: the plan by which the store finds records; nil if it scans all in the order of their creation.
  ///   - position: the position after which records are found; nil for the beginning.
  ///   - skippedCount: the number of matches at the beginning of the order that the store skips itself, as a part of
  ///     the query's offset.
  ///   - related: returns the bytes of the record of a related model.
  ///   - joined: returns the bytes of the records of a type for which a condition holds.
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
    surroundings = QueryRelatedRecords(
      related.map { related in
        { modelClass, identifier in
          try related(modelClass, identifier).map { try JSONValue(json: $0).objectValue ?? [:] }
        }
      },
      join: joined.map { joined in
        { join in try joined(join.relatedClass, join.condition).map { try join.foreignKey(in: $0) } }
      })
  }

  /// Whether no further record is needed: enough were found, or the limit is 0.
  public var isFinished: Bool { count >= end || keptCount == 0 }

  /// Whether all requested records were found, provided that the next record has another key in the index.
  public var canStopAtNextKey: Bool { count >= endOfGroups }

  /// Returns whether so few records in the order of the index match that it costs less to find them otherwise and sort.
  ///
  /// - Parameter testedCount: the number of records that were tested.
  public func isOrderTooLong(after testedCount: Int) -> Bool {
    guard let budget, testedCount >= 128, keptCount < .max else { return false }
    // An estimate of the records to test: those tested so far per match, as if the next one matched.
    let (product, isTooLarge) = testedCount.multipliedReportingOverflow(by: keptCount)
    return testedCount >= budget || isTooLarge || product / (count + 1) > budget
  }

  /// Tests the next record.
  ///
  /// - Parameters:
  ///   - record: the bytes of the record.
  ///   - order: its number in the order of creation, for pages.
  /// - Returns: whether to continue, and the index of the record in the list of found records. The index is the next
  ///   free one, or that of a record that is replaced. It is nil if the record is not in the result.
  /// - Throws: ``ModelStoreError``; the run can continue with the same record.
  /// - Complexity: O(log *m*) for matches to be sorted with a limit *m*; only *m* are kept.
  public func take(_ record: [UInt8], at order: Int = 0) throws -> (progress: Progress, place: Int?) {
    if isFinished { return (.enough, nil) }
    var projected: [JSONValue] = []
    let isFound = try record.withUnsafeBytes { bytes in
      if !isExact, try !program.matches(bytes, surroundings) { return false }
      if let start, try !start.isBefore(bytes, at: order, program, surroundings) { return false }
      if let projection {
        projected = try program.projectedValues(of: bytes, surroundings)
        try projection.check(projected)
      }
      if let sorter { try program.add(bytes, to: sorter, surroundings) }
      return true
    }
    if !isFound { return (.continues, nil) }
    count += 1
    guard let sorter else {
      try projection?.put(projected, at: count - 1)
      return (isFinished ? .enough : .continues, count - 1)
    }
    let place = sorter.keepBest(keptCount)
    if let place { try projection?.put(projected, at: place) }
    return (.continues, place)
  }

  /// Returns the indexes of the found records, from offset to limit, in the order of the query.
  public func finish() -> [Int] {
    let places = sorter?.order() ?? Array(0..<count)
    return Array(places.dropFirst(program.query.offset - skippedCount).prefix(program.query.limit ?? .max))
  }

  /// Whether the query finds values of columns instead of records.
  package var isProjected: Bool { projection != nil }

  /// Passes the rows that were not streamed to the projection.
  ///
  /// - Returns: the number of found records; nil if there is no projection.
  /// - Throws: the error of the receiver.
  package func finishProjection() throws -> Int? {
    guard let projection else { return nil }
    let places = finish()
    try projection.finish(places)
    return places.count
  }

  /// Returns the values by which a found record is sorted.
  package func sortValues(of record: [UInt8]) throws -> [JSONValue] {
    try record.withUnsafeBytes { try program.sortValues(of: $0, surroundings) }
  }
}

@_spi(ModelKitInternals)
extension Array {
  /// Stores an element at the index that ``QueryRun/take(_:)`` returned.
  public mutating func put(_ element: Element, at place: Int) {
    if place == count { append(element) } else { self[place] = element }
  }
}

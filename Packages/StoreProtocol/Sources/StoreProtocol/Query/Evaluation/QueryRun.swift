@_spi(ModelKitInternals) public import ModelCore

/// A query on its way through the stored records of a type, one after the other, in the order of their creation.
///
/// ```swift
/// let run = try QueryRun(program) { modelClass, identifier in bytes(of: modelClass.typeName, identifier) }
/// for row in rows {
///   let (progress, isFound) = try run.take(row)
///   if isFound { found.append(row) }
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
    /// All that is asked for was found.
    case enough
  }

  private let program: QueryProgram<M>
  private let surroundings: QuerySurroundings
  private let sorter: QuerySorter?
  /// How many have to be found, if they come in order.
  private let end: Int
  /// How many have to be found before a group begins, if groups come in order.
  private let endOfGroups: Int
  private let isExact: Bool
  // Unchecked, because it is changed in one place, where no other code runs; it is looked at for every record.
  @exclusivity(unchecked) private var count = 0

  /// Begins.
  ///
  /// - Parameters:
  ///   - program: the query.
  ///   - plan: how records are found; without one, all are gone through in the order of their creation.
  ///   - related: gives the bytes of the record of a related model.
  ///   - joined: gives the bytes of the records of a type for which a condition holds.
  public init(
    _ program: QueryProgram<M>, _ plan: QueryPlan? = nil,
    related: ((ModelObject.Type, String) throws -> [UInt8]?)? = nil,
    joined: ((ModelObject.Type, QueryExpression) throws -> [[UInt8]])? = nil
  ) throws {
    self.program = program
    isExact = plan?.isExact ?? false
    let comesInOrder = !program.isSorted || plan?.order?.isPartial == false
    sorter = comesInOrder ? nil : try program.sorter()
    end = comesInOrder ? program.query.end : .max
    endOfGroups = plan?.order == nil ? .max : program.query.end
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

  /// Whether nothing can be found, because the limit is 0.
  public var isFinished: Bool { count >= end }

  /// Whether all that is asked for was found, if the next record has another key in the index whose order is followed.
  public var isFinishedBeforeNewKey: Bool { count >= endOfGroups }

  /// Looks at the next record.
  ///
  /// - Returns: whether to go on, and whether this record was found.
  /// - Throws: ``ModelStoreError``; the run can go on with the same record.
  public func take(_ record: [UInt8]) throws -> (progress: Progress, isFound: Bool) {
    if isFinished { return (.enough, false) }
    let isFound = try record.withUnsafeBytes { bytes in
      if !isExact, try !program.matches(bytes, surroundings) { return false }
      if let sorter { try program.add(bytes, to: sorter, surroundings) }
      return true
    }
    if isFound { count += 1 }
    return (isFinished ? .enough : .goesOn, isFound)
  }

  /// The numbers of the found records, from offset to limit, in the order asked for: 0 for the first that was found.
  public func finish() -> [Int] { program.query.page(of: sorter?.order() ?? Array(0..<count)) }
}

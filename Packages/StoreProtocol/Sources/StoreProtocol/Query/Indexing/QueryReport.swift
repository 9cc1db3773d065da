/// The report of a store on the execution of a query.
///
/// ```swift
/// let report = try await store.explain(
///   ModelQuery(Person.self, where: { $0.age == 30 }))
/// assert(report.plan.usedIndexes == ["age"])
/// ```
public struct QueryReport: Hashable, Sendable, CustomStringConvertible {
  /// The plan, with the used indexes.
  public let plan: QueryPlan
  /// The number of records that were tested against the condition, without matches that an index guarantees.
  public let testedCount: Int
  /// The number of records that were read from the store.
  public let readCount: Int
  /// The number of found records.
  public let matchCount: Int
  /// The statement that was sent to a database, with placeholders for values, or the first request that was sent to a
  /// server. Nil if there is none.
  public var statement: String?
  /// The plan of the database for the statement, in its own words and without values; nil if there is none.
  public var databasePlan: String?

  /// Whether the values were found in columns that are kept in memory. Records are only read to build them.
  public var usesColumns = false

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - plan: the plan, with the used indexes.
  ///   - testedCount: the number of records that were tested against the condition.
  ///   - readCount: the number of records that were read from the store.
  ///   - matchCount: the number of found records.
  public init(plan: QueryPlan, testedCount: Int, readCount: Int, matchCount: Int) {
    self.plan = plan
    self.testedCount = testedCount
    self.readCount = readCount
    self.matchCount = matchCount
  }

  /// A description of the report in words.
  public var description: String {
    let columns = usesColumns ? "in columns of " : ""
    let counts = "read \(readCount), tested \(testedCount), found \(matchCount)"
    let sent = [statement.map { "; \($0)" }, databasePlan.map { "\n\($0)" }].compactMap(\.self).joined()
    return "\(columns)\(plan); \(counts)\(sent)"
  }
}

@_spi(ModelKitInternals)
extension QueryReport {
  /// Returns the report of a store that lists models.
  ///
  /// - Parameter count: the number of models.
  public static func listing(_ count: Int) -> QueryReport {
    QueryReport(plan: .all(count), testedCount: 0, readCount: count, matchCount: count)
  }
}

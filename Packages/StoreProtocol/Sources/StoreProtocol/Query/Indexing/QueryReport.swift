/// A report of how a store ran a query.
///
/// ```swift
/// let report = try store.explain(ModelQuery(Person.self, where: { $0.age == 30 }))
/// assert(report.plan.usedIndexes == ["age"])
/// ```
public struct QueryReport: Hashable, Sendable, CustomStringConvertible {
  /// The plan, with the used indexes.
  public let plan: QueryPlan
  /// The number of records that were tested against the condition. Matches that an index guarantees are not among them.
  public let testedCount: Int
  /// How many records were taken out of the store.
  public let readCount: Int
  /// How many records were found.
  public let foundCount: Int

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - plan: which indexes were used.
  ///   - testedCount: how many records were held against the condition.
  ///   - readCount: how many records were taken out of the store.
  ///   - foundCount: how many records were found.
  public init(plan: QueryPlan, testedCount: Int, readCount: Int, foundCount: Int) {
    self.plan = plan
    self.testedCount = testedCount
    self.readCount = readCount
    self.foundCount = foundCount
  }

  /// The report in words.
  public var description: String { "\(plan); read \(readCount), tested \(testedCount), found \(foundCount)" }
}

@_spi(ModelKitInternals) import ModelCore

/// A query for models of a type: the condition, the order, the limit and the offset of a list.
///
/// ```swift
/// let page = ModelQuery(
///   Person.self, where: { $0.age > 30 && $0.company.name.hasPrefix("A") },
///   sort: [.ascending(\.name)], limit: 20)
/// print(page)
/// // Person where age > 30 && company.name.hasPrefix("A") sorted by name limit 20
/// ```
///
/// A query is a value that can be compared, printed, sent to another isolation, written as ``json`` and read. A store
/// that translates it reads ``filter`` and ``sort``. See ``ModelColumns`` for the possible conditions.
public struct ModelQuery<M: Model>: Hashable, Sendable {
  /// The condition; nil for all models.
  public var filter: QueryExpression?
  /// The criteria of the order, the most significant one first; empty for the order of creation.
  public var sort: [ModelSort<M>]
  /// The largest number of models; nil for all.
  public var limit: Int?
  /// The number of models to skip.
  public var offset: Int
  /// Where the condition is evaluated: by the store, or in memory.
  public var evaluation: QueryEvaluation

  /// Creates a query.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; empty for the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - offset: the number of models to skip.
  ///   - evaluation: where the condition is evaluated.
  public init(
    _ type: M.Type = M.self, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0, evaluation: QueryEvaluation = .byStore
  ) {
    self.filter = filter.map { $0(ModelColumns()) }
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.evaluation = evaluation
  }

  /// Creates a query from a condition that is a value.
  ///
  /// ```swift
  /// let isGood = ModelCondition<Book> { $0.rating > 3 }
  /// let good = ModelQuery(matching: isGood, sort: [.ascending(\.title)])
  /// ```
  ///
  /// - Parameters:
  ///   - condition: the condition; nil for all models.
  ///   - sort: the criteria of the order; empty for the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - offset: the number of models to skip.
  ///   - evaluation: where the condition is evaluated.
  public init(
    matching condition: ModelCondition<M>?, sort: [ModelSort<M>] = [], limit: Int? = nil, offset: Int = 0,
    evaluation: QueryEvaluation = .byStore
  ) {
    self.init(M.self, sort: sort, limit: limit, offset: offset, evaluation: evaluation)
    filter = condition?.expression
  }

  /// Returns a query for the models for which both the condition of this query and another condition hold.
  ///
  /// ```swift
  /// var query = ModelQuery(Book.self, sort: [.ascending(\.title)])
  /// if let search { query = query.and { $0.title.contains(search) } }
  /// if onlyUnread { query = query.and { $0.isRead != true } }
  /// ```
  ///
  /// Order, limit and offset stay, and apply to the matches of the new condition.
  public func and(_ filter: (ModelColumns<M>) -> QueryExpression) -> ModelQuery {
    var query = self
    let added = filter(ModelColumns())
    query.filter = self.filter.map { $0 && added } ?? added
    return query
  }

  /// Returns a query for the models for which the condition of this query or another condition holds.
  ///
  /// A query without a condition already finds all models. Its copy has no condition either.
  ///
  /// Order, limit and offset stay, and apply to the matches of the new condition.
  public func or(_ filter: (ModelColumns<M>) -> QueryExpression) -> ModelQuery {
    var query = self
    let added = filter(ModelColumns())
    query.filter = self.filter.map { $0 || added }
    return query
  }

  /// Returns a query for the models for which both the condition of this query and another condition hold.
  ///
  /// ```swift
  /// let isAdult: ModelCondition<Person>? = ModelCondition { $0.age >= 18 }
  /// let adults = query.and(isAdult)
  /// ```
  ///
  /// - Parameter condition: the other condition; nil for none.
  public func and(_ condition: ModelCondition<M>?) -> ModelQuery {
    guard let condition else { return self }
    return and { _ in condition.expression }
  }

  /// Returns a query for the models for which the condition of this query or another condition holds.
  ///
  /// - Parameter condition: the other condition; nil for none.
  public func or(_ condition: ModelCondition<M>?) -> ModelQuery {
    guard let condition else { return self }
    return or { _ in condition.expression }
  }

  /// Whether the query has neither a condition nor sort criteria. It can have a limit and an offset.
  public var isPlain: Bool { filter == nil && sort.isEmpty }

  /// Validates the parts of the query that the compiler can't check.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a negative limit or offset, a value that can't be
  ///   compared, or an invalid regular expression. It is also thrown for a field that the model lacks, which a query
  ///   from JSON can name.
  public func validate() throws {
    try validateRange()
    if !isPlain { _ = try QueryProgram(self, in: .standard, canJoin: true) }
  }

  /// Returns the elements that limit and offset select.
  func page<Element>(of elements: [Element]) -> [Element] {
    if offset == 0, limit == nil { return elements }
    return Array(elements.dropFirst(offset).prefix(limit ?? .max))
  }
}

@_spi(ModelKitInternals)
extension ModelQuery {
  /// Validates the limit, the offset and the size of the condition.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if one is negative, or the condition is too large.
  public func validateRange() throws {
    if let limit, limit < 0 {
      throw ModelStoreError(.invalid, "A list can't have a limit of \(limit): use 0 or more, or nil for all.")
    }
    if let excess = filter?.excess {
      throw ModelStoreError(.invalid, "The condition can't be evaluated: \(excess). Split the query, or use isIn.")
    }
    if offset < 0 {
      throw ModelStoreError(.invalid, "A list can't begin at an offset of \(offset): use 0 or more.")
    }
  }

  /// Returns the number of models that limit and offset select from a number of matches.
  public func pageCount(of count: Int) -> Int { min(max(0, count - offset), limit ?? .max) }
}

/// The evaluation of a query's condition: by the store, or in memory.
///
/// ```swift
/// let query = ModelQuery(
///   Person.self, where: { $0.tags.contains("x") }, evaluation: .inMemory)
/// ```
public enum QueryEvaluation: String, Hashable, Sendable, CaseIterable {
  /// The store, which throws `unsupported` and names the part that it can't express.
  case byStore
  /// This process: the store fetches all models of the type, and conditions that it can't express are evaluated here.
  case inMemory
}

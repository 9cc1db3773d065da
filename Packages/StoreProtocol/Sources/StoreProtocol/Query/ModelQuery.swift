@_spi(ModelKitInternals) import ModelCore

/// The condition and the order of a list of models.
///
/// ```swift
/// let page = ModelQuery(
///   Person.self, where: { $0.age > 30 && $0.company.name.hasPrefix("A") }, sort: [.ascending(\.name)], limit: 20)
/// print(page)  // Person where age > 30 && company.name.hasPrefix("A") sorted by name limit 20
/// ```
///
/// A query is a value: it can be compared, printed, sent to another isolation, written as ``json`` and read back. Stores
/// that translate it look into ``filter`` and ``sort``. See ``ModelColumns`` for the possible conditions.
public struct ModelQuery<M: Model>: Hashable, Sendable {
  /// The condition; nil for all models.
  public var filter: QueryExpression?
  /// The criteria of the order, the first one first; empty for the order of creation.
  public var sort: [ModelSort<M>]
  /// How many models at most; nil for all.
  public var limit: Int?
  /// How many models to pass over.
  public var offset: Int
  /// The place where the condition is evaluated.
  public var evaluation: QueryEvaluation

  /// Creates a query.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - limit: how many models at most; nil for all.
  ///   - offset: how many models to pass over.
  ///   - evaluation: who decides which models fit.
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

  /// Returns a query that finds those of the same models for which another condition holds, too.
  ///
  /// ```swift
  /// var query = ModelQuery(Book.self, sort: [.ascending(\.title)])
  /// if let search { query = query.and { $0.title.contains(search) } }
  /// if onlyUnread { query = query.and { $0.isRead != true } }
  /// ```
  ///
  /// Order, limit and offset stay: they count in the models of the new query.
  public func and(_ filter: (ModelColumns<M>) -> QueryExpression) -> ModelQuery {
    var query = self
    let added = filter(ModelColumns())
    query.filter = self.filter.map { $0 && added } ?? added
    return query
  }

  /// Returns a query that also finds the models for which another condition holds. A query without a condition finds all
  /// models already, and stays as it is.
  ///
  /// Order, limit and offset stay: they count in the models of the new query.
  public func or(_ filter: (ModelColumns<M>) -> QueryExpression) -> ModelQuery {
    var query = self
    let added = filter(ModelColumns())
    query.filter = self.filter.map { $0 || added }
    return query
  }

  /// Whether the query is for all models in the order of their creation, or a part of them by position.
  public var isPlain: Bool { filter == nil && sort.isEmpty }

  /// Checks what can be wrong with a query that compiles.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a negative limit or offset, a value that can't be compared,
  ///   or an invalid regular expression. Also for a field that the model lacks, as a query from JSON can name one.
  public func validate() throws {
    try validateRange()
    if !isPlain { _ = try QueryProgram(self, in: .standard, canJoin: true) }
  }

  /// Checks limit, offset and the size of the condition.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if one is negative, or the condition is too large.
  @_spi(ModelKitInternals)
  public func validateRange() throws {
    if let limit, limit < 0 {
      throw ModelStoreError(.invalid, "A list can't have a limit of \(limit): say 0 or more, or nil for all.")
    }
    if let excess = filter?.excess {
      throw ModelStoreError(.invalid, "The condition can't be evaluated: \(excess). Split the query, or use isIn.")
    }
    if offset < 0 {
      throw ModelStoreError(.invalid, "A list can't begin at an offset of \(offset): say 0 or more.")
    }
  }

  /// Returns the number of models that limit and offset select of a number.
  @_spi(ModelKitInternals)
  public func pageCount(of count: Int) -> Int { min(max(0, count - offset), limit ?? .max) }

  /// Returns the elements that limit and offset select.
  @_spi(ModelKitInternals)
  public func page<Element>(of elements: [Element]) -> [Element] {
    if offset == 0, limit == nil { return elements }
    return Array(elements.dropFirst(offset).prefix(limit ?? .max))
  }
}

/// The place where the condition of a query is evaluated.
///
/// ```swift
/// let query = ModelQuery(Person.self, where: { $0.tags.contains("x") }, evaluation: .inMemory)
/// ```
public enum QueryEvaluation: String, Hashable, Sendable, CaseIterable {
  /// The store, which throws `unsupported` and names what it can't express.
  case byStore
  /// This process: the store gives all models of the type, and what it can't express is done here.
  case inMemory
}

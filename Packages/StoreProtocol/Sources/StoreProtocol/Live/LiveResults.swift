@_spi(ModelKitInternals) import ModelCore

extension LiveModelStore {
  /// Observes a query: returns its current result, and a new result whenever it changes.
  ///
  /// ```swift
  /// for await people in store.observe(
  ///   Person.self, where: { $0.age > 30 }, sort: [.ascending(\.name)]
  /// ) {
  ///   show(people.models, people.differences)
  /// }
  /// ```
  ///
  /// Every consumer gets the current result first, and then a result after each relevant commit of any store instance.
  /// A commit is relevant if it writes a model that matches or matched, or a related model that the condition or order
  /// reads. Each result equals that of `list` after the commit. A slow consumer gets the newest result, with the
  /// differences from its previous one.
  ///
  /// Only written records are tested, see <doc:KeepingResultsUpToDate>. Shown models follow the writes of others at
  /// once and keep their local changes, which affect the result only when they are saved.
  ///
  /// The sequence never throws: after a failure the result has the `error` and the models of the last valid result. The
  /// sequence ends when the task is cancelled, or the store is closed.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition; see ``ModelColumns``.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - offset: the number of models to skip.
  ///   - evaluation: where conditions are evaluated, for stores that can't express every condition.
  ///   - relations: the relations that are loaded with each result, as key paths of ``RelationPath``. A write to a
  ///     related model gives a result in which the models that reach it are updated.
  public func observe<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0, evaluation: QueryEvaluation = .byStore,
    including relations: [(RelationPath<M>) -> any IncludedRelation] = []
  ) -> LiveResults<M> {
    observe(
      ModelQuery(type, where: filter, sort: sort, limit: limit, offset: offset, evaluation: evaluation),
      including: relations)
  }

  /// Observes a query that was created before.
  public func observe<M: Model>(
    _ query: ModelQuery<M>, including relations: [(RelationPath<M>) -> any IncludedRelation] = []
  ) -> LiveResults<M> {
    LiveResults { LiveObservation(self, query, including: relations, $0, capacity: $1) }
  }

  /// Observes a query of a type that may be known only at run time, as with a class.
  public func observe<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0, evaluation: QueryEvaluation = .byStore
  ) -> LiveResults<M> {
    let parts = type.query(filter, sort, limit: limit, offset: offset, evaluation)
    func results<Exact: Model>(_ exact: Exact.Type) -> LiveResults<M> {
      LiveResults { TypedObservation<M, Exact>(LiveObservation(self, ModelQuery(parts), $0, capacity: $1)) }
    }
    let exact: any Model.Type = type.exactClass
    return results(exact)
  }
}

/// The results of `observe` of a ``LiveModelStore``. The sequence belongs to the isolation of its store.
public struct LiveResults<M: Model>: AsyncSequence {
  /// A result of the query.
  public typealias Element = LiveResult<M>
  /// The sequence never throws.
  public typealias Failure = Never

  private let begin: (LiveTaskTracker, _ capacity: Int) -> any ResultSource<M>
  /// The number of changes that may wait before the query is listed again instead.
  var capacity = 10_000
  /// The work so far, for tests.
  let work = LiveTaskTracker()

  fileprivate init(_ begin: @escaping (LiveTaskTracker, _ capacity: Int) -> any ResultSource<M>) { self.begin = begin }

  /// Starts an observation. Each iterator is a separate one.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source: begin(work, capacity))
  }

  /// The iterator of a `for await` loop.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let source: any ResultSource<M>

    /// Returns the next result; nil once the task was cancelled or the store is closed.
    public mutating func next() async -> LiveResult<M>? { await source.next(isolation: #isolation) }

    /// Returns the next result if it is available without waiting for another write, for tests.
    mutating func nextIfReady() async -> LiveResult<M>? { await source.nextIfReady() }

    /// Returns the next result; nil once the task was cancelled or the store is closed.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> LiveResult<M>? {
      await source.next(isolation: actor)
    }
  }
}

/// The source of the results of a live query.
private protocol ResultSource<M>: AnyObject {
  associatedtype M: Model

  func next(isolation actor: isolated (any Actor)?) async -> LiveResult<M>?
  func nextIfReady() async -> LiveResult<M>?
}

extension LiveObservation: ResultSource {}

/// The results of a query of a derived class, as models of its superclass.
private final class TypedObservation<M: Model, Exact: Model>: ResultSource {
  private let base: LiveObservation<Exact>

  init(_ base: LiveObservation<Exact>) { self.base = base }

  func next(isolation actor: isolated (any Actor)?) async -> LiveResult<M>? {
    await base.next(isolation: actor).map(typed)
  }

  func nextIfReady() async -> LiveResult<M>? { await base.nextIfReady().map(typed) }

  private func typed(_ result: LiveResult<Exact>) -> LiveResult<M> {
    do {
      let models = try result.models.map { try Self.typed($0) }
      return LiveResult(models: models, differences: try result.differences.map(Self.typed), error: result.error)
    } catch {
      return LiveResult(models: [], differences: ModelDifferences(), error: LiveObservation<Exact>.storeError(error))
    }
  }

  private static func typed(_ model: Exact) throws -> M { try ModelType<M>.typed(model) }
}

extension ModelDifferences {
  /// Returns the same differences, with the models as another class.
  fileprivate func map<Other: AnyObject>(_ transform: (Element) throws -> Other) rethrows -> ModelDifferences<Other> {
    var differences = ModelDifferences<Other>()
    func change(_ change: Change) throws -> ModelDifferences<Other>.Change {
      ModelDifferences<Other>.Change(model: try transform(change.model), index: change.index)
    }
    differences.inserted = try inserted.map(change)
    differences.removed = try removed.map(change)
    differences.updated = try updated.map(change)
    differences.moved = try moved.map {
      ModelDifferences<Other>.Move(model: try transform($0.model), oldIndex: $0.oldIndex, newIndex: $0.newIndex)
    }
    return differences
  }
}

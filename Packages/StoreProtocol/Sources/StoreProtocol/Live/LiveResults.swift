@_spi(ModelKitInternals) import ModelCore

extension LiveModelStore {
  /// A query that keeps itself up to date: what it finds now, and again whenever that changes.
  ///
  /// ```swift
  /// for await people in store.observe(Person.self, where: { $0.age > 30 }, sort: [.ascending(\.name)]) {
  ///   show(people.models, people.differences)
  /// }
  /// ```
  ///
  /// Every consumer gets the present result first. Then come results after relevant commits of any store instance.
  /// Relevant are models that the query finds or found before, and related models that its condition or order reads. Each
  /// is what `list` gives after the last of these commits. A slow consumer gets the newest result, with the differences from
  /// the one it had.
  ///
  /// Only written records are tested, see <doc:KeepingResultsUpToDate>. What the query shows follows at once what others write; local
  /// changes are kept, and count only once they are saved.
  ///
  /// It never fails: where something goes wrong, the result has the `error` and the last models that were right. The sequence
  /// ends when the task is cancelled, or the store is closed.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition; see ``ModelColumns``.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - limit: how many models at most; nil for all.
  ///   - offset: how many models to pass over.
  ///   - evaluation: who decides which models fit, for stores that can't express every condition.
  public func observe<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0, evaluation: QueryEvaluation = .byStore
  ) -> LiveResults<M> {
    observe(ModelQuery(type, where: filter, sort: sort, limit: limit, offset: offset, evaluation: evaluation))
  }

  /// A query that keeps itself up to date, made before.
  public func observe<M: Model>(_ query: ModelQuery<M>) -> LiveResults<M> {
    LiveResults { LiveObservation(self, query, $0, capacity: $1) }
  }

  /// A query that keeps itself up to date, about a type that may be known only when the program runs:
  /// otherwise as with a class.
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
  /// Waiting for results never fails.
  public typealias Failure = Never

  private let begin: (LiveWork, _ capacity: Int) -> any ResultSource<M>
  /// The number of changes that may wait before everything is listed again instead.
  @_spi(ModelKitInternals)
  public var capacity = 10_000
  /// The work so far, for tests.
  @_spi(ModelKitInternals)
  public let work = LiveWork()

  fileprivate init(_ begin: @escaping (LiveWork, _ capacity: Int) -> any ResultSource<M>) { self.begin = begin }

  /// Begins to observe. Each iterator does so by itself.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source: begin(work, capacity))
  }

  /// The iterator of a `for await` loop.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let source: any ResultSource<M>

    /// The next result; nil once the task was cancelled or the store is closed.
    public mutating func next() async -> LiveResult<M>? { await source.next(isolation: #isolation) }

    /// The next result if there is one at once, without waiting for another write, for tests.
    @_spi(ModelKitInternals)
    public mutating func nextIfReady() async -> LiveResult<M>? { await source.nextIfReady() }

    /// The next result; nil once the task was cancelled or the store is closed.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> LiveResult<M>? {
      await source.next(isolation: actor)
    }
  }
}

/// Where the results of a live query come from.
private protocol ResultSource<M>: AnyObject {
  associatedtype M: Model

  func next(isolation actor: isolated (any Actor)?) async -> LiveResult<M>?
  func nextIfReady() async -> LiveResult<M>?
}

extension LiveObservation: ResultSource {}

/// The results of a query about a class that is derived from the one that is spoken of.
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
      return LiveResult(models: [], differences: LiveDifferences(), error: LiveObservation<Exact>.storeError(error))
    }
  }

  private static func typed(_ model: Exact) throws -> M { try ModelType<M>.typed(model) }
}

@_spi(ModelKitInternals) import ModelCore

extension LiveModelStore {
  /// Observes an aggregate of the records that a query finds: returns its current value, and a new one whenever it
  /// changes.
  ///
  /// ```swift
  /// for await total in store.observeValue(
  ///   Expense.self, where: { $0.isPaid }, { $0.sum(\.amount) }
  /// ) {
  ///   show(try total.get())
  /// }
  /// ```
  ///
  /// The value follows each commit of any store instance to a record that matches or matched. Only fields that the
  /// condition or the aggregate reads count. Commits since the last value are combined. A consumer gets a value only if
  /// it differs from its previous one.
  ///
  /// The sequence never throws: after a failure it has the error, and the value again with the next relevant change. It
  /// ends when the task is cancelled, or the store is closed.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition; see ``ModelColumns``.
  ///   - evaluation: where conditions are evaluated, for stores that can't express every condition.
  ///   - value: the aggregate, such as `{ $0.count }`.
  /// - Complexity: each value takes as long as ``ModelStore/sum(_:of:where:evaluation:)``. From the third value on, a
  ///   store in memory or in files updates counts, sums and averages in O(*k*) for *k* changed records. It computes them
  ///   again for floating-point numbers, columns or conditions of related models, and a query with a limit. It also does
  ///   when the least or greatest value is removed, or the first record of a group.
  public func observeValue<M: Model, Value: Equatable>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore, _ value: (GroupColumns<M>) -> QueryAggregate<Value>
  ) -> LiveValues<Value> {
    observeValue(ModelQuery(type, where: filter, evaluation: evaluation), value)
  }

  /// Observes an aggregate of the records that a query finds. See ``observeValue(_:where:evaluation:_:)``.
  public func observeValue<M: Model, Value: Equatable>(
    _ query: ModelQuery<M>, _ value: (GroupColumns<M>) -> QueryAggregate<Value>
  ) -> LiveValues<Value> {
    let aggregate = value(GroupColumns())
    return LiveValues { work in
      let context = self.scope.transformers
      let parts = LiveGroups<M>.Parts(
        paths: aggregate.path.map { [$0] } ?? [], keyCount: 0, hasColumn: [aggregate.path != nil],
        identity: { _ in [] }, makeStates: { [aggregate.makeState(context)] })
      return LiveComputation(self, query, parts, work) { groups in
        // Without a group there is no record.
        let state = groups.first?.states[0] ?? aggregate.makeState(context)
        return try unsafeDowncast(state, to: AggregateState<Value>.self).result
      } compute: {
        // A count needs no records where the engine knows it.
        if aggregate.path == nil, let count = try await self.count(query) as? Value { return count }
        return try await self.aggregate(aggregate, query)
      } areEqual: {
        $0 == $1
      }
    }
  }

  /// Observes values of groups of records: returns the current groups, and new ones whenever one of them changes.
  ///
  /// ```swift
  /// let totals = store.observeGroups(Expense.self, by: { $0.category.name }) {
  ///   ($0.count, $0.sum(\.amount))
  /// }
  /// for await groups in totals { show(try groups.get()) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - keys: the columns whose values make a group. Records without a value make a group with the key nil.
  ///   - filter: the condition; see ``ModelColumns``.
  ///   - sort: the criteria of the order of the groups, the most significant one first.
  ///   - limit: the largest number of groups; nil for all.
  ///   - evaluation: where conditions are evaluated, for stores that can't express every condition.
  ///   - values: the values of each group.
  /// - Returns: the groups in the order of ``ModelStore/groups(_:by:where:sort:limit:evaluation:_:)``, as often as
  ///   ``observeValue(_:where:evaluation:_:)`` has a value.
  public func observeGroups<M: Model, each Key: Hashable, each Value: Equatable>(
    _ type: M.Type, by keys: (ModelColumns<M>) -> (repeat QueryColumn<each Key>),
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil, evaluation: QueryEvaluation = .byStore,
    _ values: (GroupColumns<M>) -> (repeat QueryAggregate<each Value>)
  ) -> LiveValues<[(key: (repeat (each Key)?), values: (repeat each Value))]> {
    observeGroups(
      ModelQuery(type, where: filter, evaluation: evaluation), by: keys, sort: sort, limit: limit, values)
  }

  /// Observes values of groups of the records that a query finds. See
  /// ``observeGroups(_:by:where:sort:limit:evaluation:_:)``.
  public func observeGroups<M: Model, each Key: Hashable, each Value: Equatable>(
    _ query: ModelQuery<M>, by keys: (ModelColumns<M>) -> (repeat QueryColumn<each Key>),
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil,
    _ values: (GroupColumns<M>) -> (repeat QueryAggregate<each Value>)
  ) -> LiveValues<[(key: (repeat (each Key)?), values: (repeat each Value))]> {
    let keys = ColumnList(columns: (repeat each keys(ModelColumns())))
    let aggregates = AggregateList(aggregates: (repeat each values(GroupColumns())))
    let order = GroupOrder(sort, limit)
    let paths = keys.paths + (aggregates.paths + order.paths).compactMap(\.self)
    return LiveValues { work in
      let context = self.scope.transformers
      let hasColumn = (aggregates.paths + order.paths).map { $0 != nil }
      let parts = LiveGroups<M>.Parts(
        paths: paths, keyCount: keys.paths.count, hasColumn: hasColumn,
        identity: GroupIdentity(columns: keys, context: context).identity(of:),
        makeStates: { aggregates.makeStates(context) + order.makeStates(context) })
      return LiveComputation(self, query, parts, work) {
        try StoreProtocol.values(of: $0, keys, aggregates, order, in: context)
      } compute: {
        try await self.groups(query, keys, aggregates, order)
      } areEqual: {
        areEqual($0, $1)
      }
    }
  }
}

/// Returns whether groups have the same keys and values, in the same order.
private func areEqual<each Key: Hashable, each Value: Equatable>(
  _ left: [(key: (repeat (each Key)?), values: (repeat each Value))],
  _ right: [(key: (repeat (each Key)?), values: (repeat each Value))]
) -> Bool {
  guard left.count == right.count else { return false }
  for (left, right) in zip(left, right) {
    for (left, right) in repeat (each left.key, each right.key) { if left != right { return false } }
    for (left, right) in repeat (each left.values, each right.values) { if left != right { return false } }
  }
  return true
}

/// The values of ``LiveModelStore/observeValue(_:where:evaluation:_:)`` and
/// ``LiveModelStore/observeGroups(_:by:where:sort:limit:evaluation:_:)``. The sequence belongs to the isolation of its
/// store.
///
/// ```swift
/// for await count in store.observeValue(Book.self, { $0.count }) {
///   print(try count.get())
/// }
/// ```
public struct LiveValues<Value>: AsyncSequence {
  /// A value, or the error of the store.
  public typealias Element = Result<Value, ModelStoreError>
  /// The sequence never throws.
  public typealias Failure = Never

  fileprivate let begin: (LiveTaskTracker) -> any LiveValueSource<Value>
  /// The work so far, for tests.
  let work = LiveTaskTracker()

  fileprivate init(begin: @escaping (LiveTaskTracker) -> any LiveValueSource<Value>) { self.begin = begin }

  /// Starts an observation. Each iterator is a separate one.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: begin(work)) }

  /// The iterator of a `for await` loop.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let source: any LiveValueSource<Value>

    /// Returns the next value; nil once the task was cancelled or the store is closed.
    public mutating func next() async -> Result<Value, ModelStoreError>? { await source.next(isolation: #isolation) }

    /// Returns the next value; nil once the task was cancelled or the store is closed.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Result<Value, ModelStoreError>? {
      await source.next(isolation: actor)
    }
  }
}

/// The source of live values.
private protocol LiveValueSource<Value>: AnyObject {
  associatedtype Value

  func next(isolation actor: isolated (any Actor)?) async -> Result<Value, ModelStoreError>?
}

extension LiveComputation: LiveValueSource {}

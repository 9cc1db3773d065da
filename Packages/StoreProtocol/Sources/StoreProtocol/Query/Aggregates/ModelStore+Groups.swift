@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Returns values of groups of records, without creating models.
  ///
  /// ```swift
  /// let totals = try await store.groups(Expense.self, by: { $0.category.name }) {
  ///   ($0.count, $0.sum(\.amount))
  /// }
  /// for (category, (count, total)) in totals {
  ///   print(category ?? "none", count, total ?? 0)
  /// }
  /// ```
  ///
  /// The largest groups only:
  ///
  /// ```swift
  /// let largest = try await store.groups(
  ///   Expense.self, by: { $0.category.name },
  ///   sort: { [.descending($0.sum(\.amount))] }, limit: 10
  /// ) { ($0.count, $0.sum(\.amount)) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - keys: the columns whose values make a group. Records without a value make a group with the key nil.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order of the groups, the most significant one first.
  ///   - limit: the largest number of groups; nil for all.
  ///   - evaluation: where the condition is evaluated.
  ///   - values: the values of each group.
  /// - Returns: the groups. Without criteria they are in the order in which the first record of each was created.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does, and `invalid` if a sum does not fit the type of its column, or
  ///   for a negative limit.
  /// - Complexity: O(*n*) in the number of records that the condition finds. The groups are kept in memory.
  public func groups<M: Model, each Key: Hashable, each Result>(
    _ type: M.Type, by keys: (ModelColumns<M>) -> (repeat QueryColumn<each Key>),
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil, evaluation: QueryEvaluation = .byStore,
    _ values: (GroupColumns<M>) -> (repeat QueryAggregate<each Result>)
  ) async throws -> [(key: (repeat (each Key)?), values: (repeat each Result))] {
    try await groups(
      ModelQuery(type, where: filter, evaluation: evaluation), by: keys, sort: sort, limit: limit, values)
  }

  /// Returns values of groups of the records that a query finds. See ``groups(_:by:where:sort:limit:evaluation:_:)``.
  ///
  /// The limit and the offset of the query select records before they are grouped. A query sorted by date with limit
  /// 100 groups the first 100 records. The parameters `sort` and `limit` concern the groups.
  ///
  /// - Throws: ``ModelStoreError`` as ``groups(_:by:where:sort:limit:evaluation:_:)`` does.
  public func groups<M: Model, each Key: Hashable, each Result>(
    _ query: ModelQuery<M>, by keys: (ModelColumns<M>) -> (repeat QueryColumn<each Key>),
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil,
    _ values: (GroupColumns<M>) -> (repeat QueryAggregate<each Result>)
  ) async throws -> [(key: (repeat (each Key)?), values: (repeat each Result))] {
    try await groups(
      query, ColumnList(columns: (repeat each keys(ModelColumns()))),
      AggregateList(aggregates: (repeat each values(GroupColumns()))), GroupOrder(sort, limit))
  }

  /// Returns values of groups of the records that a query finds.
  func groups<M: Model, each Key: Hashable, each Result>(
    _ query: ModelQuery<M>, _ columns: ColumnList<repeat each Key>, _ aggregates: AggregateList<repeat each Result>,
    _ order: GroupOrder<M>
  ) async throws -> [(key: (repeat (each Key)?), values: (repeat each Result))] {
    try columns.checkIsNotEmpty()
    try order.validate()
    let context = scope.transformers
    let keyPaths = columns.paths
    let paths = aggregates.paths + order.paths
    let groups = Groups(
      keyCount: keyPaths.count, hasColumn: paths.map { $0 != nil },
      identity: GroupIdentity(columns: columns, context: context).identity(of:),
      makeStates: { aggregates.makeStates(context) + order.makeStates(context) })
    let projection = QueryProjection(
      keyPaths + paths.compactMap(\.self), restart: groups.removeAll, check: groups.check, receive: groups.add,
      fold: groups.fold)
    projection.aggregation = RecordAggregation(
      keys: columns.fieldPaths, values: aggregates.values + order.values)
    projection.receiveGroups = groups.take
    try await project(query, projection)
    return try StoreProtocol.values(of: groups.groups, columns, aggregates, order, in: context)
  }
}

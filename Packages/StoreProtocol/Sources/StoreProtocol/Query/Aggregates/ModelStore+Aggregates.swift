@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Returns the sum of a column, without creating models.
  ///
  /// ```swift
  /// let total = try await store.sum(
  ///   Expense.self, of: \.amount, where: { $0.isPaid })
  /// ```
  ///
  /// Records without a value are left out. A store without records of its own, such as one behind a REST API, lists the
  /// models. The list includes the related models of the columns.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - column: the column, even one of a related model: `\.category.budget`.
  ///   - filter: the condition.
  ///   - evaluation: where the condition is evaluated.
  /// - Returns: nil if no record has a value.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does, and `invalid` if the sum does not fit the type of the column.
  /// - Complexity: O(*n*) in the number of records that the condition finds.
  public func sum<M: Model, Value: Summable>(
    _ type: M.Type, of column: (ModelColumns<M>) -> QueryColumn<Value>,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, evaluation: QueryEvaluation = .byStore
  ) async throws -> Value? {
    try await sum(ModelQuery(type, where: filter, evaluation: evaluation), of: column)
  }

  /// Returns the average of a column, without creating models. See ``sum(_:of:where:evaluation:)``.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - column: the column.
  ///   - filter: the condition.
  ///   - evaluation: where the condition is evaluated.
  /// - Returns: nil if no record has a value.
  /// - Throws: ``ModelStoreError`` as ``sum(_:of:where:evaluation:)`` does.
  public func average<M: Model, Value: Summable>(
    _ type: M.Type, of column: (ModelColumns<M>) -> QueryColumn<Value>,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, evaluation: QueryEvaluation = .byStore
  ) async throws -> Value.Average? {
    try await average(ModelQuery(type, where: filter, evaluation: evaluation), of: column)
  }

  /// Returns the least value of a column, without creating models.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - column: the column.
  ///   - filter: the condition.
  ///   - evaluation: where the condition is evaluated.
  /// - Returns: nil if no record has a value.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func minimum<M: Model, Value: Comparable>(
    _ type: M.Type, of column: (ModelColumns<M>) -> QueryColumn<Value>,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, evaluation: QueryEvaluation = .byStore
  ) async throws -> Value? {
    try await minimum(ModelQuery(type, where: filter, evaluation: evaluation), of: column)
  }

  /// Returns the greatest value of a column, without creating models.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - column: the column.
  ///   - filter: the condition.
  ///   - evaluation: where the condition is evaluated.
  /// - Returns: nil if no record has a value.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func maximum<M: Model, Value: Comparable>(
    _ type: M.Type, of column: (ModelColumns<M>) -> QueryColumn<Value>,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, evaluation: QueryEvaluation = .byStore
  ) async throws -> Value? {
    try await maximum(ModelQuery(type, where: filter, evaluation: evaluation), of: column)
  }

  /// Returns the number of different values of a column, without creating models. Nil is not one of them.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - column: the column.
  ///   - filter: the condition.
  ///   - evaluation: where the condition is evaluated.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  /// - Complexity: O(*n*) in the number of records that the condition finds. The different values are kept in memory.
  public func count<M: Model, Value: Hashable>(
    _ type: M.Type, distinct column: (ModelColumns<M>) -> QueryColumn<Value>,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, evaluation: QueryEvaluation = .byStore
  ) async throws -> Int {
    try await count(ModelQuery(type, where: filter, evaluation: evaluation), distinct: column)
  }

  /// Returns the sum of a column of the records that a query finds. See ``sum(_:of:where:evaluation:)``.
  ///
  /// ```swift
  /// let paid = ModelQuery(Expense.self, where: { $0.isPaid })
  /// print(try await store.count(paid), try await store.sum(paid, of: \.amount) ?? 0)
  /// ```
  ///
  /// - Throws: ``ModelStoreError`` as ``sum(_:of:where:evaluation:)`` does.
  public func sum<M: Model, Value: Summable>(
    _ query: ModelQuery<M>, of column: (ModelColumns<M>) -> QueryColumn<Value>
  ) async throws -> Value? {
    try await aggregate(GroupColumns<M>().sum(column), query)
  }

  /// Returns the average of a column of the records that a query finds. See ``average(_:of:where:evaluation:)``.
  ///
  /// - Throws: ``ModelStoreError`` as ``sum(_:of:where:evaluation:)`` does.
  public func average<M: Model, Value: Summable>(
    _ query: ModelQuery<M>, of column: (ModelColumns<M>) -> QueryColumn<Value>
  ) async throws -> Value.Average? {
    try await aggregate(GroupColumns<M>().average(column), query)
  }

  /// Returns the least value of a column of the records that a query finds. See ``minimum(_:of:where:evaluation:)``.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func minimum<M: Model, Value: Comparable>(
    _ query: ModelQuery<M>, of column: (ModelColumns<M>) -> QueryColumn<Value>
  ) async throws -> Value? {
    try await aggregate(GroupColumns<M>().minimum(column), query)
  }

  /// Returns the greatest value of a column of the records that a query finds. See ``maximum(_:of:where:evaluation:)``.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func maximum<M: Model, Value: Comparable>(
    _ query: ModelQuery<M>, of column: (ModelColumns<M>) -> QueryColumn<Value>
  ) async throws -> Value? {
    try await aggregate(GroupColumns<M>().maximum(column), query)
  }

  /// Returns the number of different values of a column of the records that a query finds. See
  /// ``count(_:distinct:where:evaluation:)``.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func count<M: Model, Value: Hashable>(
    _ query: ModelQuery<M>, distinct column: (ModelColumns<M>) -> QueryColumn<Value>
  ) async throws -> Int {
    try await aggregate(GroupColumns<M>().count(distinct: column), query)
  }

  /// Reads columns of the records that a query finds, as a sum or groups of these columns do, and reports the cost.
  ///
  /// ```swift
  /// let query = ModelQuery(Expense.self, where: { $0.isPaid })
  /// print(try await store.explain(query, columns: { $0.amount }))
  /// // all 1000 records one after the other; read 1000, tested 1000, found 12
  /// ```
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - columns: the columns, those of the keys of groups included.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func explain<M: Model, each Value>(
    _ query: ModelQuery<M>, columns: (ModelColumns<M>) -> (repeat QueryColumn<each Value>)
  ) async throws -> QueryReport {
    let list = ColumnList(columns: (repeat each columns(ModelColumns())))
    try list.checkIsNotEmpty()
    return try await project(query, .discarding(list.paths))
  }

  /// Returns the value of an aggregate of the records that a query finds.
  func aggregate<M: Model, Result>(
    _ aggregate: QueryAggregate<Result>, _ query: ModelQuery<M>
  ) async throws -> Result {
    let context = scope.transformers
    let box = Box(aggregate.makeState(context))
    let projection = QueryProjection(aggregate.path.map { [$0] } ?? []) {
      box.content = aggregate.makeState(context)
    } check: {
      try box.content.check($0.first ?? .null)
    } receive: {
      try box.content.add($0.first ?? .null)
    } fold: { columns, rows, count in
      let members = GroupMembers(rows: rows, count: count, groups: nil)
      try box.content.fold(columns.first, members, into: [box.content])
    }
    projection.shortcut = aggregate.shortcut
    projection.aggregation = RecordAggregation(keys: [], values: [aggregate.value])
    projection.receiveGroups = { groups in
      for value in groups.flatMap(\.values) { try box.content.take(value.json, count: value.count) }
    }
    try await project(query, projection)
    return try box.content.result
  }

  /// Returns the values of a column, without creating models.
  ///
  /// ```swift
  /// let names = try await store.values(
  ///   Person.self, of: \.name, sort: [.ascending(\.name)])
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - column: the column, even one of a related model: `{ $0.company.name }`.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; empty for the order of creation.
  ///   - limit: the largest number of records; nil for all.
  ///   - offset: the number of records to skip.
  ///   - evaluation: where the condition is evaluated.
  /// - Returns: a value, or nil, for each record.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func values<M: Model, Value>(
    _ type: M.Type, of column: (ModelColumns<M>) -> QueryColumn<Value>,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [], limit: Int? = nil,
    offset: Int = 0, evaluation: QueryEvaluation = .byStore
  ) async throws -> [Value?] {
    try await values(
      ModelQuery(type, where: filter, sort: sort, limit: limit, offset: offset, evaluation: evaluation), of: column)
  }

  /// Returns the values of a column of the records that a query finds, in its order, without creating
  /// models.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func values<M: Model, Value>(
    _ query: ModelQuery<M>, of column: (ModelColumns<M>) -> QueryColumn<Value>
  ) async throws -> [Value?] {
    let column = column(ModelColumns())
    let context = scope.transformers
    return try await rows(query, [column.storedPath]) { row in try column.value(of: row[0], in: context) }
  }

  /// Returns values of columns, without creating models.
  ///
  /// ```swift
  /// for (name, age) in try await store.values(
  ///   Person.self, of: { ($0.name, $0.age) }, sort: [.ascending(\.name)]
  /// ) {
  ///   print(name ?? "", age ?? 0)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - columns: the columns, including those of a related model: `$0.company.name`.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; empty for the order of creation.
  ///   - limit: the largest number of records; nil for all.
  ///   - offset: the number of records to skip.
  ///   - evaluation: where the condition is evaluated.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func values<M: Model, each Value>(
    _ type: M.Type, of columns: (ModelColumns<M>) -> (repeat QueryColumn<each Value>),
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [], limit: Int? = nil,
    offset: Int = 0, evaluation: QueryEvaluation = .byStore
  ) async throws -> [(repeat (each Value)?)] {
    try await values(
      ModelQuery(type, where: filter, sort: sort, limit: limit, offset: offset, evaluation: evaluation), of: columns)
  }

  /// Returns values of columns of the records that a query finds, in its order, without creating
  /// models.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func values<M: Model, each Value>(
    _ query: ModelQuery<M>, of columns: (ModelColumns<M>) -> (repeat QueryColumn<each Value>)
  ) async throws -> [(repeat (each Value)?)] {
    let list = ColumnList(columns: (repeat each columns(ModelColumns())))
    try list.checkIsNotEmpty()
    return try await rows(query, list.paths, RowReader(list: list, context: scope.transformers).values)
  }

  /// Returns what a closure makes of columns of the records that a query finds.
  private func rows<M: Model, Row>(
    _ query: ModelQuery<M>, _ paths: [QueryPath], _ read: @escaping ([JSONValue]) throws -> Row
  ) async throws -> [Row] {
    let rows = Box<[Row]>([])
    let projection = QueryProjection(paths) {
      rows.content = []
    } check: {
      _ = try read($0)
    } receive: {
      rows.content.append(try read($0))
    }
    try await project(query, projection)
    return rows.content
  }
}

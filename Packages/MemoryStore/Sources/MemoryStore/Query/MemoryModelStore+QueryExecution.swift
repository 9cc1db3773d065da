@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryModelStore {
  /// Finds models as ``list(_:)`` does, without suspending.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query.
  /// - Complexity: O(*n*), where *n* is the number of stored models of the type. With indexes of the condition, *n* is
  ///   the number of their matches. For a list with a limit that is sorted by an indexed field, *n* is the number of
  ///   models before the limit is reached. Inside a transaction, the number of models that it wrote is added.
  public func listImmediately<M: Model>(_ query: ModelQuery<M>) throws -> [M] {
    try ModelStoreEvent.recordingImmediately(.list, of: Self.self, M.typeName, query: "\(query)") { event in
      let (found, lastWrite) = try found(for: query)
      event?.report = report(found, on: query)
      let models = try models(M.self, of: found.rows, asOf: lastWrite)
      event?.count = models.count
      return models
    }
  }

  /// Finds models of a type, without suspending.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - offset: the number of models to skip.
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query.
  public func listImmediately<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> [M] {
    try listImmediately(ModelQuery(type, where: filter, sort: sort, limit: limit, offset: offset))
  }

  /// Counts models as ``count(_:)`` does, without suspending.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query.
  public func countImmediately<M: Model>(_ query: ModelQuery<M>) throws -> Int {
    try ModelStoreEvent.recordingImmediately(.count, of: Self.self, M.typeName, query: "\(query)") { event in
      let count = try countRows(query)
      event?.count = count
      return count
    }
  }

  private func countRows<M: Model>(_ query: ModelQuery<M>) throws -> Int {
    try query.validateRange()
    var query = query
    if !query.sort.isEmpty {
      // Counting does not sort, but the order has to be valid.
      _ = try QueryProgram(query, in: scope.transformers, canJoin: true)
      query.sort = []
    }
    let known = context(of: M.self)
    if let transaction { try transaction.noteQuery(known.name) }
    if transaction?.touches(known.name) != true {
      if query.filter == nil, known.isTopOfHierarchy, !known.choosesClasses {
        return query.pageCount(of: handle.count(known.name))
      }
      let planner = QueryPlanner(query, fields: handle.indexedFields(known.name))
      if let count = handle.count(known.name, planner) { return query.pageCount(of: count) }
    } else if let transaction, let count = try count(query, known, in: transaction) {
      return query.pageCount(of: count)
    }
    return try found(for: query).found.rows.count
  }

  // MARK: Indexes

  /// Maintains an index of a field for all instances of the store.
  ///
  /// The index is used where it saves reads: for conditions that compare the field with values, and lists sorted by it.
  /// These conditions are comparisons such as `==` and `<=`, `isIn` and `hasPrefix`, combined by `&&`, `||` and `!`.
  /// ``explain(_:)`` reports the used indexes.
  ///
  /// ```swift
  /// try store.index(\Person.email, unique: true)
  /// let ada = try await store.first(
  ///   Person.self, where: { $0.email == "ada@example.com" })
  /// ```
  ///
  /// - Parameters:
  ///   - field: the field, of a type that is `Hashable`. Ranges and sorting need numbers, `Decimal`, text or dates.
  ///   - unique: whether equal values, nil excepted, are rejected: then writing it throws `conflict` and names the
  ///     field. The check sees the values after the whole batch or transaction. A unique index stays unique.
  /// - Throws: `ModelStoreError` with the code `conflict` if equal values of a unique index are stored, `invalid` for a
  ///   field of another type. There is no index then.
  /// - Complexity: O(*n*) in the number of stored models of the type.
  public func index<M: Model, Value>(_ field: KeyPath<M, Field<Value>>, unique: Bool = false) throws {
    let path = try StoredKeyPath(M.self, { $0[keyPath: field] }, in: scope.transformers)
    try handle.index(M.typeName, path, isUnique: unique)
  }

  /// Maintains an index of a property that is declared with `@Field`. Otherwise the same as an index of a field.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - unique: whether equal values, nil excepted, are rejected.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a computed property.
  public func index<M: Model, Value>(
    _ property: ReferenceWritableKeyPath<M, Value?>, unique: Bool = false
  ) throws {
    let path = try StoredKeyPath(M.self, { $0.field(of: property) }, in: scope.transformers)
    try handle.index(M.typeName, path, isUnique: unique)
  }

  /// Maintains an index of a property that is declared with `@Required`. Otherwise the same as an index of a field.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - unique: whether equal values, nil excepted, are rejected.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a computed property.
  public func index<M: Model, Value>(
    _ property: ReferenceWritableKeyPath<M, Value>, unique: Bool = false
  ) throws {
    let path = try StoredKeyPath(M.self, { $0.field(of: property) }, in: scope.transformers)
    try handle.index(M.typeName, path, isUnique: unique)
  }

  /// Maintains an index of a member inside the values of a field. Otherwise the same as an index of a field.
  ///
  /// ```swift
  /// try store.index(Invoice.self) { $0.receipt.number }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - unique: whether equal values, nil excepted, are rejected.
  ///   - column: returns the member, or a field.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a field of a related model.
  public func index<M: Model, Value>(
    _ type: M.Type, unique: Bool = false, _ column: (ModelColumns<M>) -> QueryColumn<Value>
  ) throws {
    let path = try StoredKeyPath(type, column: column, in: scope.transformers)
    try handle.index(M.typeName, path, isUnique: unique)
  }

  /// Maintains an index of a foreign key, which conditions such as `$0.company == acme` and `list(in: acme.employees)`
  /// use.
  ///
  /// - Parameters:
  ///   - relation: a to-one relation with `foreignKey: true`.
  ///   - unique: whether each model may be referenced only once.
  /// - Throws: `ModelStoreError` with the code `conflict` if two models already reference the same one, `invalid` for a
  ///   relation without foreign key.
  public func index<M: Model, Related: Model>(
    _ relation: KeyPath<M, ModelField<Related>>, unique: Bool = false
  ) throws {
    let path = try StoredKeyPath(M.self, { $0[keyPath: relation] }, in: scope.transformers)
    try handle.index(M.typeName, path, isUnique: unique)
  }

  // MARK: Evaluation

  /// Returns a record as this store instance sees it, including the open transaction.
  ///
  /// - Parameter engine: a snapshot of the records.
  private func row(_ type: String, _ identifier: String, in engine: MemoryEngine) -> MemoryRow? {
    if let entry = transaction?.entry(type, identifier) {
      return entry.content.map { MemoryRow(identifier: identifier, bytes: $0, revision: entry.revision ?? 0) }
    }
    return engine.row(type, identifier)
  }

  /// Returns the report on a query that was executed.
  func report<M: Model>(_ found: Found, on query: ModelQuery<M>) -> QueryReport {
    let isTested = query.filter != nil && !found.plan.isExact
    return QueryReport(
      plan: found.plan, testedCount: isTested ? found.testedCount : 0, readCount: found.testedCount,
      matchCount: found.rows.count)
  }

  /// Returns the matches of a query, in its order, and the last write to their type before the query. The write is nil
  /// inside a transaction that wrote the type.
  private func found<M: Model>(for query: ModelQuery<M>) throws -> (found: Found, lastWrite: UInt64?) {
    // Later writes may be included or not, so the models count as read before them.
    let known = context(of: M.self)
    let lastWrite = transaction?.touches(known.name) == true ? nil : known.state?.lastWrite
    return (try run(query), lastWrite)
  }

  /// The matches of a query, its plan, and the number of tested records.
  typealias Found = (rows: [MemoryRow], plan: QueryPlan, testedCount: Int, end: QueryPosition?)

  /// Runs a query.
  func run<M: Model>(_ query: ModelQuery<M>) throws -> Found {
    // Before the snapshot: a write between the two counts as a conflict.
    let position = transaction?.position
    do {
      return try run(query, nil, at: nil, after: position)
    } catch is MissingRelatedRecord {
      return try run(query, nil, at: handle.moment(), after: position)
    }
  }

  /// Runs a query.
  ///
  /// - Parameters:
  ///   - page: the requested page; nil for the whole query.
  ///   - moment: the snapshot to read. Without one, only the records of one selection are from one snapshot, and a
  ///     condition on other records throws `MissingRelatedRecord`.
  ///   - position: the position of the tracker of the open transaction, before the snapshot.
  func run<M: Model>(
    _ query: ModelQuery<M>, _ page: PageRequest?, at moment: MemoryEngine?, after position: UInt64?,
    followsOrder: Bool = true
  ) throws -> Found {
    try query.validateRange()
    let name = context(of: M.self).name
    let engine = moment ?? handle
    // Before the selection: if it is the same afterwards, nothing was written in between.
    let lastWrite = context(of: M.self).state?.lastWrite
    if let transaction { try transaction.noteQuery(name, at: position) }
    func makeRun(_ program: QueryProgram<M>, _ plan: QueryPlan?, skipping skippedCount: Int = 0) throws -> QueryRun<M> {
      try QueryRun(program, plan, after: page?.start, skippedCount: skippedCount) { [self] modelClass, identifier in
        guard let moment else { throw MissingRelatedRecord(typeName: modelClass.typeName, identifier: identifier) }
        if let transaction {
          try transaction.noteRead(modelClass.typeName, identifier, at: position)
        }
        return row(modelClass.typeName, identifier, in: moment)?.bytes
      } joined: { [self] modelClass, condition in
        guard let moment else { throw MissingRelatedRecord(typeName: modelClass.typeName, identifier: "") }
        guard let modelClass = modelClass as? any (ModelObject & ModelIsolation).Type else { return [] }
        return try records(modelClass, where: condition, at: moment, after: position)
      }
    }
    var planner = QueryPlanner(query, fields: engine.indexedFields(name))
    if !followsOrder { planner = planner.withoutOrder }
    var selection: MemorySelection
    if let transaction, transaction.touches(name) {
      selection = try select(for: query, planner, name, in: transaction, engine, page?.start, makeRun)
    } else {
      selection = engine.find(name, planner, atMost: query.end, offset: query.offset, page: page)
      if page == nil, selection.plan.isAnswer, case .some(let rows, _) = selection.records {
        let found = rows.dropFirst(query.offset - selection.skippedCount).prefix(query.limit ?? .max)
        return (Array(found), selection.plan, rows.count, nil)
      }
    }
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true)
    // The records that columns rule out.
    var passedCount = 0
    if page == nil, moment == nil, transaction?.touches(name) != true, case .all(let rows) = selection.records,
      let found = try matches(of: program, in: rows, since: lastWrite)
    {
      selection = MemorySelection(plan: selection.plan, records: .some(found, orders: nil))
      passedCount = engine.count(name) - found.count
    }
    var place = 0
    if case .all(let rows) = selection.records, !program.isSorted {
      place = page?.start.map { $0.order + 1 } ?? 0
      if program.selectsAllRecords, page?.start == nil {
        selection.skippedCount = query.offset
        place = rows.place(after: query.offset)
      }
    }
    let run = try makeRun(program, selection.isMerged ? nil : selection.plan, skipping: selection.skippedCount)
    guard let (rows, testedCount, orders) = try selection.run(run, from: place, isPaged: page != nil) else {
      return try self.run(query, page, at: moment, after: position, followsOrder: false)
    }
    return (
      rows, selection.plan, testedCount + passedCount,
      try page?.end(of: rows.count, query, run) { number in
        (rows[number].identifier, rows[number].bytes, orders[number])
      }
    )
  }

  private func records<M: Model>(
    _ type: M.Type, where condition: QueryExpression, at moment: MemoryEngine, after position: UInt64?
  ) throws -> [[UInt8]] {
    var query = ModelQuery(type)
    query.filter = condition
    return try run(query, nil, at: moment, after: position).rows.map(\.bytes)
  }
}

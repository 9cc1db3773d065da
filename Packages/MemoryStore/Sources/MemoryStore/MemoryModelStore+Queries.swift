@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryModelStore {
  /// Finds models: those for which the condition holds, in the order asked for, or else of their creation.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense.
  public func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try checkCancellation()
    return try listImmediately(query)
  }

  /// Finds models as ``list(_:)`` does, without suspending.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense.
  /// - Complexity: O(*n*) in the number of stored models of the type; with an index of a field that the condition wants to
  ///   be equal to something, in the number of models that have that value.
  public func listImmediately<M: Model>(_ query: ModelQuery<M>) throws -> [M] {
    let (rows, lastWrite) = try rows(for: query)
    return try models(M.self, of: rows, asOf: lastWrite)
  }

  /// Finds models of a type, without suspending.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - limit: how many models at most; nil for all.
  ///   - offset: how many models to pass over.
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense.
  public func listImmediately<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> [M] {
    try listImmediately(ModelQuery(type, where: filter, sort: sort, limit: limit, offset: offset))
  }

  /// How many models ``list(_:)`` would find. No model is made for that.
  public func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    try checkCancellation()
    return try rows(for: query).rows.count
  }

  /// The identifiers of the models that ``list(_:)`` would find. No model is made for that.
  public func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try checkCancellation()
    return try rows(for: query).rows.map(\.identifier)
  }

  // MARK: Indexes

  /// Keeps an index of a field for all fronts of the store, from now on. Conditions that want the field to be equal to
  /// something, or to one of several values, use it by themselves.
  ///
  /// ```swift
  /// try store.index(\Person.email, unique: true)
  /// let ada = try await store.first(Person.self, where: { $0.email == "ada@example.com" })
  /// ```
  ///
  /// - Parameters:
  ///   - field: the field: one of numbers, text, dates, UUIDs, yes or no, or an enumeration.
  ///   - unique: whether a value, nil excepted, must not be there twice: then writing it throws `conflict` and names the
  ///     field.
  /// - Throws: `ModelStoreError` with the code `conflict` if a unique value is there twice already, `invalid` for a field
  ///   of another type. There is no index then.
  /// - Complexity: O(*n*) in the number of stored models of the type.
  public func index<M: Model, Value>(_ field: KeyPath<M, Field<Value>>, unique: Bool = false) throws {
    let path = try StoredKeyPath(M.self, { $0[keyPath: field] }, in: scope.transformers)
    try handle.index(M.typeName, path, isUnique: unique)
  }

  /// Keeps an index of a foreign key, which conditions such as `$0.company == acme` and `list(in: acme.employees)` use.
  ///
  /// - Parameters:
  ///   - relation: a relation to one model with `foreignKey: true`.
  ///   - unique: whether no two models may lead to the same one.
  /// - Throws: `ModelStoreError` with the code `conflict` if two models lead to the same one already, `invalid` for a
  ///   relation without foreign key.
  public func index<M: Model, Related: Model>(
    _ relation: KeyPath<M, ModelField<Related>>, unique: Bool = false
  ) throws {
    let path = try StoredKeyPath(M.self, { $0[keyPath: relation] }, in: scope.transformers)
    try handle.index(M.typeName, path, isUnique: unique)
  }

  // MARK: Evaluation

  /// The records that a query finds, in its order, and the last write to their type before; nil inside a transaction
  /// that wrote to it.
  private func rows<M: Model>(for query: ModelQuery<M>) throws -> (rows: [MemoryRow], lastWrite: UInt64?) {
    // What is written from here on may be found or not, so that models count as read before it.
    let known = known(M.self)
    let lastWrite = transaction?.touches(known.name) == true ? nil : known.state.lastWrite
    let program = try QueryProgram(query, in: scope.transformers)
    let run = try QueryRun(program) { [self] modelClass, identifier in row(modelClass.typeName, identifier)?.bytes }
    var found: [MemoryRow] = []
    if run.isFinished { return ([], lastWrite) }
    func take(_ row: MemoryRow) throws -> Bool {
      let (progress, isFound) = try run.take(row.bytes)
      if isFound { found.append(row) }
      return progress == .goesOn
    }
    if let transaction, transaction.touches(M.typeName) {
      for row in transaction.rows(M.typeName, over: handle.rows(M.typeName)) where try !take(row) { break }
    } else if let candidates = candidates(for: program) {
      for row in candidates where try !take(row) { break }
    } else {
      try handle.rows(M.typeName).forEach(while: take)
    }
    return (run.finish().map { found[$0] }, lastWrite)
  }

  /// The records among which an index says that all are that a query finds; nil if no index does.
  private func candidates<M: Model>(for program: QueryProgram<M>) -> [MemoryRow]? {
    for field in handle.indexedFields(M.typeName) {
      if let values = program.values(of: field), let rows = handle.rows(M.typeName, field, values: values) {
        return rows
      }
    }
    return nil
  }
}

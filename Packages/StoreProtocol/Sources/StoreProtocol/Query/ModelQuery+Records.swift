@_spi(ModelKitInternals) public import ModelCore

extension ModelQuery {
  /// Returns whether the condition holds for a live model, as it would in a store after a save. Limit and offset are
  /// ignored.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` for an invalid query, `unsupported` if it is about a related
  ///   model that was not loaded.
  /// - Complexity: O(*n*) in the size of the condition. For many models use ``apply(to:)``, which looks fields up once.
  public func matches(_ model: M) throws -> Bool {
    try QueryProgram(self, in: model.scope?.transformers ?? .standard, isForRecords: false).matches(model)
  }

  /// Returns whether the condition holds for a live model as ``matches(_:)`` does; nil if it is about related models
  /// that were not loaded.
  @_spi(ModelKitInternals)
  public func testableMatch(_ model: M) throws -> Bool? {
    do { return try filter == nil || matches(model) } catch let error as ModelStoreError
      where error.code == .unsupported
    { return nil }
  }

  /// Returns the live models for which the condition holds, in the order of the query, from offset to limit.
  ///
  /// - Throws: ``ModelStoreError`` as ``matches(_:)`` does.
  public func apply(to models: [M]) throws -> [M] {
    let program = try QueryProgram(
      self, in: models.first?.scope?.transformers ?? .standard, isForRecords: false)
    guard program.isSorted else { return page(of: try models.filter(program.matches)) }
    let sorter = try program.sorter()
    var found: [M] = []
    for model in models where try program.matches(model) {
      try program.add(model, to: sorter)
      if let place = sorter.keepBest(end) { found.put(model, at: place) }
    }
    return page(of: sorter.order()).map { found[$0] }
  }

  /// Returns the records for which the condition holds, in the order of the query, from offset to limit. For
  /// implementations of stores.
  ///
  /// - Parameters:
  ///   - records: all records of the model's hierarchy, in the order of their creation.
  ///   - context: the transformers and the spelling of the records: those of the store's scope.
  ///   - related: returns the record of a model by its type name and its identifier, or nil if there is
  ///     none. Conditions can then follow foreign keys. Without it such a condition throws `unsupported`.
  ///   - all: returns all records of a type by its name in stores. Conditions can then be about relations whose links
  ///     only records of the related models store, such as `$0.employees.contains { $0.age > 60 }`. Without it such a
  ///     condition throws `unsupported`.
  /// - Throws: ``ModelStoreError`` with the code `invalid` or `unsupported` for the query, `corrupt` for a record.
  /// - Complexity: O(*n*) in the number of records, plus O(*m* log *k*) for sorting *m* matches of which *k* are kept.
  public func apply(
    to records: some Sequence<AttributeDictionary>, in context: ValueTransformerContext,
    related: ((_ typeName: String, _ identifier: String) throws -> AttributeDictionary?)? = nil,
    all: ((_ typeName: String) throws -> [AttributeDictionary])? = nil
  ) throws -> [AttributeDictionary] {
    let program = try QueryProgram(self, in: context, canJoin: all != nil)
    let surroundings = QueryRelatedRecords(
      related.map { related in { modelClass, identifier in try related(modelClass.typeName, identifier) } },
      join: all.map { all in
        { join in
          guard let modelClass = join.relatedClass as? any (ModelObject & ModelIsolation).Type else { return [] }
          return try Self.records(
            modelClass, where: join.condition, all(modelClass.typeName), context, related, all
          ).map(join.foreignKey)
        }
      })
    var found: [AttributeDictionary] = []
    if end == 0 { return [] }
    let sorter = program.isSorted ? try program.sorter() : nil
    for record in records where try program.matches(record, surroundings) {
      guard let sorter else {
        found.append(record)
        if found.count >= end { break }
        continue
      }
      try program.add(record, to: sorter, surroundings)
      if let place = sorter.keepBest(end) { found.put(record, at: place) }
    }
    guard let sorter else { return page(of: found) }
    return page(of: sorter.order()).map { found[$0] }
  }

  private static func records<Other: Model>(
    _ type: Other.Type, where condition: QueryExpression, _ records: [AttributeDictionary],
    _ context: ValueTransformerContext, _ related: ((String, String) throws -> AttributeDictionary?)?,
    _ all: @escaping (String) throws -> [AttributeDictionary]
  ) throws -> [AttributeDictionary] {
    var query = ModelQuery<Other>(type)
    query.filter = condition
    return try query.apply(to: records, in: context, related: related, all: all)
  }

  /// The number of matches to find, if they are found in the order of the query.
  @_spi(ModelKitInternals)
  public var end: Int {
    guard let limit else { return .max }
    let (end, isTooLarge) = offset.addingReportingOverflow(limit)
    return isTooLarge ? .max : end
  }
}

extension ModelStore {
  /// Returns the models of a query by reading stored records. For implementations of stores: a store that can list its
  /// records can answer every query with this method.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - records: all records of the type, in the order of their creation.
  ///   - related: returns a record by its type name and its identifier, or nil if there is none. Conditions
  ///     can then follow foreign keys.
  ///   - all: returns all records of a type by its name in stores. Conditions can then be about relations whose links
  ///     only records of the related models store.
  /// - Throws: ``ModelStoreError`` with the code `invalid` or `unsupported` for the query, `corrupt` for a record;
  ///   nothing is changed then.
  public func models<M: Model>(
    for query: ModelQuery<M>, from records: some Sequence<AttributeDictionary>,
    related: ((_ typeName: String, _ identifier: String) throws -> AttributeDictionary?)? = nil,
    all: ((_ typeName: String) throws -> [AttributeDictionary])? = nil
  ) throws -> [M] {
    try models(M.self, from: query.apply(to: records, in: scope.transformers, related: related, all: all))
  }
}

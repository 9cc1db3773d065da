@_spi(ModelKitInternals) public import ModelCore

// The calls that take a class also take a `ModelType`, which may be known only at run time.
extension ModelStore {
  /// Finds a model by its identifier.
  ///
  /// - Throws: ``ModelStoreError`` with the code `notFound` if there is no such model.
  public func lookup<M: Model>(_ type: ModelType<M>, identifier: String) async throws -> M {
    func find<Exact: Model>(_ exact: Exact.Type) async throws -> ModelObject {
      try await lookup(exact, identifier: identifier)
    }
    return try type.typed(await find(type.exactClass))
  }

  /// Finds models of a type.
  ///
  /// ```swift
  /// let type = schema.modelType("Author")
  /// let page = try await store.list(
  ///   type, where: { $0["name"] == "Nina" }, sort: [.ascending { $0["born"] }],
  ///   limit: 20)
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the models; models of derived types are among them.
  ///   - filter: the condition; see ``QueryKeyColumn`` for fields by name.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - offset: the number of models to skip.
  ///   - evaluation: where conditions are evaluated, for stores that can't express every condition.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func list<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0, evaluation: QueryEvaluation = .byStore
  ) async throws -> [M] {
    let parts = type.query(filter, sort, limit: limit, offset: offset, evaluation)
    func find<Exact: Model>(_ exact: Exact.Type) async throws -> [ModelObject] {
      try await list(ModelQuery<Exact>(parts))
    }
    return try await find(type.exactClass).map(type.typed)
  }

  /// Returns the number of models of a type for which a condition holds.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func count<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore
  ) async throws -> Int {
    let parts = type.query(filter, [], limit: nil, offset: 0, evaluation)
    func count<Exact: Model>(_ exact: Exact.Type) async throws -> Int { try await self.count(ModelQuery<Exact>(parts)) }
    return try await count(type.exactClass)
  }

  /// Returns the first model for which a condition holds, in the order of the query; nil if there is none.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func first<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    evaluation: QueryEvaluation = .byStore
  ) async throws -> M? {
    try await list(type, where: filter, sort: sort, limit: 1, evaluation: evaluation).first
  }

  /// Deletes the models for which a condition holds: atomically if the store has transactions, otherwise one by one up
  /// to the first error.
  ///
  /// If another writer changes the models meanwhile, a store with transactions evaluates the condition again.
  ///
  /// - Parameters:
  ///   - type: the type of the models.
  ///   - filter: the condition; nil for all models of the type.
  ///   - evaluation: where conditions are evaluated.
  /// - Returns: the number of deleted models.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` and ``delete(_:)`` do; with the code `conflict` if other writers
  ///   changed the models during each of several attempts.
  @discardableResult
  public func deleteAll<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore
  ) async throws -> Int {
    if let store = self as? any TransactionalModelStore {
      return try await store.deleteTogether { try await $0.list(type, where: filter, evaluation: evaluation) }
    }
    return try await deleteEach(list(type, where: filter, evaluation: evaluation))
  }

  /// Returns the models of a type one by one, in bounded memory: see ``StoredModelSequence``.
  ///
  /// ```swift
  /// for try await author in store.stream(schema.modelType("Author")) {
  ///   print(author["name"] ?? "?")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the models; models of derived types are among them.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - evaluation: where conditions are evaluated.
  public func stream<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    evaluation: QueryEvaluation = .byStore
  ) -> StoredModelSequence<M> {
    let parts = type.query(filter, sort, limit: nil, offset: 0, evaluation)
    func models<Exact: Model>(_ exact: Exact.Type) -> StoredModelSequence<M> {
      StoredModelSequence(self, ModelQuery<Exact>(parts), as: type)
    }
    let exact: any Model.Type = type.exactClass
    return models(exact)
  }
}

/// A query without its class.
@_spi(ModelKitInternals)
public struct QueryParts {
  var filter: QueryExpression?
  var orders: [QueryOrder]
  var limit: Int?
  var offset: Int
  var evaluation: QueryEvaluation
}

@_spi(ModelKitInternals)
extension ModelQuery {
  /// Creates a query from one without class.
  public init(_ parts: QueryParts) {
    self.init(
      M.self, sort: parts.orders.map { ModelSort($0) }, limit: parts.limit, offset: parts.offset,
      evaluation: parts.evaluation)
    filter = parts.filter
  }
}

// For stores whose own calls take a `ModelType`: they open the class, and return the models as `M`.
@_spi(ModelKitInternals)
extension ModelType {
  /// The class without `M`, which it may be derived from.
  public var exactClass: any Model.Type { modelClass }

  /// Returns a query for the class, which may be derived from `M`: its columns have the fields of the class.
  public func query(
    _ filter: ((ModelColumns<M>) -> QueryExpression)?, _ sort: [ModelSort<M>] = [], limit: Int? = nil, offset: Int = 0,
    _ evaluation: QueryEvaluation = .byStore
  ) -> QueryParts {
    QueryParts(
      filter: filter.map { $0(ModelColumns(prototype: make())) }, orders: sort.map(\.order), limit: limit,
      offset: offset, evaluation: evaluation)
  }

  /// Returns a found model as `M`.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if it has another class.
  public func typed(_ model: ModelObject) throws -> M { try Self.typed(model, name) }

  /// Returns a model as one of the requested type.
  static func typed(_ model: ModelObject, _ name: String = M.displayName) throws -> M {
    guard let model = model as? M else {
      throw ModelStoreError(.invalid, "\(Swift.type(of: model).displayName) was found instead of \(name).")
    }
    return model
  }
}

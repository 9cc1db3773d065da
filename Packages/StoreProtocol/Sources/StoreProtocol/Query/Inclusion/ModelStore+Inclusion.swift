@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Finds models of a type together with related models.
  ///
  /// ```swift
  /// let people = try await store.list(
  ///   Person.self, where: { $0.age > 30 }, including: [\.company.employees])
  /// for person in people { print(person.company.value?.name.value ?? "") }
  /// ```
  ///
  /// The related models of all found models are read together. This takes one query or request for each relation, or
  /// none where the API includes them in the list. An API without a condition for several identifiers gets a request
  /// for each related model. The found models retain them. An inverse list is loaded then, in the order in which its
  /// members were created. A reference to a model that is not in the store stays unloaded.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition; see ``ModelColumns``.
  ///   - sort: the criteria of the order; empty for the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - offset: the number of models to skip.
  ///   - evaluation: where conditions are evaluated, for stores that can't express every condition.
  ///   - relations: the relations, as key paths of ``RelationPath``.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does. The code is `unsupported` if the store can't find the members
  ///   of an inverse list.
  /// - Note: The related models are read after the list, so that they may be newer.
  public func list<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0, evaluation: QueryEvaluation = .byStore,
    including relations: [(RelationPath<M>) -> any IncludedRelation]
  ) async throws -> [M] {
    try await list(
      ModelQuery(type, where: filter, sort: sort, limit: limit, offset: offset, evaluation: evaluation),
      including: relations)
  }

  /// Finds models together with related models.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - relations: the relations, as key paths of ``RelationPath``.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does. The code is `unsupported` if the store can't find the members
  ///   of an inverse list.
  public func list<M: Model>(
    _ query: ModelQuery<M>, including relations: [(RelationPath<M>) -> any IncludedRelation]
  ) async throws -> [M] {
    let paths = relations.map { $0(RelationPath()).path }
    let tree = try IncludedRelations(paths, of: M.self)
    if let store = self as? any EmbeddingModelStore, let models = try await store.list(query, embedding: paths) {
      var loader = RelationLoader(self, query.evaluation, isFresh: true, read: models)
      try await loader.load(tree, of: models)
      return models
    }
    let models = try await list(query)
    var loader = RelationLoader(self, query.evaluation, isFresh: false, read: models)
    try await loader.load(tree, of: models)
    return models
  }

  /// Returns the first model for which a condition holds, in the order of the query, together with related models; nil
  /// if there is none. See ``list(_:where:sort:limit:offset:evaluation:including:)``.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:including:)`` does.
  public func first<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    evaluation: QueryEvaluation = .byStore, including relations: [(RelationPath<M>) -> any IncludedRelation]
  ) async throws -> M? {
    try await list(
      ModelQuery(type, where: filter, sort: sort, limit: 1, evaluation: evaluation), including: relations
    ).first
  }

  /// Finds a model by its identifier, together with related models.
  ///
  /// - Throws: ``ModelStoreError`` as ``lookup(_:identifier:)`` and ``list(_:including:)`` do.
  public func lookup<M: Model>(
    _ type: M.Type, identifier: String, evaluation: QueryEvaluation = .byStore,
    including relations: [(RelationPath<M>) -> any IncludedRelation]
  ) async throws -> M {
    let paths = relations.map { $0(RelationPath()).path }
    let tree = try IncludedRelations(paths, of: M.self)
    if let store = self as? any EmbeddingModelStore,
      let model = try await store.lookup(type, identifier: identifier, embedding: paths)
    {
      var loader = RelationLoader(self, evaluation, isFresh: true, read: [model])
      try await loader.load(tree, of: [model])
      return model
    }
    let model = try await lookup(type, identifier: identifier)
    try await load(relations, of: [model], evaluation: evaluation)
    return model
  }

  /// Finds one page of models together with their related models: see ``page(_:after:)``.
  ///
  /// - Throws: ``ModelStoreError`` as ``page(_:after:)`` and ``list(_:including:)`` do.
  public func page<M: Model>(
    _ query: ModelQuery<M>, after mark: ModelPageMark?,
    including relations: [(RelationPath<M>) -> any IncludedRelation]
  ) async throws -> ModelPage<M> {
    if let store = self as? any EmbeddingModelStore,
      let page = try await store.embeddedPage(query, after: mark, including: relations)
    {
      return page
    }
    let page = try await page(query, after: mark)
    try await load(relations, of: page.models, evaluation: query.evaluation)
    return page
  }

  /// Reads related models of models together, as ``list(_:including:)`` does.
  ///
  /// ```swift
  /// let books = try await store.list(Book.self)
  /// try await store.load([\.author], of: books)
  /// ```
  ///
  /// - Parameters:
  ///   - relations: the relations, as key paths of ``RelationPath``.
  ///   - models: the models, which retain the related ones.
  ///   - evaluation: where conditions are evaluated.
  /// - Throws: ``ModelStoreError`` as ``list(_:including:)`` does.
  public func load<M: Model>(
    _ relations: [(RelationPath<M>) -> any IncludedRelation], of models: [M],
    evaluation: QueryEvaluation = .byStore
  ) async throws {
    let tree = try IncludedRelations(relations.map { $0(RelationPath()).path }, of: M.self)
    var loader = RelationLoader(self, evaluation, isFresh: false, read: models)
    try await loader.load(tree, of: models)
  }
}

/// A store whose lists can contain related models.
@_spi(ModelKitInternals)
public protocol EmbeddingModelStore: ModelStore {
  /// Lists models with the related models in the answer.
  ///
  /// - Parameter paths: the relations.
  /// - Returns: nil if answers can't contain them.
  /// - Throws: ``ModelStoreError`` as ``ModelStore/list(_:)`` does.
  func list<M: Model>(_ query: ModelQuery<M>, embedding paths: [QueryPath]) async throws -> [M]?

  /// Finds a model with the related models in the answer.
  ///
  /// - Parameter paths: the relations.
  /// - Returns: nil if answers can't contain them.
  /// - Throws: ``ModelStoreError`` as ``ModelStore/lookup(_:identifier:)`` does.
  func lookup<M: Model>(_ type: M.Type, identifier: String, embedding paths: [QueryPath]) async throws -> M?

  /// Finds a page of models with the related models in the answer.
  ///
  /// - Parameter paths: the relations.
  /// - Returns: nil if answers can't contain them.
  /// - Throws: ``ModelStoreError`` as ``ModelStore/page(_:after:)`` does.
  func page<M: Model>(
    _ query: ModelQuery<M>, after mark: ModelPageMark?, embedding paths: [QueryPath]
  ) async throws -> ModelPage<M>?
}

extension EmbeddingModelStore {
  /// Finds a page of models with related models, as far as possible from the answer; nil if answers can't contain any.
  func embeddedPage<M: Model>(
    _ query: ModelQuery<M>, after mark: ModelPageMark?, including relations: [(RelationPath<M>) -> any IncludedRelation]
  ) async throws -> ModelPage<M>? {
    let paths = relations.map { $0(RelationPath()).path }
    let tree = try IncludedRelations(paths, of: M.self)
    guard let page = try await page(query, after: mark, embedding: paths) else { return nil }
    var loader = RelationLoader(self, query.evaluation, isFresh: true, read: page.models)
    try await loader.load(tree, of: page.models)
    return page
  }
}

/// A store that reads records of many identifiers together.
@_spi(ModelKitInternals)
public protocol BatchReadingModelStore: ModelStore {
  /// Returns the models of identifiers; those that are not in the store are left out.
  ///
  /// - Throws: ``ModelStoreError`` as ``ModelStore/lookup(_:identifier:)`` does, apart from `notFound`.
  func read<M: Model>(_ type: M.Type, identifiers: [String]) async throws -> [M]
}

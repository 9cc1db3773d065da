@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) public import StoreProtocol

@_spi(ModelKitInternals)
extension RESTModelStore: EmbeddingModelStore {
  /// Lists models with the related models in the answer, if the dialect has parameters for that.
  public func list<M: Model>(_ query: ModelQuery<M>, embedding paths: [QueryPath]) async throws -> [M]? {
    guard let items = try items(embedding: paths) else { return nil }
    return try await models(of: RESTListing(query, in: self, embedding: items), query)
  }

  /// Finds a model with the related models in the answer, if the dialect has parameters for that.
  public func lookup<M: Model>(_ type: M.Type, identifier: String, embedding paths: [QueryPath]) async throws -> M? {
    guard let items = try items(embedding: paths) else { return nil }
    return try await ModelStoreEvent.recording(.lookup, of: RESTModelStore.self, M.typeName) { event in
      event?.count = 1
      return try await lookup(type, identifier, embedding: items)
    }
  }

  /// Finds a page of models with the related models in the answer, if the dialect has parameters for that.
  public func page<M: Model>(
    _ query: ModelQuery<M>, after mark: ModelPageMark?, embedding paths: [QueryPath]
  ) async throws -> ModelPage<M>? {
    guard let items = try items(embedding: paths) else { return nil }
    // A page of such a list is read without related models.
    if try RESTListing(query, in: self).needsAll { return nil }
    return try await page(query, after: mark, embedding: items)
  }

  private func items(embedding paths: [QueryPath]) throws -> [RESTQueryItem]? {
    if paths.isEmpty { return nil }
    return try handle.dialect.items(including: paths.map { $0.keys.map { scope.transformers.key($0) } })
  }
}

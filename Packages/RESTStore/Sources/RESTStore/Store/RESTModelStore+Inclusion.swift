@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) public import StoreProtocol

@_spi(ModelKitInternals)
extension RESTModelStore: EmbeddingModelStore {
  /// Lists models with the related models in the answer, if the dialect has parameters for that.
  public func list<M: Model>(_ query: ModelQuery<M>, embedding paths: [QueryPath]) async throws -> [M]? {
    let relations = paths.map { $0.keys.map { scope.transformers.key($0) } }
    guard let items = try handle.dialect.items(including: relations) else { return nil }
    return try await models(of: RESTListing(query, in: self, embedding: items), query)
  }
}

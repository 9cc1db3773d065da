@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Returns random models of a type, each at most once.
  ///
  /// ```swift
  /// let books = try await store.sample(
  ///   Book.self, count: 10, where: { $0.rating == 5 })
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - count: the number of models. There are fewer if the condition finds fewer.
  ///   - filter: the condition; nil for all models of the type.
  ///   - evaluation: where conditions are evaluated.
  /// - Returns: the models in random order.
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a negative count, or as ``list(_:)`` does.
  /// - Complexity: as ``identifiers(_:)``. Only the chosen models are created.
  public func sample<M: Model>(
    _ type: M.Type, count: Int, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore
  ) async throws -> [M] {
    var generator = SystemRandomNumberGenerator()
    return try await sample(type, count: count, where: filter, evaluation: evaluation, using: &generator)
  }

  /// Returns random models of a type as ``sample(_:count:where:evaluation:)`` does, chosen by a generator of random
  /// numbers.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - count: the number of models.
  ///   - filter: the condition; nil for all models of the type.
  ///   - evaluation: where conditions are evaluated.
  ///   - generator: the generator.
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a negative count, or as ``list(_:)`` does.
  public func sample<M: Model>(
    _ type: M.Type, count: Int, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore, using generator: inout some RandomNumberGenerator
  ) async throws -> [M] {
    if count < 0 { throw ModelStoreError(.invalid, "A sample can't have \(count) models: use 0 or more.") }
    if count == 0 { return [] }
    var identifiers = try await identifiers(ModelQuery(type, where: filter, evaluation: evaluation))
    let count = min(count, identifiers.count)
    for index in 0..<count {
      identifiers.swapAt(index, Int.random(in: index..<identifiers.count, using: &generator))
    }
    let chosen = Array(identifiers[..<count])
    let found = try await RelationLoader(self, evaluation, isFresh: false, read: []).storedModels(type, chosen)
    let known = Dictionary(found.map { (ExactText($0.identifier ?? ""), $0) }) { first, _ in first }
    // Without those that were deleted meanwhile.
    return chosen.compactMap { known[ExactText($0)] }
  }
}

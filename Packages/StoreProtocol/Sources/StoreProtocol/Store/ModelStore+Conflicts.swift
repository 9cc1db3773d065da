@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Creates a model that no store has yet, and updates one that was created in a store or read from one.
  ///
  /// The policy is about updates. A model that is new never replaces another one: then the code is `conflict` as well. One
  /// that was deleted meanwhile is not written: then the code is `notFound`.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - policy: the decision where someone else changed the record since the model read it.
  /// - Throws: ``ModelStoreError`` with the code `conflict` and both sides in ``ModelStoreError/conflicts``, `unsupported`
  ///   if the store can't tell, or as `save(_:)` does. The model keeps its local changes.
  public func save<M: Model>(_ model: M, onConflict policy: ConflictPolicy) async throws {
    try await write(model, onConflict: policy)
  }

  /// Writes the fields of a model that changed since it was last read or saved.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - policy: the decision where someone else changed the record since the model read it.
  /// - Throws: ``ModelStoreError`` as ``update(_:fields:onConflict:)`` does.
  @discardableResult
  public func update<M: Model>(_ model: M, onConflict policy: ConflictPolicy) async throws -> M {
    try await change(model, onConflict: policy)
  }

  /// A store that does not compare what is stored writes as ``update(_:fields:)`` does, and can't promise `fail`.
  @discardableResult
  public func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    guard policy != .fail else {
      throw ModelStoreError(
        .unsupported,
        """
        This \(model.storedTypeName.nameForMessage) was not written: the store can't tell whether someone else changed it. \
        Save it without onConflict: .fail.
        """, identifier: model.storedIdentifier)
    }
    return try await update(model, fields: fields)
  }
}

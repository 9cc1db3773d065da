@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Creates a model that no store has yet, and updates one that was created in a store or read from one.
  ///
  /// The policy applies to updates. A new model never replaces another one, but throws `conflict`. A model that another
  /// writer deleted throws `notFound`.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - policy: the policy for a record that another writer changed since the model was read.
  /// - Throws: ``ModelStoreError`` with the code `conflict` and both sides in ``ModelStoreError/conflicts``,
  ///   `unsupported` if the store can't detect changes, or as `save(_:)` does. The model keeps its local changes.
  public func save<M: Model>(_ model: M, onConflict policy: ConflictPolicy) async throws {
    try await write(model, onConflict: policy)
  }

  /// Writes the fields of a model that changed since it was last read or saved.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - policy: the policy for a record that another writer changed since the model was read.
  /// - Throws: ``ModelStoreError`` as ``update(_:fields:onConflict:)`` does.
  @discardableResult
  public func update<M: Model>(_ model: M, onConflict policy: ConflictPolicy) async throws -> M {
    try await change(model, onConflict: policy)
  }

  /// The default implementation, for stores that don't compare records. It writes as ``update(_:fields:)`` does, and
  /// throws `unsupported` for the policy `fail`.
  @discardableResult
  public func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    guard policy != .fail else {
      throw ModelStoreError(
        .unsupported,
        """
        This \(model.storedTypeName.nameForMessage) was not written: the store can't detect changes of other writers. Save it without onConflict: \
        .fail.
        """, identifier: model.storedIdentifier)
    }
    return try await update(model, fields: fields)
  }
}

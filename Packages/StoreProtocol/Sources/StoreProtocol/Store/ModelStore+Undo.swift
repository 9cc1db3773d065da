@_spi(ModelKitInternals) public import ModelCore

extension ModelStore {
  /// Deletes and saves the models that an undone or redone step changed, in one transaction if the store has
  /// transactions.
  ///
  /// ```swift
  /// try await store.save(undo.undo())
  /// ```
  ///
  /// Leaves out changes that a later undo or redo has reversed, so that you can save each result when you get it, in
  /// order.
  ///
  /// - Parameter changes: the result of ``/ModelCore/ModelUndo/undo(onConflict:)`` or
  ///   ``/ModelCore/ModelUndo/redo(onConflict:)``.
  /// - Throws: ``ModelStoreError`` as `save(_:)` and ``delete(_:)`` do. The models stay undone or redone, and have to
  ///   be saved or deleted later.
  public func save(_ changes: ModelUndo.Changes) async throws {
    if changes.isEmpty { return }
    if changes.modelsToSave.count + changes.modelsToDelete.count > 1, let store = self as? any TransactionalModelStore {
      try await store.saveTogether(changes)
    } else {
      try await saveEach(changes)
    }
  }

  fileprivate func saveEach(_ changes: ModelUndo.Changes) async throws {
    let (saves, deletions) = changes.remaining
    for case let model as any ModelObject & ModelIsolation in deletions { try await deleteUndone(model) }
    for case let model as any ModelObject & ModelIsolation in saves { try await save(model) }
  }

  private func deleteUndone<M: Model>(_ model: M) async throws { _ = try await delete(model) }
}

extension TransactionalModelStore {
  fileprivate func saveTogether(_ changes: ModelUndo.Changes) async throws {
    try await transaction { store in try await store.saveEach(changes) }
  }
}

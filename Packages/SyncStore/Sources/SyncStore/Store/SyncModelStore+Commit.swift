@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncModelStore {
  /// Commits operations of the exchange, without outbox entries of their own, and updates the live models.
  ///
  /// - Parameters:
  ///   - operations: the operations.
  ///   - prepare: called between the commit and the update of the live models.
  /// - Throws: `RecordMismatch`, or an error of the local engine.
  func commit(_ operations: [RecordOperation], then prepare: () -> Void = {}) async throws {
    if operations.isEmpty { return }
    try await handle.local.commit(RecordBatch(operations))
    prepare()
    for operation in operations where operation.operation == .update {
      guard let modelClass = modelClass(named: operation.type) else { continue }
      follow(modelClass, operation.identifier, Array(operation.value))
    }
    for task in handle.signals.change({ $0.steps += 1 }) { task.resume() }
  }

  /// Updates a live model with its record, but for its local changes. One that can't be read stays as it is.
  func follow<M: Model>(_ type: M.Type, _ identifier: String, _ bytes: [UInt8]) {
    guard scope.liveModel(type, identifier: identifier) != nil else { return }
    guard let made = try? readableModels(type, fromBytes: [bytes], identifier: { _ in identifier }) else {
      return
    }
    for model in made.models { model.map(scope.pendingReads.noteUpdate) }
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ObservationKit

extension IdentityMap {
  /// The transaction of the running task; the outermost one if it is in several.
  var openTransaction: TransactionEdits? { transactions.isEmpty ? nil : transactions.first { $0.isEntered } }

  /// The transaction of the running task; the innermost one if it is in several.
  var innermostTransaction: TransactionEdits? { transactions.isEmpty ? nil : transactions.last { $0.isEntered } }

  /// The models that open transactions created of which the running task is no part.
  var modelsCreatedElsewhere: Set<ModelObject> {
    transactions.isEmpty ? [] : transactions.reduce(into: []) { $0.formUnion($1.uncommittedModels) }
  }

  /// Runs a read of records. Values that an open transaction of another task saved stay as they are: its commit may be
  /// under way, and the records from before it are no newer. A model that it deleted remains the object of its
  /// identifier.
  func readBesideTransactions<Result>(localChanges: LocalChanges, _ body: () throws -> Result) rethrows -> Result {
    if transactions.isEmpty { return try body() }
    let deleted = registerDeleted()
    defer { for (model, state) in deleted { withdrawDeleted(model, state) } }
    let keepsAll = if case .keep = localChanges { true } else { false }
    // A refresh replaces unsaved values as well.
    var fields = transactions.flatMap { keepsAll ? $0.uncommittedFields : $0.editedFields }
    for (model, _) in deleted { model.forEachField { field, _ in if !field.isDirty { fields.append(field) } } }
    if fields.isEmpty { return try body() }
    defer {
      for model in Set(fields.compactMap { $0.owner as? ModelObject }) {
        updateRetention(of: model)
      }
    }
    if keepsAll { return try AnyField.keepingValues(of: fields, inReads: body) }
    let states = fields.map { $0.captureState() }
    protectedFields = Set(fields.map { ObjectIdentifier($0) })
    // Observers see no value from before the transaction. Their edits, at its end, are edits.
    return try transaction {
      defer {
        withoutRecording {
          for (field, state) in zip(fields, states) where !state.isCurrent(of: field) {
            field.reinstate(state, exactly: true, marksClean: false)
            field.reinstateLastChange(state)
          }
        }
        protectedFields = []
      }
      return try body()
    }
  }

  /// Runs a read of records that keeps the values of some models, as it keeps local changes.
  func keeping<Result>(_ models: [ModelObject], inReads body: () throws -> Result) rethrows -> Result {
    let kept = models.filter { $0.identityMap === self }
    if kept.isEmpty { return try body() }
    defer { for model in kept { updateRetention(of: model) } }
    return try AnyField.keepingValues(of: kept.flatMap(\.allFields).filter { !$0.isDirty }, inReads: body)
  }

  /// Registers the models that open transactions of other tasks deleted, as if these had failed.
  private func registerDeleted() -> [(model: ModelObject, state: ModelObject.StoreState)] {
    transactions.flatMap(\.deletedModels).compactMap { model in
      guard model.identityMap == nil, let identifier = model.modelIdentifier,
        canonicalModel(of: model.typeKey, identifier: identifier) == nil
      else { return nil }
      let state = model.storeState
      model.identityMap = self
      register(model)
      model.markStored()
      return (model, state)
    }
  }

  private func withdrawDeleted(_ model: ModelObject, _ state: ModelObject.StoreState) {
    remove(model)
    model.restore(state)
  }

  func add(_ edits: TransactionEdits) {
    transactions.append(edits)
    FieldRecording.begin()
    if transactions.count == 1 { watchUnsaved() }
  }

  /// - Returns: whether the edits were recorded until now.
  @discardableResult
  func remove(_ edits: TransactionEdits) -> Bool {
    guard let index = transactions.firstIndex(where: { $0 === edits }) else { return false }
    transactions.remove(at: index)
    FieldRecording.end()
    return true
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ObservationKit

extension IdentityMap {
  /// The transaction of the running task; the outermost one if it is in several.
  var openTransaction: TransactionEdits? { transactions.isEmpty ? nil : transactions.first { $0.isEntered } }

  /// The transaction of the running task; the innermost one if it is in several.
  var innermostTransaction: TransactionEdits? { transactions.isEmpty ? nil : transactions.last { $0.isEntered } }

  /// The models created by open transactions of other tasks.
  var modelsCreatedElsewhere: Set<ModelObject> {
    transactions.isEmpty ? [] : transactions.reduce(into: []) { $0.formUnion($1.uncommittedModels) }
  }

  /// Runs a read of records. Values that an open transaction of another task saved stay as they are. Its commit may be
  /// under way, and earlier records are no newer. A model that it deleted remains the object of its identifier.
  func readBesideTransactions<Result>(localChanges: LocalChanges, _ body: () throws -> Result) rethrows -> Result {
    if transactions.isEmpty { return try body() }
    let deleted = registerDeleted()
    defer { for (model, state) in deleted { withdrawDeleted(model, state) } }
    var kept = transactions.flatMap(\.uncommittedFields).filter { !localChanges.overwrite($0) }
    // A refresh replaces unsaved values as well.
    var overwritten = transactions.flatMap(\.editedFields).filter { localChanges.overwrite($0) }
    for (model, _) in deleted {
      model.forEachField { field, _ in
        if field.isDirty { return }
        if localChanges.overwrite(field) { overwritten.append(field) } else { kept.append(field) }
      }
    }
    if kept.isEmpty, overwritten.isEmpty { return try body() }
    defer {
      for model in Set((kept + overwritten).compactMap { $0.owner as? ModelObject }) {
        updateRetention(of: model)
      }
    }
    return try AnyField.keepingValues(of: kept) { try keepingStates(of: overwritten, inReads: body) }
  }

  /// Runs a read of records that replaces local changes, and gives fields back their states from before it.
  private func keepingStates<Result>(of fields: [AnyField], inReads body: () throws -> Result) rethrows -> Result {
    if fields.isEmpty { return try body() }
    let states = fields.map { $0.captureState() }
    protectedFields = Set(fields.map { ObjectIdentifier($0) })
    let own = transactions.map { ($0, $0.captureOwnRelations()) }
    // Observers see no value from before the transaction. Their edits, at its end, are edits.
    return try transaction {
      defer {
        withoutRecording {
          var relations: [(relation: any Relation, read: [ModelObject])] = []
          for (field, state) in zip(fields, states) where !state.isCurrent(of: field) {
            if let relation = field as? any Relation { relations.append((relation, relation.liveModels)) }
            field.reinstate(state, exactly: true, marksClean: false)
            field.reinstateLastChange(state)
          }
          for (relation, read) in relations { restoreInverses(of: relation, linkedBefore: read) }
          // The read changed their inverses, which are restored.
          for (edits, captured) in own {
            for (relation, state, models) in captured where !state.isCurrent(of: relation) {
              guard Set(models) == Set(relation.liveModels) else { continue }
              relation.reinstate(state, exactly: true, marksClean: false)
              relation.reinstateLastChange(state)
              edits.restoreOwnRelation(relation)
            }
          }
        }
        protectedFields = []
      }
      return try body()
    }
  }

  /// Restores the inverses of a reinstated relation, which a read changed with it.
  ///
  /// - Parameter read: the models that the read linked.
  private func restoreInverses(of relation: any Relation, linkedBefore read: [ModelObject]) {
    guard let owner = relation.ownerModel else { return }
    let kept = relation.liveModels
    let (old, new) = (Set(read), Set(kept))
    if old == new { return }
    let change = RelationChange(relation.isDirty ? .local : .reading)
    for model in read where !new.contains(model) {
      if let inverse = relation.inverse(on: model), inverse.refers(to: owner) { inverse.detachInverse(owner, change) }
    }
    for model in kept where !old.contains(model) {
      if let inverse = relation.inverse(on: model), !inverse.refers(to: owner) { relation.linkInverse(model, change) }
    }
    change.announce()
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

@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Reverts all fields to the values last loaded or saved. Observers are notified at the end, including those of
  /// related models that the revert released: capture weakly, not unowned.
  ///
  /// Each field keeps a baseline, the value last loaded or saved, at its first change after that. A field without
  /// baseline is unset if the model was read. A new model keeps its values. A field that was changed during a save
  /// keeps its value too: the saved value is not known.
  ///
  /// A relation is reverted together with its inverses, and so changes the models that it removes and restores. Their
  /// inverses are dirty only if they differ from their own baselines. A relation retains the models of its baseline if
  /// it retained them before. Embedded models are reverted with it. The edits of a store's open transaction stay,
  /// unless the running task is part of it.
  ///
  /// - Returns: the reverted fields, in the order of ``fields``.
  @discardableResult
  public func revert() -> [AnyField] {
    guard let identityMap, !identityMap.transactions.isEmpty else { return revertFields() }
    let edited = Set(identityMap.transactions.flatMap { $0.editedFields(of: self) }.map { ObjectIdentifier($0) })
    return revertFields { !edited.contains(ObjectIdentifier($0)) }
  }

  /// Reverts changes of stored fields that the read of a store's record did not overwrite, because it has no values
  /// there. Values of documents are unloaded.
  ///
  /// - Parameter stamp: the time at which the record was requested. Later changes are kept.
  @_spi(ModelKitInternals)
  public func revertUnrecordedFields(asOf stamp: ChangeStamp) {
    // A list that was not read has an edit of its inverse, and is incomplete.
    let fields = fieldsForDictionaryValue().filter { $0.loadState != .notLoaded }
    // The edits of another task's open transaction are its own.
    let edited = Set((recordingMap?.transactions ?? []).flatMap(\.editedFields).map { ObjectIdentifier($0) })
    let stored = Set(fields.map { ObjectIdentifier($0) }).subtracting(edited)
    revertFields(isRead: true) { $0.lastChange <= stamp && stored.contains(ObjectIdentifier($0)) }
    for field in storableFields where field.lastChange <= stamp && isLoadedFromDocument(field) {
      if !edited.contains(ObjectIdentifier(field)) { field.unload() }
    }
  }
}

extension ModelObject {
  /// Reverts the fields for which a condition holds.
  ///
  /// - Parameter isRead: whether the revert is part of a read, which is not an edit.
  /// - Returns: the reverted fields.
  @discardableResult
  func revertFields(isRead: Bool = false, where shouldRevert: (AnyField) -> Bool = { _ in true }) -> [AnyField] {
    // A read that kept the local changes is to be repeated.
    if !isRead { readVersion = nil }
    let fields = orderedFields
    let dirty = Set(fields.filter { $0.isDirty && shouldRevert($0) }.map { ObjectIdentifier($0) })
    if dirty.isEmpty { return [] }
    // A model that one relation removes may be restored by another. One that a to-one inverse replaces must live until
    // its own link is cut, or that change would be lost.
    let models = modelsKeptByRelations
    let replaced = models.flatMap { $0.relations.filter { !$0.isToMany }.flatMap(\.liveModels) }
    defer { withExtendedLifetime((models, replaced)) {} }
    return transaction {
      fields.filter { field in
        // The revert of another relation may have reverted this one, or changed it.
        guard field.isDirty else { return dirty.contains(ObjectIdentifier(field)) }
        guard shouldRevert(field) else { return false }
        // An open transaction may have removed the model from its scope.
        guard isRead, let map = recordingMap else { return revert(field) }
        // The edits that observers make at the end of the transaction are edits.
        return map.readingBaseline { revert(field) }
      }
    }
  }

  /// Sets a dirty field to its baseline.
  ///
  /// - Returns: whether the field is reverted.
  private func revert(_ field: AnyField) -> Bool {
    // The revert of another relation may have reverted this one.
    if !field.isDirty || field.restore() { return true }
    guard origin == .read, field.wasNeverSaved else { return false }
    if let relation = field as? any Relation { relation.unlinkAll() }
    field.restoreUnset()
    identityMap?.releaseIfSaved(self)
    return true
  }

  var modelsKeptByRelations: [ModelObject] {
    relations.flatMap { $0.retainedModels + ($0.baselineModels ?? []) }
  }
}

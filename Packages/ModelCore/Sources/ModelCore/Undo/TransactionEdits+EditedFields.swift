@_spi(ModelKitInternals) import FieldKit

// The fields that a transaction edited or saved.
extension TransactionEdits {
  /// Returns the fields of a model to which the transaction gave other values, unless the running task is part of it,
  /// or outlives it.
  func editedFields(of model: ModelObject) -> [AnyField] {
    if entries.isEmpty || wasInside() { return [] }
    let embedded = EmbeddedModels(of: model)
    let editedModels = embedded.models.filter { !ownEditedFields(of: $0).isEmpty }
    return ownEditedFields(of: model) + embedded.relations(with: Set(editedModels))
  }

  private func ownEditedFields(of model: ModelObject) -> [AnyField] {
    recorded(of: model).filter { entry in
      if overtaken.contains(ObjectIdentifier(entry.field)) { return false }
      return !(entry.elsewhere ?? entry.before).hasValue(of: entry.field.captureState())
        || wasEditedSinceSave(entry.field, of: model)
    }.map(\.field)
  }

  /// Returns whether the transaction edited a field after it had saved it. Even with its value from before, the field
  /// differs from the saved state then, which is its baseline.
  private func wasEditedSinceSave(_ field: AnyField, of model: ModelObject) -> Bool {
    // The baseline of a relation that its inverse stores follows saves of other models.
    field.isDirty && uncommitted[ObjectIdentifier(field)] != nil && !model.isStoredOnlyByInverse(field)
  }

  /// - Complexity: O(*n*) in the number of fields of the model.
  private func recorded(of model: ModelObject) -> [Entry] {
    var found: [Entry] = []
    model.forEachField { field, _ in if let entry = entries[ObjectIdentifier(field)] { found.append(entry) } }
    return found
  }

  /// Returns whether another task, and not the transaction, edited a field since it began. A save in the transaction
  /// leaves it out.
  func leavesToOthers(_ field: AnyField, of model: ModelObject) -> Bool {
    let id = ObjectIdentifier(field)
    guard changedElsewhere.contains(id), entries[id] == nil, !newModels.contains(model), isInside() else {
      return false
    }
    // A record has an embedded model as a whole, with the edits of the transaction.
    let embedded = EmbeddedModels(of: model)
    let edited = embedded.models.filter { !recorded(of: $0).isEmpty }
    return !embedded.relations(with: Set(edited)).contains { $0 === field }
  }

  /// Returns the fields of a model that the transaction saved, unless the running task is part of it, or outlives it.
  func uncommittedFields(of model: ModelObject) -> [AnyField] {
    if uncommitted.isEmpty || wasInside() { return [] }
    return recorded(of: model).filter { !$0.field.isDirty && uncommitted[ObjectIdentifier($0.field)] != nil }
      .map(\.field)
  }

  /// Returns the baseline of a field before the transaction saved it; nil if it is unknown.
  func baselineBeforeSave(of field: AnyField) -> StoredValue? { baselines[ObjectIdentifier(field)] }

  /// Returns whether the transaction saved a field, unless the running task is part of it, or outlives it.
  func hasUncommitted(_ field: AnyField) -> Bool {
    !uncommitted.isEmpty && uncommitted[ObjectIdentifier(field)] != nil && !wasInside()
  }

  /// The fields that the transaction edited, unless the running task is part of it. Fields that another task edited
  /// since are left out.
  var editedFields: [AnyField] {
    if isInside() { return [] }
    let fields = order.compactMap { entries[$0]?.field } + newModels.flatMap(\.relations)
    return fields.filter { !overtaken.contains(ObjectIdentifier($0)) }
  }

  /// The clean fields that the transaction saved, unless the running task is part of it.
  var uncommittedFields: [AnyField] {
    if uncommitted.isEmpty || isInside() { return [] }
    let saved = order.compactMap { entries[$0]?.field }.filter { uncommitted[ObjectIdentifier($0)] != nil }
    return (saved + savedFields.values.joined()).filter { !$0.isDirty }
  }
}

@_spi(ModelKitInternals) import FieldKit

extension TransactionEdits {
  /// Records that another store of the scope committed a save or the deletion of a model. Its clean fields keep their
  /// values if this transaction fails, except those that only this transaction saved. Fields that another task saved
  /// after this transaction had saved them keep their values, too.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - fields: the fields that the save wrote; nil for a deletion or a creation.
  ///   - stamp: when the save captured their values; nil for a deletion or a creation.
  func didCommit(_ model: ModelObject, _ fields: [AnyField]?, asOf stamp: ChangeStamp?) {
    guard isInside() else {
      let fields = fields ?? []
      // The save is not recorded otherwise, because the model left the scope.
      if deleted[model] != nil { for id in Self.withEmbedded(fields) { entries[id]?.captured = stamp } }
      for field in fields {
        let id = ObjectIdentifier(field)
        if let stamp, field.lastChange > stamp {
          // The transaction has edited the field since: the saved value is the one to restore.
          if !overtaken.contains(id) { entries[id]?.captured = stamp }
          continue
        }
        // The saved value is stored now, and the baseline.
        guard !field.isDirty, uncommitted.removeValue(forKey: id) != nil else { continue }
        overtaken.insert(id)
        changedElsewhere.insert(id)
        savedElsewhere.insert(id)
      }
      return
    }
    newModels.remove(model)
    created.remove(model)
    documentLoads[model] = nil
    if deleted.removeValue(forKey: model) != nil { deletedElsewhere.insert(model) }
    let models = [model] + EmbeddedModels(of: model).models
    for model in models { savedFields[ObjectIdentifier(model)] = nil }
    let isWhole = fields == nil, written = Self.withEmbedded(fields ?? [])
    var committed: Set<ObjectIdentifier> = []
    for model in models {
      model.forEachField { field, _ in
        let id = ObjectIdentifier(field)
        // A relation that its inverse stores is in no record.
        let isWritten =
          isWhole || written.contains(id) || uncommitted[id] == nil || model.isStoredOnlyByInverse(field)
        if model.isDeleted || (isWritten && !field.isDirty) { committed.insert(id) }
      }
    }
    for id in committed { (entries[id], uncommitted[id]) = (nil, nil) }
  }

  /// Returns fields with those of the models that they embed.
  private static func withEmbedded(_ fields: [AnyField]) -> Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    var pending = fields
    while let field = pending.popLast() {
      guard found.insert(ObjectIdentifier(field)).inserted, let relation = field as? any Relation else { continue }
      pending += relation.embeddedModels.flatMap(\.allFields)
    }
    return found
  }
}

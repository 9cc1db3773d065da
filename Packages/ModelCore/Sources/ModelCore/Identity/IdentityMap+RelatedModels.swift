@_spi(ModelKitInternals) import FieldKit

extension IdentityMap {
  /// Adds the models that a model embeds, so that their edits are recorded with those of their container. Also adds the
  /// new models to which it is linked, as if the links were made now.
  func addRelated(to model: ModelObject, group: AnyObject? = nil) {
    var pending = [model]
    while let model = pending.popLast() {
      for index in model.layout.relationIndices {
        // A model is added before its relations are read.
        guard let field = model.layout.field(at: index, of: model), !field.isUnset,
          let relation = field as? any Relation
        else { continue }
        for embedded in relation.embeddedModels where embedded.identityMap == nil && embedded.isPartOfContainer {
          join(embedded)
          pending.append(embedded)
        }
        for related in relation.liveModels where related.identityMap == nil && related.origin == .new {
          if related.isDeleted || related.isPartOfContainer { continue }
          noteCreation(of: related, group: group)
          join(related)
          register(related)
          pending.append(related)
        }
      }
    }
  }

  /// Adds a model that a relation was set to.
  func add(_ model: ModelObject, by change: RelationChange) {
    let isNew = !change.isRead && model.origin == .new
    add(model, group: change)
    if isNew { noteCreation(of: model, group: change) }
  }

  /// Records a new model that joined the scope.
  func noteCreation(of model: ModelObject, group: AnyObject? = nil) {
    for edits in transactions { edits.willAdd(model) }
    // A model that an open transaction of another task deleted is no new one if that fails.
    if saveChanges == nil, !transactions.contains(where: { $0.deletes(model) }) {
      forEachUndo { $0.didJoin(model, group: group) }
    }
  }
}

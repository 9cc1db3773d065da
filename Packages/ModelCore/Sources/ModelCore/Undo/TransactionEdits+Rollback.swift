@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ObservationKit

@_spi(ModelKitInternals)
extension TransactionEdits {
  /// Ends the recording, and restores all recorded fields with their states. Observers are notified at the end.
  /// Histories are as before the transaction.
  ///
  /// A field that another task changed since keeps its value.
  ///
  /// - Parameter body: removes the models that the transaction created from the scope, and adds those that it deleted
  ///   again.
  /// - Returns: the models with restored fields.
  @discardableResult
  public func revert(_ body: () -> Void) -> Set<ModelObject> {
    map.remove(self)
    // An outer one has not deleted or saved them after all.
    for outer in map.transactions { outer.removeWrites(of: self) }
    var restored: [ObjectIdentifier: Entry] = [:]
    swap(&entries, &restored)
    // A field is there twice if another store's commit removed it in between.
    var seen: Set<ObjectIdentifier> = []
    var reverted = order.reversed().compactMap { seen.insert($0).inserted ? restored[$0] : nil }
    // A field that another task edited before the transaction did gets back its value from there.
    let fields = RolledBackFields(
      kept: changedElsewhere.filter { restored[$0] == nil || overtaken.contains($0) },
      restored: Set(restored.keys).subtracting(overtaken), recorded: Set(restored.keys))
    map.forEachUndo { $0.rollBack(numbers, fields) }
    if map.innermostTransaction != nil {
      var ends: [ObjectIdentifier: FieldState] = [:]
      for entry in reverted where !changedElsewhere.contains(ObjectIdentifier(entry.field)) {
        ends[ObjectIdentifier(entry.field)] = entry.before
      }
      map.forEachUndo { $0.restoreEnds(ends) }
    }
    map.rollback = self
    defer { map.rollback = nil }
    // The history of an undo has no edits that were rolled back.
    map.withoutRecording {
      transaction {
        body()
        restore(reverted)
        alignSides(of: reverted)
        for entry in reverted { entry.model.retainUnsavedLinks(of: entry.field) }
        for entry in reverted { (entry.field as? any Relation)?.balanceLinks() }
        noteStoredLinks(among: reverted)
        addLinkedModels()
      }
    }
    for entry in reverted {
      let id = ObjectIdentifier(entry.field)
      if !changedElsewhere.contains(id), entry.captured == nil {
        for (undo, epoch) in entry.epochs { undo.undo?.epochs[id] = epoch }
      } else if uncommitted[id] != nil || entry.captured != nil {
        // The step of the other task begins with a saved state, which was rolled back. Or a save of that task has
        // stored the earlier value.
        map.forEachUndo { $0.noteBaseline(of: entry.field) }
      }
    }
    for (model, load) in documentLoads { model.details?.documentLoad = load }
    let models = Set(reverted.map(\.model))
    for model in models.union(newModels) {
      // A record that was committed meanwhile is read again.
      model.readVersion = nil
      guard let map = model.identityMap else { continue }
      // A model that was in no scope before belongs to the caller: a repeated transaction makes another one.
      // Its embedded models belong to it.
      let isCallers = newModels.contains(model) && (model.origin == .new || model.isEmbedded)
      guard isCallers else {
        map.updateRetention(of: model)
        continue
      }
      for outer in map.transactions { outer.remove(model) }
      map.release(model)
    }
    let additions = additionsToKeptLists(among: reverted)
    removeModels()
    // The states of other tasks retain new models.
    restored = [:]
    for index in reverted.indices { reverted[index].elsewhere = nil }
    removeReleased(additions)
    removeLinksOfReleasedModels(from: reverted)
    // Steps that are removed until here are not announced.
    map.forEachUndo { $0.transactionEnded(numbers) }
    return models
  }

  /// Returns the new models of the transaction in lists that keep their values, because another task changed them.
  private func additionsToKeptLists(
    among reverted: [Entry]
  ) -> [(list: any Relation, members: [WeakModel])] {
    reverted.compactMap { entry in
      guard entry.elsewhere != nil || overtaken.contains(ObjectIdentifier(entry.field)),
        let list = entry.field as? any Relation, list.isToMany
      else { return nil }
      let members = list.liveModels.filter { newModels.contains($0) && $0.origin == .new }
      return members.isEmpty ? nil : (list, members.map { WeakModel(model: $0) })
    }
  }

  /// Removes new models from lists unless a caller retains them.
  private func removeReleased(_ additions: [(list: any Relation, members: [WeakModel])]) {
    for (list, members) in additions {
      let ids = Set(members.compactMap { $0.model.map { ObjectIdentifier($0) } })
      let state = list.captureState()
      // Histories, outer transactions and the state retain them, too.
      var additions = map.undos.flatMap { $0.undo?.release(ids, from: list) ?? [] }
      additions += map.transactions.flatMap { $0.release(ids, from: list) }
      if let addition = (state as? any RelationState)?.release(ids) { additions.append(addition) }
      map.withoutRecording {
        transaction {
          let models = members.compactMap(\.model)
          let change = RelationChange(.local)
          list.unlink(models, change)
          // A clean list has kept them as its baseline.
          _ = (list.captureState() as? any RelationState)?.release(ids)
          list.markCleanIfAsStored()
          for model in models { model.identityMap?.release(model) }
          change.announce()
        }
      }
      for addition in additions { addition() }
      let kept = members.compactMap(\.model)
      map.withoutRecording {
        transaction {
          for model in kept {
            _ = list.link(model)
            model.identityMap?.release(model)
          }
          // The remaining members have the positions that another task gave them.
          if !kept.isEmpty { list.reinstate(state, exactly: true, marksClean: false) }
        }
      }
      map.forEachUndo { $0.removeVoidEntries(of: list, by: numbers) }
    }
  }

  /// Updates the baselines of restored relations with the links that a save by another task stored.
  private func noteStoredLinks(among reverted: [Entry]) {
    for entry in reverted where savedElsewhere.contains(ObjectIdentifier(entry.field)) && !entry.field.isDirty {
      guard let relation = entry.field as? any Relation, relation.isForeignKey else { continue }
      let known = (entry.before as? any RelationState)?.knownModels ?? []
      for model in Set(known + relation.liveModels) where !entry.model.isApart(from: model) {
        relation.inverse(on: model)?.noteStoredLink(of: entry.model, exists: relation.refers(to: model))
      }
    }
  }

  /// Restores relations again that have only links of new models that no caller retains: nothing is unsaved in them.
  private func removeLinksOfReleasedModels(from reverted: [Entry]) {
    if linksOfNewModels.isEmpty { return }
    for entry in reverted {
      guard let links = linksOfNewModels[ObjectIdentifier(entry.field)], links.areReleased,
        entry.field.lastChange == links.lastChange
      else { continue }
      map.withoutRecording { reinstate(entry) }
      (entry.field as? any Relation)?.balanceLinks()
      map.updateRetention(of: entry.model)
    }
  }

  /// Adds new models that the transaction created to the scope again if they are linked to one of its models.
  private func addLinkedModels() {
    for model in created where model.origin == .new && !model.isDeleted && model.identityMap == nil {
      let isLinked = model.relations.contains { $0.liveModels.contains { $0.identityMap === map } }
      if isLinked { map.add(model) }
    }
    for model in newModels where model.identityMap === map { map.addRelated(to: model) }
  }

  private func restore(_ reverted: [Entry]) {
    // An identifier that the transaction assigned was removed.
    for field in savedFields.values.joined() where !field.isUnset { field.markNeverSaved() }
    var relations: [(relation: any Relation, owner: ModelObject, present: [ModelObject])] = []
    // The lists that get back a state from the middle of the transaction, which has its links of then.
    var lists: [(relation: any Relation, owner: ModelObject, present: [ModelObject])] = []
    for entry in reverted {
      let id = ObjectIdentifier(entry.field)
      // The value and the baseline are those of the other task: a save by it may have stored the one from before.
      if overtaken.contains(id), !entry.field.isRelation, uncommitted[id] == nil { continue }
      let elsewhere = overtaken.contains(id) ? entry.field.captureState() : entry.elsewhere
      if let relation = entry.field as? any Relation {
        if elsewhere == nil {
          relations.append((relation, entry.model, relation.liveModels))
        } else if relation.isToMany, !overtaken.contains(id) {
          lists.append((relation, entry.model, relation.liveModels))
        }
      }
      guard let elsewhere else {
        reinstate(entry)
        continue
      }
      let hasUncommittedBaseline =
        entry.hasUncommittedBaseline
        || overtaken.contains(id) && (uncommitted[id] != nil || deleted[entry.model] != nil)
      entry.field.reinstate(
        hasUncommittedBaseline && elsewhere.isDirty ? entry.before : elsewhere, exactly: true, marksClean: false)
      if elsewhere.isDirty { entry.field.reinstate(elsewhere, exactly: false, marksClean: true) }
      if let stamp = entry.captured, !overtaken.contains(id) {
        entry.field.reinstateLastChange(elsewhere)
        entry.field.markSaved(asOf: stamp)
      }
    }
    for (relation, _, _) in relations where !deletedElsewhere.isEmpty {
      for model in relation.liveModels where model.isDeleted && deletedElsewhere.contains(model) {
        let change = RelationChange(.reading)
        relation.detachInverse(model, change)
        change.announce()
      }
    }
    let restored = Set(reverted.map { ObjectIdentifier($0.field) }).subtracting(changedElsewhere)
    for (relation, owner, present) in relations {
      let former = relation.liveModels
      if former.isEmpty, present.isEmpty { continue }
      let (old, new) = (Set(former), Set(present))
      for model in present where !old.contains(model) {
        guard let inverse = relation.inverse(on: model), !restored.contains(ObjectIdentifier(inverse)) else { continue }
        align(inverse, of: model, withRestored: relation, of: owner)
      }
      for model in former where !new.contains(model) {
        guard let inverse = relation.inverse(on: model), !restored.contains(ObjectIdentifier(inverse)) else { continue }
        align(inverse, of: model, withRestored: relation, of: owner)
      }
    }
    for (list, owner, present) in lists {
      let former = list.liveModels
      let (old, new) = (Set(former), Set(present))
      for model in former.filter({ !new.contains($0) }) + present.filter({ !old.contains($0) }) {
        // The inverse decides: it was restored, is of a new model, or has the value of another task.
        if let inverse = list.inverse(on: model) { align(list, of: owner, withRestored: inverse, of: model) }
      }
    }
    // Models inside that another task edited are to be saved with the restored relation.
    for entry in reverted where !entry.field.isDirty {
      guard let relation = entry.field as? any Relation, relation.hasEmbeddedEdits else { continue }
      for model in relation.embeddedModels where model.allFields.contains(where: \.isDirty) { model.markContainers() }
    }
  }

  /// Completes or cuts links that only one side has. An edit of another task, or an undo in the transaction, lies
  /// between the restored states of the sides. A relation to one model decides.
  private func alignSides(of reverted: [Entry]) {
    var relations = reverted.compactMap { entry in (entry.field as? any Relation).map { ($0, entry.model) } }
    for model in newModels where model.origin == .new { relations += model.relations.map { ($0, model) } }
    for (relation, owner) in relations where !owner.isDeleted {
      for model in relation.liveModels where !model.isDeleted && !owner.isApart(from: model) {
        guard let inverse = relation.inverse(on: model), !inverse.refers(to: owner) else { continue }
        if relation.isToMany, !inverse.isToMany {
          align(relation, of: owner, withRestored: inverse, of: model)
          continue
        }
        align(inverse, of: model, withRestored: relation, of: owner)
        let id = ObjectIdentifier(inverse)
        if owner.origin == .new, newModels.contains(owner), !changedElsewhere.contains(id), inverse.refers(to: owner) {
          linksOfNewModels[id, default: LinksOfNewModels()].add(owner, to: inverse)
        }
      }
    }
  }

  /// Gives a field back its value from before the transaction.
  private func reinstate(_ entry: Entry) {
    entry.field.reinstate(entry.before, exactly: true, marksClean: false)
    // A save by another task that began after the edit saves the value.
    if entry.before.isDirty { entry.field.reinstateLastChange(entry.before) }
    if let stamp = entry.captured { entry.field.markSaved(asOf: stamp) }
  }

  /// Makes both sides of a link equal where only one was restored: the other one is of a new model, or another task
  /// changed it.
  private func align(
    _ inverse: any Relation, of model: ModelObject, withRestored relation: any Relation, of owner: ModelObject
  ) {
    let isLinked = relation.refers(to: model)
    if isLinked == inverse.refers(to: owner) { return }
    // The record of the model has the link.
    let isStored = inverse.isForeignKey && !inverse.isDirty && model.origin == .read && !model.isDeleted
    let keepsLink =
      !isLinked && (relation.isToMany || (!inverse.isToMany && relation.liveModels.isEmpty))
      && (!inverse.isDirty || !changedElsewhere.contains(ObjectIdentifier(inverse))) && inverse.isForeignKey
      && (isStored || !relation.isForeignKey)
    let isRead = keepsLink && isStored || !inverse.isDirty && !relation.isDirty
    let change = RelationChange(isRead ? .reading : .local)
    if keepsLink {
      // A new model, and one that the transaction read first, keep the links that their own records have.
      inverse.linkInverse(owner, change)
      if newModels.contains(model), model.origin == .new {
        linksOfNewModels[ObjectIdentifier(relation), default: LinksOfNewModels()].add(model, to: relation)
      }
    } else if !isLinked {
      inverse.detachInverse(owner, change)
    } else if inverse.isToMany || inverse.liveModels.isEmpty {
      relation.linkInverse(model, change)
    } else {
      relation.detachInverse(model, change)
    }
    change.announce()
  }
}

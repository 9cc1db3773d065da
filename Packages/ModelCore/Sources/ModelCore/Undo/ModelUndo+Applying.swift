@_spi(ModelKitInternals) import FieldKit

extension ModelUndo {
  /// Undoes the last step. Observers are notified once all fields are set.
  ///
  /// Fields whose step was saved in the meantime are dirty again. If no field of the step was saved, the dirty states
  /// are restored as well. Members that were read into a list since stay in it.
  ///
  /// - Parameter policy: the treatment of newer values.
  /// - Returns: the models that have to be saved or deleted in a store; without effect if there is no step to undo.
  /// - Throws: ``ModelUndoError`` with a conflict for each field that has a newer value. It is also thrown if a step is
  ///   open, see ``beginStep(_:)``, or an open transaction of another task has recorded edits. Nothing is changed then,
  ///   and the step can be undone later.
  @discardableResult
  public func undo(onConflict policy: ConflictPolicy = .fail) throws(ModelUndoError) -> Changes {
    try prepare()
    guard let step = undoSteps.last else { return Changes(of: self) }
    let (counter, changes) = try apply(step, policy)
    // An observer may have removed all steps.
    if undoSteps.last === step {
      undoSteps.removeLast()
      redoSteps.append(counter)
      didMove(step, as: counter, isUndone: true)
    }
    updateState()
    return changes
  }

  /// Redoes the step that was undone last. An edit in between removes the steps that could be redone.
  ///
  /// - Parameter policy: the treatment of newer values.
  /// - Returns: the models that have to be saved or deleted in a store.
  /// - Throws: ``ModelUndoError`` as ``undo(onConflict:)`` does.
  @discardableResult
  public func redo(onConflict policy: ConflictPolicy = .fail) throws(ModelUndoError) -> Changes {
    try prepare(isRedo: true)
    guard let step = redoSteps.last else { return Changes(of: self) }
    let (counter, changes) = try apply(step, policy, isRedo: true)
    if redoSteps.last === step {
      redoSteps.removeLast()
      undoSteps.append(counter)
      didMove(step, as: counter, isUndone: false)
    }
    updateState()
    return changes
  }

  private func prepare(isRedo: Bool = false) throws(ModelUndoError) {
    if depth > 0 || counterStep != nil { throw ModelUndoError.openStep(label: (counterStep ?? open)?.label) }
    // The transaction of another task may fail, or go on to edit.
    let running = scope.map.transactions.filter { !$0.isEntered }
    if let last = open.flatMap({ $0.isEmpty ? nil : $0 }) ?? undoSteps.last,
      running.contains(where: {
        last.isPart(of: $0.numbers) || follows(last, $0) || !isRedo && last.hasModels(createdBy: $0)
      })
    {
      throw ModelUndoError.openStep(label: last.label)
    }
    if let moved = isRedo ? redoSteps.last : undoSteps.last,
      running.contains(where: { moved.hasModels(deletedBy: $0) || isRedo && moved.hasModels(createdBy: $0) })
    {
      throw ModelUndoError.openStep(label: moved.label)
    }
    if histories.contains(where: { history in
      !history.counterSteps.isEmpty && running.contains { $0.numbers.contains(history.transaction) }
    }) {
      throw ModelUndoError.openStep(label: (undoSteps.last ?? redoSteps.last)?.label)
    }
    close()
  }

  /// Returns whether a step begins with a value that a transaction set.
  private func follows(_ step: UndoStep, _ transaction: TransactionEdits) -> Bool {
    undoSteps.contains { other in
      other !== step
        && other.entries.contains { entry in
          entry.transaction.map(transaction.numbers.contains) == true && step.lastEntry(of: entry.field) != nil
        }
    }
  }

  private func apply(
    _ step: UndoStep, _ policy: ConflictPolicy, isRedo: Bool = false
  ) throws(ModelUndoError) -> (counter: UndoStep, changes: Changes) {
    let check = UndoCheck(step, isRedo: isRedo)
    if policy == .fail, !check.conflicts.isEmpty {
      throw ModelUndoError.newerValues(check.conflicts, label: step.label)
    }
    let counter = UndoStep(label: step.label)
    willMoveStep(reversedBy: counter)
    counterStep = counter
    var touched: [ModelObject] = []
    var known: Set<ModelObject> = []
    func touch(_ model: ModelObject) {
      guard known.insert(model).inserted else { return }
      touched.append(model)
      // An embedded model is saved with its container.
      if model.isEmbedded { for container in model.containingModels { touch(container) } }
    }
    let restored = step.existences.lazy.filter { $0.existedBefore && $0.model.isDeleted }.map(\.model)
    let recreated = Set(restored)
    // An undo of their creation must not lose that they need records.
    if !recreated.isEmpty { for other in undoSteps + redoSteps { other.noteDeletions(of: recreated) } }
    transaction {
      for existence in step.existences where existence.existedBefore { appear(existence.model) }
      for (entry, isExact) in check.entries {
        touch(entry.model)
        let isBeingSaved = modelsBeingSaved[entry.model] != nil
        let isEmbedded = (entry.field as? any Relation)?.isToMany == true && !UndoCheck.mergesMembers(entry.field)
        if entry.field.isRelation, check.mergesRelations, !isEmbedded {
          if let after = entry.after { (entry.field as? any Relation)?.revert(from: after, to: entry.before) }
        } else {
          let isCurrent = isExact && epochs[ObjectIdentifier(entry.field)] == entry.epoch && !isBeingSaved
          entry.field.reinstate(
            entry.before, exactly: isCurrent && entry.after?.hasStates(of: entry.field) == true,
            marksClean: !isBeingSaved)
        }
      }
      // A change of the side that retains a link is not part of the step.
      for (entry, _) in check.entries { (entry.field as? any Relation)?.balanceLinks() }
      nullifyLinks(of: step)
    }
    removeTransientModels(of: counter, except: Set(step.existences.map(\.model)))
    var deletions: [ModelObject] = []
    for existence in step.existences.reversed() {
      let model = existence.model
      counter.noteExistence(
        of: model, before: !existence.existedBefore, isDeletion: existence.isDeletion || recreated.contains(model))
      if existence.existedBefore {
        touch(model)
      } else if model.isStored, !model.hasNoIdentifier {
        modelsToDelete.insert(model)
        deletions.append(model)
      } else {
        willMove(model)
        scope.map.remove(model)
        // It had a record before it was deleted for the first time, and needs one again after another undo.
        if existence.isDeletion { model.markDeleted(in: scope) }
      }
    }
    counterStep = nil
    counter.complete()
    for model in touched {
      // A read that kept an unsaved edit is to be repeated.
      model.readVersion = nil
      model.markContainersCleanIfReverted()
    }
    for model in touched { model.identityMap?.updateRetention(of: model) }
    // The models of a draft are applied, not saved.
    if scope.map.isDraft { return (counter, Changes(label: step.label, of: self)) }
    let gone = Set(step.existences.lazy.filter { !$0.existedBefore }.map(\.model))
    let saves = touched.filter { model in
      recreated.contains(model)
        || (model.isStored && !gone.contains(model) && model.isUnsaved && !model.isPartOfContainer)
    }
    let sorted = Self.sorted(saves, except: gone)
    return (counter, Changes(label: step.label, saving: sorted, deleting: deletions, of: self))
  }

  /// Returns models to save in an order in which they can be saved: after the new models that they reference, which
  /// are added.
  private static func sorted(_ models: [ModelObject], except gone: Set<ModelObject>) -> [ModelObject] {
    func referenced(by model: ModelObject) -> [ModelObject] {
      model.relations.filter(\.isForeignKey).flatMap(\.relatedModels).filter {
        !$0.isStored && !$0.isDeleted && !gone.contains($0)
      }
    }
    var sorted: [ModelObject] = []
    var seen: Set<ModelObject> = []
    for model in models where seen.insert(model).inserted {
      // Not recursive: a chain of references may be long.
      var pending = [(model: model, references: referenced(by: model))]
      while var last = pending.popLast() {
        guard let next = last.references.popLast() else {
          sorted.append(last.model)
          continue
        }
        pending.append(last)
        if seen.insert(next).inserted { pending.append((next, referenced(by: next))) }
      }
    }
    return sorted
  }

  /// Cuts the remaining links of the models that leave the scope: earlier links, one-sided links that the undo left,
  /// and links among these models. Otherwise a store would cut them one by one, as edits of its own.
  private func nullifyLinks(of step: UndoStep) {
    let concerned = Set(step.existences.map(\.model)), change = RelationChange()
    for existence in step.existences where !existence.existedBefore {
      for relation in existence.model.relations {
        // Embedded models leave and return with the model.
        let linked = relation.relatedModels.filter { other in
          guard let inverse = relation.inverse(on: other) else {
            // The deletion by the store cuts it.
            return existence.model.isStored && !existence.model.hasNoIdentifier && !other.isPartOfContainer
          }
          if inverse.refers(to: existence.model) {
            // New models that leave together keep the links among them.
            return other.isStored || other.isDeleted || (existence.model.isStored && concerned.contains(other))
          }
          // The inverse was undone already.
          relation.isUneven = true
          return true
        }
        if !linked.isEmpty { relation.unlink(linked, change) }
      }
    }
    change.announce()
  }

  /// Removes deleted models that joined the scope while the fields were set. A list had them between two edits of the
  /// step, which also deleted them.
  private func removeTransientModels(of counter: UndoStep, except concerned: Set<ModelObject>) {
    for model in counter.existences.map(\.model) where model.isDeleted && !concerned.contains(model) {
      counter.markTransient(model)
      scope.map.remove(model)
    }
  }

  /// Makes a model part of the scope again.
  private func appear(_ model: ModelObject) {
    modelsToDelete.remove(model)
    if model.isStored, model.identityMap === scope.map { return }
    willMove(model)
    model.markNew()
    model.isDeleted = false
    // A record that still references the model may have been read meanwhile.
    if let identifier = model.modelIdentifier,
      let reference = scope.map.canonicalModel(of: model.typeKey, identifier: identifier),
      reference !== model, reference.isUnloadedReference
    {
      scope.map.remove(reference)
    }
    scope.map.add(model)
    scope.map.keep(model)
  }

  /// Records a model before it becomes part of the scope or leaves it, in case the open transaction of a store fails.
  private func willMove(_ model: ModelObject) {
    let map = scope.map, isMember = model.identityMap === map, (state, wasStored) = (model.storeState, model.isStored)
    map.innermostTransaction?.onFailure {
      // Another task has created its record meanwhile.
      if !wasStored, model.isStored, map.rollback?.createdElsewhere.contains(model) == true {
        map.add(model, isCreated: true)
        return
      }
      model.restore(state)
      if isMember { map.add(model, isCreated: model.isStored) } else { map.remove(model) }
    }
  }
}

/// The comparison of the values that a step set with the current ones.
private struct UndoCheck {
  /// The entries, the last one first, each with whether the field has the value that the step left.
  private(set) var entries: [(entry: UndoStep.Entry, isExact: Bool)] = []
  private(set) var conflicts: [EditConflict] = []
  /// Whether a relation has a newer value, so that the relations have to be changed as a caller would.
  private(set) var mergesRelations = false

  /// Returns whether an undo adds and removes single members. Embedded models that were read again are other objects.
  static func mergesMembers(_ field: AnyField) -> Bool {
    guard let relation = field as? any Relation, relation.isToMany else { return false }
    return !relation.liveModels.contains(where: \.isPartOfContainer)
  }

  /// Returns whether two states of a relation have embedded models with equal values: a document that is read again
  /// gives other objects.
  private static func embedEqualModels(_ left: FieldState, _ right: FieldState, of entry: UndoStep.Entry) -> Bool {
    func models(_ state: FieldState) -> [ModelObject]? {
      (state.anyValue as? ModelObject).map { [$0] } ?? state.anyValue as? [ModelObject]
    }
    func values(_ model: ModelObject) -> AttributeDictionary? {
      // The link to the container is cut in the one that was replaced.
      let fields = model.fieldsForDictionaryValue().filter {
        ($0 as? any Relation)?.inverse(on: entry.model) !== entry.field
      }
      return try? model.encodedDictionary(fields: fields, in: entry.model.memberScope)
    }
    guard let left = models(left), let right = models(right), left.count == right.count else { return false }
    return zip(left, right).allSatisfy { left, right in
      if left === right { return true }
      guard left.isPartOfContainer, right.isPartOfContainer, type(of: left) == type(of: right),
        let value = values(left)
      else { return false }
      return value == values(right)
    }
  }

  init(_ step: UndoStep, isRedo: Bool) {
    let created = Set(step.existences.lazy.filter { !$0.existedBefore }.map(\.model))
    var later: [ObjectIdentifier: FieldState] = [:]
    mergesRelations = step.mergesRelations
    for entry in step.entries.reversed() {
      guard let after = entry.after else { continue }
      let id = ObjectIdentifier(entry.field)
      let isFirst = later[id] == nil
      let now = later[id] ?? entry.field.captureState()
      let isExact = after.mayHaveValue(of: now)
      later[id] = entry.before
      entries.append((entry, isExact))
      let isReadAgain = !isExact && Self.embedEqualModels(after, now, of: entry)
      if entry.field.isRelation, !(isExact || isReadAgain) || !isFirst { mergesRelations = true }
      // The value of an unloaded field is no newer one.
      let isUnloaded = isFirst && !entry.field.isRelation && entry.field.isUnset && !entry.field.isDirty
      if !isExact, !isReadAgain, !isUnloaded, !Self.mergesMembers(entry.field), !created.contains(entry.model) {
        // A step to redo replaces the value from before the edit by the value that the edit set.
        let (base, mine) = isRedo ? (after, entry.before) : (entry.before, after)
        conflicts.append(
          EditConflict(entry.field, of: entry.model, base: base.anyValue, mine: mine.anyValue, theirs: now.anyValue))
      }
    }
  }
}

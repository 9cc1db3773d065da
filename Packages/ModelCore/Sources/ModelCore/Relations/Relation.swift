@_spi(ModelKitInternals) import FieldKit

/// The operations that the two sides of a relation call on each other.
///
/// The side on which a link is set retains the related model. The inverse, updated by `attachInverse`, holds it weakly,
/// so that an inverse never creates a retain cycle. A link of a model to itself is weak on both sides.
protocol Relation: RelationField {
  /// Whether there may be links that only one side contains: after this side was unloaded, or was set without updating
  /// the inverse.
  var isUneven: Bool { get set }
  /// Sets the models without updating inverses or notifying observers, as copies do.
  ///
  /// - Parameters:
  ///   - links: the models, each with whether this side retains it.
  ///   - isUneven: whether there may be links that only one side contains.
  func refer(to links: [(model: ModelObject, isRetained: Bool)]?, isUneven: Bool)
  /// Notifies the observers of the current value.
  func announceReference()
  /// Returns the inverse that the declaration of this side names, if any.
  func declaredInverse(on related: ModelObject) -> (any Relation)?
  /// Whether the relation itself declares an inverse.
  var declaresInverse: Bool { get }
  /// Returns whether the field can reference models of a class.
  func accepts(_ modelClass: ModelObject.Type) -> Bool
  /// Returns whether this side has a link to the model.
  func refers(to model: ModelObject) -> Bool
  /// Returns whether this side retains the model, as a related model or in its baseline.
  func retains(_ model: ModelObject) -> Bool
  /// Returns whether this side retains the model as a related model.
  func retainsLink(to model: ModelObject) -> Bool
  /// Makes the link to a model weak, because the inverse retains the model.
  func see(_ model: ModelObject)
  /// Makes a weak link to a deallocated model one to another object with the same identifier, whose inverse lacks it.
  func restoreReleasedLink(to model: ModelObject, _ change: RelationChange)
  /// Makes this side retain its members, which then hold the model of this side weakly.
  ///
  /// - Parameter others: members that are left as they are.
  func retainLinks(except others: Set<ObjectIdentifier>)
  /// Makes this side retain a related model.
  func retainLink(to model: ModelObject)
  /// The number of links, those of deallocated models included.
  var linkCount: Int { get }
  /// The related models that this side retains.
  var retainedModels: [ModelObject] { get }
  /// The related models in memory. Unlike ``relatedModels``, creates no unloaded reference.
  var liveModels: [ModelObject] { get }
  /// Adds a link that was made on the inverse. A model that has to be replaced loses its own link.
  ///
  /// - Returns: whether this side retains the model, so that the inverse must not.
  func attachInverse(_ model: ModelObject, _ change: RelationChange) -> Bool
  /// Removes a link that was cut on the inverse.
  func detachInverse(_ model: ModelObject, _ change: RelationChange)
  /// Checks whether weakly held members were deallocated, before the list is marked as complete.
  func removeReleasedMembers()
  /// Marks a list as clean if all its changes were saved with its inverse.
  func markFollowedSaved(asOf stamp: ChangeStamp)
  /// Marks the relation as changed because an embedded model was edited.
  func markEmbeddedEdit(of model: ModelObject)
  /// Marks an edited list that is in no record as loaded, before a save writes it.
  func completeIfInNoRecord()
  /// Marks the relation as loaded after a store found all related models by their inverse.
  func markLoaded()
  /// Updates the load state after the list was written as part of a record.
  func updateLoadStateAfterWrite()
  /// Updates the baseline of a relation that only its inverse stores.
  func noteStoredLink(of model: ModelObject, exists: Bool)
  /// Marks a relation that only its inverse stores as clean if it equals its baseline.
  func markCleanIfAsStored()
  /// Adds a model to a to-many relation, or sets it in a to-one relation.
  ///
  /// - Returns: `false` if it is of another class.
  func link(_ model: ModelObject) -> Bool
  /// Restores links to models that were read here, if the values read inside these models cut them. A list inside one
  /// of them can't reference a model without identifier, so its absence there does not remove the link.
  func keepLinks(to models: [ModelObject])
  /// Merges a stored list into a dirty, incomplete one.
  func join(read models: [ModelObject])
  /// Returns whether the relation is a list that lacks members which were deallocated.
  func hasLostMembers() -> Bool
  /// Cuts the links to models.
  func unlink(_ models: [ModelObject], _ change: RelationChange)

  /// Changes a relation from a captured state to an earlier one as a caller would, with its inverse. Members that were
  /// added or removed since stay so.
  func revert(from after: FieldState, to before: FieldState)

  // The operations of `revert()`: see `RelationBaseline`.

  /// The related models of the baseline; nil if the relation has none.
  var baselineModels: [ModelObject]? { get }
  /// The models of the baseline, even one that was deallocated and that another instance stands for now.
  var formerModels: [ModelObject]? { get }
  /// Returns whether the baseline references the model.
  func isReverted(to model: ModelObject) -> Bool
  /// Restores the baseline.
  ///
  /// - Returns: `false` if there is none.
  func revertToBaseline() -> Bool
  /// Marks the relation as clean if its value equals the baseline.
  func markCleanIfReverted(asOf stamp: ChangeStamp)
  /// Removes a deleted model from the baseline.
  func removeFromBaseline(_ model: ModelObject)
  /// Copies the baseline of another relation, with copies in place of the models that were copied.
  ///
  /// - Parameter retains: whether to retain the copy of a model.
  func keepBaseline(
    of relation: any Relation, _ copies: [ObjectIdentifier: ModelObject], retaining retains: (ModelObject) -> Bool)
}

extension Relation {
  func restoreReleasedLink(to model: ModelObject, _ change: RelationChange) {}

  func retainLink(to model: ModelObject) {}

  func removeReleasedMembers() {}

  func markFollowedSaved(asOf stamp: ChangeStamp) {}

  func completeIfInNoRecord() {}

  func updateLoadStateAfterWrite() {}

  func join(read models: [ModelObject]) {}

  func hasLostMembers() -> Bool { false }

  var ownerModel: ModelObject? { owner as? ModelObject }

  // MARK: Inverse

  /// Returns the inverse of this relation on a related model. An inverse is declared on one side and applies to both.
  func inverse(on related: ModelObject) -> (any Relation)? {
    if let declared = declaredInverse(on: related) { return declared }
    guard let owner = ownerModel else { return nil }
    let inverse = isDynamic ? nil : layoutInverse(on: related, owner)
    if inverse != nil || !(isDynamic || related.hasDynamicFields) { return inverse }
    return firstInverse(on: related, owner) { isDynamic || $0 < 0 }?.field
  }

  /// Whether the relation was added to its model at run time. Such relations have no index in the layout, and differ
  /// from model to model.
  private var isDynamic: Bool { layoutIndex == .max }

  /// Returns the inverse, if both relations are declared in their classes.
  private func layoutInverse(on related: ModelObject, _ owner: ModelObject) -> (any Relation)? {
    let key = ModelLayout.InverseKey(
      index: Int(layoutIndex), relatedClass: ObjectIdentifier(type(of: related)))
    if let known = owner.layout.inverses.withLock({ $0[key] }) {
      return known < 0 ? nil : related.layout.field(at: known, of: related) as? any Relation
    }
    let found = firstInverse(on: related, owner) { $0 >= 0 }
    // A property may have no field, or a different one, in another model, so a failed search is not cached there.
    if found != nil || !related.layout.slots.contains(where: { $0.isOptional || $0.isVariable }) {
      owner.layout.inverses.withLock { $0[key] = found?.index ?? -1 }
    }
    return found?.field
  }

  /// Returns the index of the inverse in the layout of a related model, or -1 if there is none. Nil means that the
  /// model has to be searched.
  func knownInverseIndex(on related: ModelObject, _ owner: ModelObject) -> Int? {
    guard !isDynamic, !related.hasDynamicFields else { return nil }
    let key = ModelLayout.InverseKey(index: Int(layoutIndex), relatedClass: ObjectIdentifier(type(of: related)))
    if let known = owner.layout.inverses.withLock({ $0[key] }) { return known }
    _ = layoutInverse(on: related, owner)
    return owner.layout.inverses.withLock { $0[key] }
  }

  private func firstInverse(
    on related: ModelObject, _ owner: ModelObject, _ isCandidate: (Int) -> Bool
  ) -> (index: Int, field: any Relation)? {
    var found: (index: Int, field: any Relation)?
    related.forEachField { field, index in
      guard found == nil, isCandidate(index), field.isRelation, let candidate = field as? any Relation,
        candidate.accepts(type(of: owner)), candidate.declaredInverse(on: owner) === self
      else { return }
      found = (index, candidate)
    }
    return found
  }

  /// Adds a link that was made on this side to the inverse.
  func linkInverse(_ related: ModelObject, _ change: RelationChange) {
    guard let owner = ownerModel else { return }
    linkInverse(related, to: owner, inverse(on: related), change)
  }

  func linkInverse(
    _ related: ModelObject, to owner: ModelObject, _ inverse: (any Relation)?, _ change: RelationChange
  ) {
    // A model that retained itself would never be released.
    if related === owner { see(related) }
    guard let inverse, inverse !== self else { return }
    if owner.isApart(from: related) {
      isUneven = true
      return
    }
    if isUneven || inverse.isUneven, inverse.refers(to: owner) {
      if inverse.retains(owner) { see(related) }
    } else if inverse.attachInverse(owner, change) {
      see(related)
    }
  }

  /// Removes a link that was cut on this side from the inverse.
  func cutInverse(_ related: ModelObject, _ change: RelationChange) {
    guard let owner = ownerModel, let inverse = inverse(on: related), inverse !== self else { return }
    if isUneven || inverse.isUneven, !inverse.refers(to: owner) {
      if owner.isStoredOnlyByInverse(self) { inverse.cutUnloadedLink(to: owner, of: related, change) }
      return
    }
    inverse.detachInverse(owner, change)
  }

  /// Adds the model of this relation and a related model to the same scope.
  func shareScope(with related: ModelObject, _ change: RelationChange) {
    guard let owner = ownerModel else { return }
    if let map = owner.identityMap {
      if related.identityMap == nil, !map.isDraft { map.add(related, by: change) }
      if change.kind == .local, let other = related.identityMap, other !== map, !map.isDraft, !other.isDraft {
        ModelIssue.report(FieldError(scopesDiffer: self, of: owner, related))
      }
    } else if let map = related.identityMap, !map.isDraft {
      map.add(owner, by: change)
    }
  }

  /// Returns the copy of a model in the draft that this relation belongs to, for an edit; otherwise the model.
  func copyInDraft<Related: ModelObject>(of model: Related, _ change: RelationChange) -> Related {
    guard let map = ownerModel?.identityMap, map.isDraft, change.kind == .local else { return model }
    return map.draft?.copy(of: model) as? Related ?? model
  }

  /// Cuts the links to models, in one operation.
  func unlink(_ models: [ModelObject]) {
    let change = RelationChange()
    unlink(models, change)
    change.announce()
  }

  // MARK: Baseline

  /// Reverts the to-one inverses of models that a revert removed from this relation: they have the links again that
  /// they lost to it. A previous model of a one-to-one relation that has another link by now keeps that.
  func revertInverses(of models: [ModelObject]) {
    for model in models where !model.isDeleted {
      guard let link = inverse(on: model), link !== self, !link.isToMany, link.isDirty, link.relatedModels.isEmpty
      else { continue }
      let isTaken = link.formerModels?.contains { former in
        guard let other = link.inverse(on: former), !other.isToMany else { return former.isDeleted }
        return former.isDeleted || !other.relatedModels.isEmpty
      }
      if isTaken == false { _ = link.restore() }
    }
  }

  /// Cuts all links, because the relation was never read or saved.
  func unlinkAll() {
    let change = RelationChange(.reversion)
    // An explicit nil is a value to record, too.
    change.willChange(self)
    unlink(relatedModels.filter { !isStored(by: $0) }, change)
    change.announce()
  }

  /// Returns whether a baseline has to be kept before a change. A new model needs none.
  func hasToKeepBaseline(before change: RelationChange) -> Bool {
    if change.isRead { return false }
    return isOriginal || (wasNeverSaved && ownerModel?.origin == .read && !isDirty)
  }
}

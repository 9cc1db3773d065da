@_spi(ModelKitInternals) import FieldKit

/// What the two sides of a relation ask of each other. The side on which a link is set retains the related model, and
/// the other side, reached through `attachBack`, sees it weakly: so an inverse never makes a retain cycle.
protocol Relation: RelationField {
  /// Whether there may be links of which only one side knows: after this side was unloaded, or was made to refer to models
  /// without a word to them.
  var isUneven: Bool { get }
  /// Takes models without a word to the other side or to observers, as copies take what the originals have.
  ///
  /// - Parameters:
  ///   - links: the models, each with whether this side keeps it alive.
  ///   - isUneven: whether there may be links of which only one side knows.
  func refer(to links: [(model: ModelObject, isRetained: Bool)]?, isUneven: Bool)
  /// Tells the observers what the relation refers to now.
  func announceReference()
  /// What the declaration says is the other side, if it says so on this side.
  func declaredInverse(on related: ModelObject) -> (any Relation)?
  /// Whether models of this class can stand in this field.
  func accepts(_ modelClass: ModelObject.Type) -> Bool
  /// Whether this side has a link to the model.
  func refers(to model: ModelObject) -> Bool
  /// Whether this side keeps the model alive, as what it leads to or as what it goes back to.
  func retains(_ model: ModelObject) -> Bool
  /// Leads to the model as before, but does not keep it alive: the other side does.
  func see(_ model: ModelObject)
  /// How many links there are at most, without looking at them.
  var linkCount: Int { get }
  /// The related models that this side keeps alive.
  var retainedModels: [ModelObject] { get }
  /// Follows a link that was made on the other side. A model that has to give way loses its own link.
  ///
  /// - Returns: whether this side keeps the model alive, so that the other one must not.
  func attachBack(_ model: ModelObject, _ change: RelationChange) -> Bool
  /// Follows a link that was cut on the other side.
  func detachBack(_ model: ModelObject, _ change: RelationChange)
  /// Sees whether members that nobody retained are gone, before the list is taken to be whole.
  func noticeGoneMembers()
  /// Says that a list which only followed the other side has nothing that is left to be saved.
  func settleFollowed(asOf stamp: ChangeStamp)
  /// Follows that the list was part of a record that was written.
  func settleWritten()
  /// Adds a model to many, or makes it the one.
  ///
  /// - Returns: `false` if it is of another class.
  func link(_ model: ModelObject) -> Bool
  /// Leads once more to models that were read here, if what was read inside of them cut the links. A list inside of one can't
  /// name a model without identifier; and that this model has the other one inside says more than that the list there
  /// lacks it.
  func keepLinks(to models: [ModelObject])
  /// Takes what a store has into a list that is dirty, and of which only a part was known.
  func join(read models: [ModelObject])
  /// Cuts the links to models.
  func unlink(_ models: [ModelObject], _ change: RelationChange)

  // What `revert()` needs: see `RelationBaseline`.

  /// What the relation leads to once it is reverted; nil if it was not changed, or that is not known.
  var baselineModels: [ModelObject]? { get }
  /// Whether it leads to the model once it is reverted.
  func isReverted(to model: ModelObject) -> Bool
  /// Goes back to what was last read or saved.
  ///
  /// - Returns: `false` if that is not known.
  func revertToBaseline() -> Bool
  /// Says that there are no local changes, if what there is now is what was last read or saved.
  func settle(asOf stamp: ChangeStamp)
  /// Goes back to a model no longer, because it was deleted.
  func removeFromBaseline(_ model: ModelObject)
  /// Keeps what another relation goes back to, with copies in place of the models that were copied.
  ///
  /// - Parameter retains: whether to keep the copy of a model alive.
  func keepBaseline(
    of relation: any Relation, _ copies: [ObjectIdentifier: ModelObject], retaining retains: (ModelObject) -> Bool)
}

extension Relation {
  func noticeGoneMembers() {}

  func settleFollowed(asOf stamp: ChangeStamp) {}

  func settleWritten() {}

  func join(read models: [ModelObject]) {}

  var ownerModel: ModelObject? { owner as? ModelObject }

  // MARK: The other side

  /// The other side of this relation on a related model. An inverse is declared on one side and known to both.
  func inverse(on related: ModelObject) -> (any Relation)? {
    if let declared = declaredInverse(on: related) { return declared }
    guard let owner = ownerModel else { return nil }
    let inverse = isDynamic ? nil : layoutInverse(on: related, owner)
    if inverse != nil || !(isDynamic || related.hasDynamicFields) { return inverse }
    return firstInverse(on: related, owner) { isDynamic || $0 < 0 }?.field
  }

  /// Whether it was added to its model at run time. Relations of that kind have no place in the layout, and every model may
  /// have others.
  private var isDynamic: Bool { layoutIndex == .max }

  /// The other side, if both are declared in their classes.
  private func layoutInverse(on related: ModelObject, _ owner: ModelObject) -> (any Relation)? {
    let key = ModelLayout.InverseKey(
      index: Int(layoutIndex), relatedClass: ObjectIdentifier(type(of: related)))
    if let known = owner.layout.inverses.withLock({ $0[key] }) {
      return known < 0 ? nil : related.layout.field(at: known, of: related) as? any Relation
    }
    let found = firstInverse(on: related, owner) { $0 >= 0 }
    // Where a property may hold no field, or another one, what is not found now may be found in another model.
    if found != nil || !related.layout.slots.contains(where: { $0.isOptional || $0.isVariable }) {
      owner.layout.inverses.withLock { $0[key] = found?.index ?? -1 }
    }
    return found?.field
  }

  /// The place of the other side in the layout of a related model, -1 if there is none; nil if that takes a closer look.
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

  /// Has the other side follow a link that was made on this one.
  func linkBack(_ related: ModelObject, _ change: RelationChange) {
    guard let owner = ownerModel, let inverse = inverse(on: related) else { return }
    linkBack(related, to: owner, inverse, change)
  }

  func linkBack(
    _ related: ModelObject, to owner: ModelObject, _ inverse: any Relation, _ change: RelationChange
  ) {
    if inverse === self { return }
    if isUneven || inverse.isUneven, inverse.refers(to: owner) {
      if inverse.retains(owner) { see(related) }
    } else if inverse.attachBack(owner, change) {
      see(related)
    }
  }

  /// Has the other side follow a link that was cut on this one.
  func cutBack(_ related: ModelObject, _ change: RelationChange) {
    guard let owner = ownerModel, let inverse = inverse(on: related), inverse !== self else { return }
    if isUneven || inverse.isUneven, !inverse.refers(to: owner) { return }
    inverse.detachBack(owner, change)
  }

  /// A model joins the scope of the model it is related to.
  func shareScope(with related: ModelObject) {
    guard let owner = ownerModel else { return }
    if let map = owner.identityMap {
      if related.identityMap == nil { map.add(related) }
    } else if let map = related.identityMap {
      map.add(owner)
    }
  }

  /// Cuts the links to models, in one operation.
  func unlink(_ models: [ModelObject]) {
    let change = RelationChange()
    unlink(models, change)
    change.announce()
  }

  // MARK: What to go back to

  /// Cuts all links, because nothing was read or saved of them.
  func unlinkAll() {
    let change = RelationChange(.reversion)
    unlink(relatedModels, change)
    change.announce()
  }

  /// Whether what there is now has to be kept before a change. A new model has nothing to go back to.
  func hasToKeepBaseline(before change: RelationChange) -> Bool {
    if change.isRead { return false }
    return isOriginal || (wasNeverSaved && ownerModel?.origin == .read && !isDirty)
  }
}

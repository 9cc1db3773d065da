@_spi(ModelKitInternals) import FieldKit

// A relation that only its inverse stores has no record to be saved in. Its baseline is the links in the records of the
// related models: it follows each save, read, revert and deletion of such a model. A relation that equals it is clean.

extension AnyField {
  /// Marks the field as saved as of a stamp, and updates the relations of other models that it stores.
  func markWritten(asOf stamp: ChangeStamp) {
    guard isRelation, let relation = self as? any Relation, relation.isForeignKey,
      let owner = relation.ownerModel
    else { return markSaved(asOf: stamp) }
    let models = relation.liveModels + (relation.baselineModels ?? [])
    markSaved(asOf: stamp)
    if isDirty { return }
    for model in models where !owner.isApart(from: model) {
      relation.inverse(on: model)?.noteStoredLink(of: owner, exists: relation.refers(to: model))
    }
  }
}

extension Relation {
  /// Whether the relation is dirty, and only its inverse stores it.
  fileprivate var hasLinksToFollow: Bool {
    isDirty && ownerModel.map { $0.origin == .read && $0.isStoredOnlyByInverse(self) } == true
  }

  /// Returns whether only the record of a model has the link to this relation, or its absence, and has it as it is.
  func isStored(by model: ModelObject) -> Bool {
    guard model.origin == .read, let owner = ownerModel, let link = inverse(on: model) else { return false }
    // A list of the model may be dirty because of other links.
    let isUnchanged =
      !link.isDirty || (link.baselineModels != nil && link.isReverted(to: owner) == link.refers(to: owner))
    return isUnchanged && owner.isStoredOnlyByInverse(self)
  }
}

extension ModelField {
  /// Updates the baseline with the link that the record of a related model has. The relation is then clean if it equals
  /// that.
  ///
  /// - Parameter exists: whether the record references the model of this relation.
  func noteStoredLink(of model: ModelObject, exists: Bool) {
    guard hasLinksToFollow, let model = model as? Related else { return }
    noteComingSave()
    if original == nil, wasNeverSaved { keep(ToOneBaseline(retaining: nil, seeing: nil, nil, .notLoaded)) }
    if exists { original?.see(model) } else if original?.model === model { original?.see(nil) }
    markCleanIfAsStored()
  }

  /// Marks the relation as clean if it equals the baseline.
  func markCleanIfAsStored() {
    if hasLinksToFollow { markCleanIfReverted(asOf: lastChange) }
  }

  /// Updates the baseline with the stored link, which a revert must not change.
  func noteStoredLinks() {
    guard let original, original.model !== liveValue else { return }
    noteComingSave()
    if let model = original.model, isStored(by: model) { original.see(nil) }
    if let model = liveValue, isStored(by: model) { original.see(model) }
  }
}

extension ModelArrayField {
  /// Updates the baseline with the link that the record of a member has. The list is then clean if it equals that.
  ///
  /// - Parameter exists: whether the record references the model of this list.
  /// - Complexity: O(1) on average, or O(*n*) if the list has as many members as its baseline.
  func noteStoredLink(of member: ModelObject, exists: Bool) {
    guard hasLinksToFollow, let member = member as? Related else { return }
    noteComingSave()
    if original == nil, wasNeverSaved { keepBaseline(ToManyBaseline(nil, .notLoaded, wasNeverSaved: true)) }
    if exists { original?.see(member) } else { original?.remove(member) }
    markCleanIfAsStored()
  }

  /// Marks the list as clean if it has the members of the baseline, in any order: the order is stored nowhere.
  func markCleanIfAsStored() {
    guard let original, hasLinksToFollow, original.count == linkCount else { return }
    let members = Set((original.models ?? []).map { ObjectIdentifier($0) })
    guard (liveValue ?? []).allSatisfy({ members.contains(ObjectIdentifier($0)) }) else { return }
    let isNotLoaded = original.loadState == .notLoaded && loadState == .incomplete
    if isNotLoaded { keep(original.models) }
    markSaved(asOf: lastChange)
    hasFollowed = false
    if isNotLoaded { loadState = .notLoaded }
    if original.wasNeverSaved, loadState != .loaded { discardSaved() }
  }

  /// Updates the baseline with all stored links, which a revert must not change.
  func noteStoredLinks() {
    guard let original else { return }
    noteComingSave()
    for model in liveValue ?? [] where !original.contains(model) && isStored(by: model) { original.see(model) }
    for model in original.models ?? [] where !refers(to: model) && isStored(by: model) { original.remove(model) }
  }
}

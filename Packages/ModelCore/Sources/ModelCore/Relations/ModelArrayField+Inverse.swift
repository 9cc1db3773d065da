@_spi(ModelKitInternals) import FieldKit

// The operations that the inverse calls.
extension ModelArrayField {
  func refer(to links: [(model: ModelObject, isRetained: Bool)]?, isUneven: Bool) {
    self.isUneven = isUneven
    guard let links else { return keep(nil) }
    if !isForeignKey { for link in links { link.model.noteContainer(self) } }
    if links.allSatisfy(\.isRetained) { return keep(links.compactMap { $0.model as? Related }) }
    var members = MemberTable<Related>(retaining: [])
    for link in links {
      if let model = link.model as? Related { members.append(model, isRetained: link.isRetained) }
    }
    keep(members)
  }

  func announceReference() {
    if isObserved { announce(from: nil, to: liveValue, isChange: liveValue != nil, stamp: lastChange) }
  }

  func declaredInverse(on related: ModelObject) -> (any Relation)? {
    guard let declaredInverse, let related = related as? Related else { return nil }
    return declaredInverse(related) as? any Relation
  }

  var declaresInverse: Bool { declaredInverse != nil }

  func accepts(_ modelClass: ModelObject.Type) -> Bool { modelClass is Related.Type }

  func refers(to model: ModelObject) -> Bool {
    makeTableIfWorthwhile()
    if table != nil { return table?.contains(model) ?? false }
    return storedValue?.contains { $0 === model } ?? false
  }

  func retains(_ model: ModelObject) -> Bool {
    if let model = model as? Related, original?.retains(model) == true { return true }
    return retainsLink(to: model)
  }

  func retainsLink(to model: ModelObject) -> Bool {
    table == nil ? refers(to: model) : table?.retains(model) ?? false
  }

  func see(_ model: ModelObject) {
    guard let model = model as? Related else { return }
    if table == nil { keep(MemberTable(retaining: storedValue ?? [])) }
    table?.see(model)
  }

  var linkCount: Int { table?.count ?? storedValue?.count ?? 0 }

  var retainedModels: [ModelObject] { table?.retained ?? storedValue ?? [] }

  var liveModels: [ModelObject] { liveValue ?? [] }

  func link(_ model: ModelObject) -> Bool {
    guard let model = model as? Related else { return false }
    add(model)
    return true
  }

  func unlink(_ models: [ModelObject], _ change: RelationChange) {
    _ = remove(contentsOf: models.lazy.compactMap { $0 as? Related }, change)
  }

  func attachInverse(_ model: ModelObject, _ change: RelationChange) -> Bool {
    guard let model = model as? Related else { return false }
    let isFollowing = isFollowing(change) && !isWrittenHere(linkTo: model)
    keepBaseline(before: change)
    let oldValue = valueForObservers
    prepareToSet(isChange: true)
    if table == nil { keep(MemberTable(retaining: storedValue ?? [])) }
    let isRetained = original?.retains(model) ?? false
    table?.append(model, isRetained: isRetained)
    if !isForeignKey { model.noteContainer(self) }
    if change.isRead { original?.see(model) }
    // A record that references a model whose list lacks it was saved without the list; there may be more such records.
    let isPartial = loadState != .loaded || (change.isRead && isNamedByForeignKey(of: model))
    mark(from: oldValue, isPartial: isPartial, isFollowing: isFollowing, change)
    change.note(self)
    change.note(model, in: self)
    return isRetained
  }

  private func isNamedByForeignKey(of model: Related) -> Bool {
    guard let inverse = inverse(on: model) else { return false }
    return inverse.isForeignKey && !(inverse.isToMany && isForeignKey)
  }

  /// Returns whether a link is written with this list, whether or not a list of the other model has it, too.
  private func isWrittenHere(linkTo model: Related) -> Bool { isForeignKey && inverse(on: model)?.isToMany == true }

  /// Returns whether the record of a member has the link, so that the list can be saved with it.
  func isKept(inRecordOf model: Related) -> Bool {
    inverse(on: model)?.isForeignKey == true && !isWrittenHere(linkTo: model)
  }

  func detachInverse(_ model: ModelObject, _ change: RelationChange) {
    guard let model = model as? Related else { return }
    let wasNotLoaded = loadState == .notLoaded
    cut(model, isPartial: loadState != .loaded, isFollowing: isFollowing(change), change)
    // A link that was removed elsewhere does not show the other members: the first assignment is still an edit.
    if wasNotLoaded, change.isRead { loadState = .notLoaded }
    if change.isRead || change.kind == .deletion { original?.remove(model) }
    change.note(self)
    change.note(model, in: self)
  }

  /// Returns whether the list stays saved with its inverse after a change. It was never read, saved or set then: it is
  /// in no record, and a save does not write it.
  func isFollowing(_ change: RelationChange) -> Bool {
    !change.isRead && loadState != .loaded && (isDirty ? hasFollowed : wasNeverSaved)
  }

  func markEmbeddedEdit(of model: ModelObject) {
    let change = RelationChange(forEditOf: model)
    let isPartial = loadState == .incomplete
    keepBaseline(before: change)
    prepareToSet(isChange: true)
    markSet(isChange: true, stamp: change.stamp)
    hasFollowed = false
    if isPartial { loadState = .incomplete }
  }

  func markFollowedSaved(asOf stamp: ChangeStamp) {
    guard hasFollowed, loadState == .incomplete, isDirty, lastChange <= stamp else { return }
    markSaved(asOf: stamp)
    // The list is in no record and was not saved. Later changes of the inverse are not part of the record either.
    discardSaved()
  }

  func removeReleasedMembers() { if table != nil { _ = hookedValue() } }

  /// Marks an edited list as loaded before a save if the stored record has no list. No other member can be lost then.
  /// If members were deallocated, the list stays saved with its inverse: their records have the links.
  func completeIfInNoRecord() {
    guard isDirty, loadState == .incomplete, wasNeverSaved || original?.wasNeverSaved == true, !hasFollowed,
      let owner = ownerModel, owner.isStored, owner.origin == .read, owner.modelLoadState == .loaded
    else { return }
    removeReleasedMembers()
    if lacksMembers { hasFollowed = true } else { loadState = .loaded }
  }

  /// Updates the load state after a write. An incomplete list that was written as it is becomes loaded, because readers
  /// of the record get this list. If no member had an identifier to write, the list is in no record, and stays saved
  /// with its inverse.
  func updateLoadStateAfterWrite() {
    guard !isDirty else { return }
    hasFollowed = false
    guard loadState == .incomplete, let models = liveValue else { return }
    let omitted = isForeignKey ? models.lazy.filter { $0.modelIdentifier == nil }.count : 0
    if omitted == 0 {
      loadState = .loaded
    } else if omitted == models.count {
      discardSaved()
    }
  }
}

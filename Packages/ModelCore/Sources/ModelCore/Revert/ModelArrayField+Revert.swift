@_spi(ModelKitInternals) import FieldKit

// The operations that `revert()` calls.
extension ModelArrayField {
  func keepBaseline(before change: RelationChange) {
    change.willChange(self)
    guard hasToKeepBaseline(before: change) else { return }
    keepBaseline(
      ToManyBaseline(
        table ?? storedValue.map { MemberTable(retaining: $0) }, loadState, wasNeverSaved: wasNeverSaved))
  }

  var baselineModels: [ModelObject]? { original.map { $0.models ?? [] } }

  var formerModels: [ModelObject]? { baselineModels }

  func revertToBaseline() -> Bool {
    noteStoredLinks()
    guard let original else { return false }
    for model in original.models ?? [] where model.isDeleted { original.remove(model) }
    let removed = (liveValue ?? []).filter { !original.contains($0) }
    nextChange = .reversion
    load(original.models, stamp: .next())
    restoreLoadState(original)
    revertEmbedded()
    revertInverses(of: removed)
    return true
  }

  func markCleanIfReverted(asOf stamp: ChangeStamp) {
    guard let original, isDirty, !hasEmbeddedEdits else { return }
    let models = original.models ?? []
    let current = liveValue ?? []
    guard models.count == current.count else { return }
    if !models.elementsEqual(current, by: ===) {
      // The same members in another order, as a revert of the inverse leaves them.
      let members = Set(current.map { ObjectIdentifier($0) })
      guard models.allSatisfy({ members.contains(ObjectIdentifier($0)) }) else { return }
      if let table { keep(table.reordered(as: models)) } else { keep(models) }
    } else if models.isEmpty {
      keep(original.models)
    }
    markReverted(asOf: max(stamp, lastChange))
    restoreLoadState(original)
  }

  private func restoreLoadState(_ original: ToManyBaseline<Related>) {
    if isDirty { return }
    // A list that was never saved is saved with its inverse again.
    if original.wasNeverSaved { discardSaved() }
    if original.loadState != .loaded {
      loadState = original.loadState
    } else if original.hasLostMembers {
      loadState = .incomplete
    }
  }

  func removeFromBaseline(_ model: ModelObject) {
    guard let model = model as? Related, isReverted(to: model) else { return }
    noteComingSave()
    original?.remove(model)
    ownerModel?.noteBaseline(of: self)
  }

  func isReverted(to model: ModelObject) -> Bool { (model as? Related).map { original?.contains($0) == true } ?? false }

  func keepBaseline(
    of relation: any Relation, _ copies: [ObjectIdentifier: ModelObject], retaining retains: (ModelObject) -> Bool
  ) {
    guard let other = (relation as? ModelArrayField)?.original else { return }
    var silent = other.silent
    let members = other.models.map { models in
      var members = MemberTable<Related>(retaining: [])
      for model in models {
        let copy = copies[ObjectIdentifier(model)] as? Related
        if copy == nil { silent.insert(ObjectIdentifier(model)) }
        members.append(copy ?? model, isRetained: copy == nil || retains(model))
      }
      return members
    }
    if !silent.isEmpty { isUneven = true }
    keepBaseline(ToManyBaseline(members, other.loadState, wasNeverSaved: other.wasNeverSaved, silent: silent))
  }
}

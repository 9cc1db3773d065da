@_spi(ModelKitInternals) import FieldKit

// The operations that `revert()` calls.
extension ModelField {
  func keepBaseline(before change: RelationChange) {
    change.willChange(self)
    guard hasToKeepBaseline(before: change) else { return }
    keep(
      ToOneBaseline(
        retaining: readsThroughHook ? nil : storedValue, seeing: backLink, backLinkIdentity, loadState))
  }

  func keep(_ original: ToOneBaseline<Related>) {
    self.original = original
    registerRestoration { [original] field in
      withExtendedLifetime(original) { (field as? any Relation)?.revertToBaseline() ?? false }
    }
  }

  var baselineModels: [ModelObject]? { original.map { $0.model.map { [$0] } ?? [] } }

  var formerModels: [ModelObject]? {
    guard let original, original.model == nil, let identifier = original.identity?.identifier,
      let canonical = ownerModel?.identityMap?.canonicalModel(of: Related.self, identifier: identifier)
    else { return baselineModels }
    return [canonical]
  }

  func revertToBaseline() -> Bool {
    noteStoredLinks()
    guard let original else { return false }
    if original.model?.isDeleted == true { original.see(nil) }
    let model = original.model ?? original.identity?.identifier.map(unloadedReference)
    let former = liveValue, removed = former.flatMap { $0 === model ? nil : $0 }
    nextChange = .reversion
    load(model, stamp: .next())
    restoreLoadState(original)
    revertEmbedded()
    if let removed { revertInverses(of: [removed]) }
    // A link that the record of the other model has is kept, and this record lacks it.
    return !isDirty || liveValue !== former
  }

  func markCleanIfReverted(asOf stamp: ChangeStamp) {
    guard let original, isDirty, original.model === liveValue, !hasEmbeddedEdits else { return }
    // An identifier without a live model differs from no reference.
    if original.model == nil, original.identity?.identifier != nil { return }
    markReverted(asOf: max(stamp, lastChange))
    restoreLoadState(original)
  }

  private func restoreLoadState(_ original: ToOneBaseline<Related>) {
    if isDirty { return }
    let isLost = original.identity != nil && liveValue == nil
    if isLost { loadState = .incomplete } else if original.loadState != .loaded { loadState = original.loadState }
  }

  func removeFromBaseline(_ model: ModelObject) {
    guard let original else { return }
    let former = original.identity?.identifier.map { ExactText($0) }
    let isDeallocated = original.model == nil && former == model.identifierToRegister.map { ExactText($0.text) }
    if original.model === model || (isDeallocated && model is Related) {
      noteComingSave()
      original.see(nil)
      ownerModel?.noteBaseline(of: self)
    }
  }

  func isReverted(to model: ModelObject) -> Bool { original?.model === model }

  func keepBaseline(
    of relation: any Relation, _ copies: [ObjectIdentifier: ModelObject], retaining retains: (ModelObject) -> Bool
  ) {
    guard let other = (relation as? ModelField)?.original else { return }
    func copy(_ model: Related?) -> Related? { model.map { copies[ObjectIdentifier($0)] as? Related ?? $0 } }
    let isSilent = other.model.map { copies[ObjectIdentifier($0)] == nil } ?? other.isSilent
    let isRetained = other.model.map(retains) ?? false
    if isSilent { isUneven = true }
    keep(
      ToOneBaseline(
        retaining: isRetained ? copy(other.model) : nil, seeing: isRetained ? nil : copy(other.model), other.identity,
        other.loadState, isSilent: isSilent))
  }
}

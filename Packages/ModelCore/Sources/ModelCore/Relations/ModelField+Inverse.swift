@_spi(ModelKitInternals) import FieldKit

extension ModelField {
  func refer(to links: [(model: ModelObject, isRetained: Bool)]?, isUneven: Bool) {
    release()
    if let link = links?.first, let model = link.model as? Related {
      if link.isRetained { retain(model) } else { see(model) }
    }
    self.isUneven = isUneven
  }

  func announceReference() {
    if isObserved { announce(from: nil, to: liveValue, isChange: liveValue != nil, stamp: lastChange) }
  }

  var declaresInverse: Bool { declaredInverse != nil }

  func declaredInverse(on related: ModelObject) -> (any Relation)? {
    guard let declaredInverse, let related = related as? Related else { return nil }
    return declaredInverse(related) as? any Relation
  }

  func accepts(_ modelClass: ModelObject.Type) -> Bool { modelClass is Related.Type }

  func refers(to model: ModelObject) -> Bool { liveValue === model }

  func retains(_ model: ModelObject) -> Bool { retainsLink(to: model) || original?.retained === model }

  func retainsLink(to model: ModelObject) -> Bool { storedValue === model }

  var linkCount: Int { 1 }

  var retainedModels: [ModelObject] { storedValue.map { [$0] } ?? [] }

  var liveModels: [ModelObject] { liveValue.map { [$0] } ?? [] }

  func link(_ model: ModelObject) -> Bool {
    guard let model = model as? Related else { return false }
    value = model
    return true
  }

  func unlink(_ models: [ModelObject], _ change: RelationChange) {
    guard let current = liveValue, models.contains(current) else { return }
    cut(current, change)
    cutInverse(current, change)
  }

  func attachInverse(_ model: ModelObject, _ change: RelationChange) -> Bool {
    guard let model = model as? Related, liveValue !== model else { return storedValue === model }
    let oldValue = liveValue
    keepBaseline(before: change)
    prepareToSet(isChange: true)
    let isRetained = original?.retained === model
    if isRetained { retain(model) } else { see(model) }
    if change.isRead { original?.see(model) }
    mark(from: oldValue, isChange: true, change)
    change.note(self)
    change.note(model, in: self)
    if let oldValue {
      cutInverse(oldValue, change)
      // Its record still has the link that the record of another model has, too.
      if change.isRead, let inverse = inverse(on: oldValue), inverse.isForeignKey, !inverse.isDirty {
        oldValue.detailsForWriting.formerLinks[ObjectIdentifier(inverse)] = ownerModel?.modelIdentifier
      }
    }
    cutStaleInverses(except: [model], change)
    return isRetained
  }

  func detachInverse(_ model: ModelObject, _ change: RelationChange) {
    if let current = liveValue, current === model { cut(current, change) }
  }

  private func cut(_ model: Related, _ change: RelationChange) {
    keepBaseline(before: change)
    prepareToSet(isChange: true)
    release()
    if change.isRead || change.kind == .deletion, original?.model === model { original?.see(nil) }
    mark(from: model, isChange: true, change)
    change.note(self)
    change.note(model, in: self)
  }

  func markEmbeddedEdit(of model: ModelObject) {
    let change = RelationChange(forEditOf: model)
    keepBaseline(before: change)
    prepareToSet(isChange: true)
    markSet(isChange: true, stamp: change.stamp)
  }
}

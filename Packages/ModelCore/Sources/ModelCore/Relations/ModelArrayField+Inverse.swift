@_spi(ModelKitInternals) import FieldKit

// What the list is asked by the other side of its relation.
extension ModelArrayField {
  func refer(to links: [(model: ModelObject, isRetained: Bool)]?, isUneven: Bool) {
    self.isUneven = isUneven
    guard let links else { return keep(nil) }
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

  func accepts(_ modelClass: ModelObject.Type) -> Bool { modelClass is Related.Type }

  func refers(to model: ModelObject) -> Bool {
    makeTableIfWorthwhile()
    if table != nil { return table?.contains(model) ?? false }
    return storedValue?.contains { $0 === model } ?? false
  }

  func retains(_ model: ModelObject) -> Bool {
    guard let model = model as? Related else { return false }
    if original?.retains(model) == true { return true }
    return table == nil ? refers(to: model) : table?.retains(model) ?? false
  }

  func see(_ model: ModelObject) {
    guard let model = model as? Related else { return }
    if table == nil { keep(MemberTable(retaining: storedValue ?? [])) }
    table?.see(model)
  }

  var linkCount: Int { table?.count ?? storedValue?.count ?? 0 }

  var retainedModels: [ModelObject] { table?.retained ?? storedValue ?? [] }

  func link(_ model: ModelObject) -> Bool {
    guard let model = model as? Related else { return false }
    add(model)
    return true
  }

  func unlink(_ models: [ModelObject], _ change: RelationChange) {
    _ = remove(contentsOf: models.lazy.compactMap { $0 as? Related }, change)
  }

  func attachBack(_ model: ModelObject, _ change: RelationChange) -> Bool {
    guard let model = model as? Related else { return false }
    keepOriginal(before: change)
    let oldValue = valueForObservers
    prepareToSet(isChange: true)
    if table == nil { keep(MemberTable(retaining: storedValue ?? [])) }
    let isRetained = original?.retains(model) ?? false
    table?.append(model, isRetained: isRetained)
    if change.isRead { original?.see(model) }
    mark(from: oldValue, isPartial: loadState != .loaded, change)
    change.note(self)
    return isRetained
  }

  func detachBack(_ model: ModelObject, _ change: RelationChange) {
    guard let model = model as? Related else { return }
    cut(model, isPartial: loadState != .loaded, change)
    if change.isRead || change.kind == .deletion { original?.forget(model) }
    change.note(self)
  }
}

@_spi(ModelKitInternals) import FieldKit

@_spi(ModelKitInternals)
extension ModelArrayField {
  /// Merges a stored list with the local changes of an incomplete one: added members stay, and removed ones are not
  /// restored. The list is then loaded, and dirty if it differs from the stored one.
  func join(read models: [ModelObject]) {
    guard isDirty, loadState == .incomplete else { return }
    let stored = models.compactMap { $0 as? Related }
    let current = liveValue ?? []
    let removed = Set((original?.models ?? []).map { ObjectIdentifier($0) })
      .subtracting(current.map { ObjectIdentifier($0) })
    let known = Set(stored.map { ObjectIdentifier($0) })
    let joined =
      stored.filter { !removed.contains(ObjectIdentifier($0)) }
      + current.filter { !known.contains(ObjectIdentifier($0)) }
    read(joined)
    if joined.elementsEqual(stored, by: ===) { return }
    var original = MemberTable<Related>(retaining: [])
    for model in stored {
      original.append(model, isRetained: retains(model) || removed.contains(ObjectIdentifier(model)))
    }
    keepBaseline(ToManyBaseline(original, .loaded, wasNeverSaved: false))
    markSet(isChange: true, stamp: .next())
  }

  /// Marks the list as loaded after a store found all members by their inverse. The caller keeps them live.
  public func markLoaded() {
    guard loadState != .loaded, ownerModel?.origin == .read else { return }
    if storedValue == nil, table == nil { storedValue = [] }
    // All stored members are live, so deallocated members are no longer stored as members.
    removeReleasedMembers()
    lacksMembers = false
    loadState = .loaded
  }
}

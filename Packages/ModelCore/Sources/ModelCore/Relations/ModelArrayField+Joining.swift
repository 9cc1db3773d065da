@_spi(ModelKitInternals) import FieldKit

extension ModelArrayField {
  /// Joins what a store has with the local changes of a list of which only a part was known: members that were added stay, and
  /// those that were removed don't come back. The list is whole then, and still dirty if it has anything else than what was
  /// read.
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
  @_spi(ModelKitInternals)
  public func markLoaded() {
    guard loadState != .loaded, ownerModel?.origin == .read else { return }
    if storedValue == nil, table == nil { storedValue = [] }
    // All stored members are live, so members that are gone are no longer stored as members.
    noticeGoneMembers()
    lacksMembers = false
    loadState = .loaded
  }
}

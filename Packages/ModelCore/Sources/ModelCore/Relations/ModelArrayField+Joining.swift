@_spi(ModelKitInternals) import FieldKit

@_spi(ModelKitInternals)
extension ModelObject {
  /// Returns whether an edited list in the record of the model lacks members that were deallocated. The model has to be
  /// read before it is saved, which merges the list with the stored one.
  public func needsReadingToSave() -> Bool {
    guard origin == .read, !layout.relationIndices.isEmpty || hasDynamicFields else { return false }
    return relations.contains { $0.isDirty && hasLostMembers(in: $0) }
  }

  /// Returns whether a list in the record of the model lacks members that were deallocated.
  public func hasLostMembers(in field: AnyField) -> Bool {
    guard field.isRelation, let relation = field as? any Relation else { return false }
    return relation.hasLostMembers() && !isStoredOnlyByInverse(relation)
  }

  /// Makes the next lookup read the record, even if it did not change since the model was read.
  public func discardReadVersion() { readVersion = nil }
}

@_spi(ModelKitInternals)
extension ModelArrayField {
  func hasLostMembers() -> Bool {
    // Deallocated members are detected when the list is read.
    _ = hookedValue()
    return lacksMembers && loadState == .incomplete
  }

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

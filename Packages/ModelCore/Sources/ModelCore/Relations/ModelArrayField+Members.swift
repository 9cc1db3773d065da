@_spi(ModelKitInternals) import FieldKit

extension ModelArrayField {
  /// Adds a model at the end, unless it is a member already. With a to-one inverse, the model is removed from its
  /// previous list.
  ///
  /// - Returns: `false` if the model is a member already.
  /// - Complexity: O(1) on average without observers, O(*n*) with them.
  @discardableResult
  public func add(_ model: Related) -> Bool { add(contentsOf: CollectionOfOne(model)) > 0 }

  /// Adds models at the end, except those that are members already. Observers are notified once.
  ///
  /// - Returns: the number of added models.
  /// - Complexity: O(*m*) on average without observers, where *m* is the number of models; O(*n* + *m*) with them.
  @discardableResult
  public func add(contentsOf models: some Sequence<Related>) -> Int {
    let change = RelationChange()
    var added = 0
    for model in models where insert(copyInDraft(of: model, change), change) { added += 1 }
    change.announce()
    return added
  }

  private func insert(_ model: Related, _ change: RelationChange) -> Bool {
    let owner = ownerModel
    let inverse = inverse(on: model)
    // Both sides contain a link; the shorter one is faster to search.
    let isMember =
      if let inverse, let owner, inverse.linkCount < linkCount, !isUneven, !inverse.isUneven {
        inverse.refers(to: owner)
      } else {
        refers(to: model)
      }
    if isMember { return false }
    let isFollowing = isKept(by: model, change)
    keepBaseline(before: change)
    let oldValue = valueForObservers
    prepareToSet(isChange: true)
    if table == nil {
      if storedValue == nil { storedValue = [] }
      storedValue?.append(model)
    } else {
      table?.append(model, isRetained: true)
    }
    if !isForeignKey { model.noteContainer(self) }
    mark(from: oldValue, isPartial: isPartial || isFollowing, isFollowing: isFollowing, change)
    shareScope(with: model, change)
    if let owner { linkInverse(model, to: owner, inverse, change) }
    change.note(model, in: self)
    return true
  }

  /// Removes a model.
  ///
  /// - Returns: `false` if it is not a member.
  /// - Complexity: O(1) on average in a series of removals without reading the list in between, otherwise O(*n*).
  @discardableResult
  public func remove(_ model: Related) -> Bool { remove(contentsOf: CollectionOfOne(model)) > 0 }

  /// Removes models. Observers are notified once.
  ///
  /// - Returns: the number of removed members.
  /// - Complexity: O(*n* + *m*) on average, where *m* is the number of models.
  @discardableResult
  public func remove(contentsOf models: some Sequence<Related>) -> Int {
    let change = RelationChange()
    defer { change.announce() }
    return remove(contentsOf: models.lazy.map { self.copyInDraft(of: $0, change) }, change)
  }

  func remove(contentsOf models: some Sequence<Related>, _ change: RelationChange) -> Int {
    var removed = 0
    for model in models where refers(to: model) {
      cut(model, isPartial: isPartial, isFollowing: isKept(by: model, change), change)
      removed += 1
      cutInverse(model, change)
      change.note(model, in: self)
    }
    return removed
  }

  /// Removes all models, including deallocated members. The list is then empty, not nil.
  ///
  /// - Complexity: O(*n*).
  public func removeAll() {
    isClearing = true
    defer { isClearing = false }
    value = []
  }

  /// Returns whether a model is a member.
  ///
  /// - Complexity: O(1) on average for repeated calls without reading the list in between, otherwise O(*n*).
  public func contains(_ model: Related) -> Bool {
    noteValueRead()
    return refers(to: model)
  }

  /// Returns whether a change of a member is saved with the member alone. The list is in no record then, and the
  /// member's record has the identifier of the model.
  private func isKept(by model: Related, _ change: RelationChange) -> Bool {
    (loadState == .incomplete || isInNoRecord) && isFollowing(change) && isKept(inRecordOf: model)
  }

  /// Whether the model was read from a record that has no list.
  private var isInNoRecord: Bool {
    guard loadState == .notLoaded, let owner = ownerModel else { return false }
    return owner.origin == .read && owner.modelLoadState == .loaded
  }

  private var isPartial: Bool { loadState == .incomplete || ownerModel?.modelLoadState == .incomplete }

  /// Removes a member from this side of the relation.
  func cut(_ model: Related, isPartial: Bool, isFollowing: Bool, _ change: RelationChange) {
    keepBaseline(before: change)
    let oldValue = valueForObservers
    prepareToSet(isChange: true)
    makeTableIfWorthwhile()
    if table != nil {
      table?.remove(model)
    } else if let index = storedValue?.firstIndex(where: { $0 === model }) {
      storedValue?.remove(at: index)
    }
    mark(from: oldValue, isPartial: isPartial, isFollowing: isFollowing, change)
  }
}

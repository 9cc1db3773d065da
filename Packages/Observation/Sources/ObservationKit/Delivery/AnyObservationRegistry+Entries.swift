extension AnyObservationRegistry {
  /// Adds an observation, whose action must be one for values of this registry's type.
  @usableFromInline
  final func append(_ action: AnyObservationAction, owner: OwnerReference?) -> ObservationToken {
    if entries.count >= sweepThreshold { sweepOrphans() }
    let token = ObservationToken(
      id: nextID, deallocationGuard: deallocationGuard, owner: owner, isKeeper: !action.isPassive)
    nextID += 1
    if !action.requiresChange { unconditionalCount += 1 }
    entries.append(ObservationEntry(action: action, token: token))
    if isBusy { didJoin(token) }
    if !action.isPassive { addKeepers(1) }
    return token
  }

  /// Ends all observations of an observer or owner. An object without observations is ignored.
  ///
  /// - Complexity: O(*n*), where *n* is the number of observations.
  public final func remove(owner: AnyObject) {
    for entry in entries where entry.token.owner?.refers(to: owner) == true { entry.token.cancel() }
  }

  /// Ends all observations.
  public final func removeAll() {
    for entry in entries { entry.token.cancel() }
  }

  /// Removes the entries of deallocated owners, so that an observable that outlives many of them doesn't grow.
  @usableFromInline
  final func sweepOrphans() {
    for entry in entries where entry.token.owner?.isGone == true { entry.token.cancel() }
    if !isDelivering { removeCancelled() }
    sweepThreshold = Swift.max(16, 2 * (entries.count - cancelledCount))
  }

  @usableFromInline
  final func removeCancelled() {
    guard cancelledCount > 0 else { return }
    // Closures are released after the array is consistent again: a `deinit` they trigger may call this registry.
    let old = entries
    entries = old.filter { $0.token.isActive }
    cancelledCount = 0
    unconditionalCount = entries.count { !$0.action.requiresChange }
  }

  /// Removes the entry of a cancelled token.
  final func didCancel(_ token: ObservationToken) {
    cancelledCount += 1
    if token.isKeeper { addKeepers(-1) } else { (token.owner as? DerivedInlet)?.cut() }
    if isDelivering { return }
    if let last = entries.last, last.token === token {
      let entry = entries.removeLast()
      cancelledCount -= 1
      if !entry.action.requiresChange { unconditionalCount -= 1 }
      return
    }
    // Compacting when half of the entries are cancelled makes a cancellation O(1) on average.
    if cancelledCount * 2 >= entries.count || entries.count < 32 { removeCancelled() }
  }
}

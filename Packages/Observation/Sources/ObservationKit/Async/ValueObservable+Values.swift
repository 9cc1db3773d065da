extension ValueObservable where Value: Sendable {
  /// The current value and those to come, for `for await value in field.values`.
  ///
  /// Ask for it in the isolation of this observable, and iterate wherever you like: see ``ObservedValues``. A
  /// ``transaction(_:)`` comes as its final value, and a ``filter(_:)`` that let nothing pass yet has no current value to
  /// begin with.
  ///
  /// - Complexity: O(1) amortised. Each sequence that is held costs a set one lock, and no allocation unless somebody waits.
  public var values: ObservedValues<Value> {
    let observations = observations
    let latest = LatestValue<Value>()
    let lease = ObservedValuesLease(latest)
    let feed = ObservedValuesFeed(latest)
    let owner = ObservedValuesOwner(latest)
    // Unsafe, and safe: the registry is there whenever it calls.
    let call = { [unowned(unsafe) observations] (_: Value, new: Value) in
      if !feed.pass(new) { observations.sweepOrphans() }
    }
    _ = observations.add(ObservationAction(call), owner: owner)
    // Only now: adding may drop closures that belong to dead owners, and what dies with them may set the value.
    if observations.later == nil { _ = feed.latest.offer(value) }
    return ObservedValues(lease)
  }
}

/// What leads from an observable to the consumers of its values. The registry alone holds it, so the values end with it.
private final class ObservedValuesFeed<Value: Sendable> {
  let latest: LatestValue<Value>

  init(_ latest: LatestValue<Value>) { self.latest = latest }

  deinit { latest.finish() }

  /// Passes a value on.
  ///
  /// - Returns: false if there are no consumers any more.
  func pass(_ value: Value) -> Bool { latest.offer(value) }
}

/// How an observation knows that nobody wants the values any more.
private final class ObservedValuesOwner<Value: Sendable>: OwnerReference {
  private let latest: LatestValue<Value>

  init(_ latest: LatestValue<Value>) {
    self.latest = latest
    super.init()
  }

  override var isGone: Bool { latest.isAbandoned }
}

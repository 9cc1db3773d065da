extension ValueObservable where Value: Sendable {
  /// The current value and all later ones, for `for await value in field.values`.
  ///
  /// Read this property in the isolation of this observable, and iterate in any isolation: see ``ObservedValues``. A
  /// ``transaction(_:)`` yields only its final value. A ``filter(_:)`` that no value has passed yet has no current
  /// value to begin with.
  ///
  /// - Complexity: O(1) amortised. Each live sequence costs a set one lock, and an allocation only if a consumer
  ///   waits.
  public var values: ObservedValues<Value> {
    let observations = observations
    let latest = LatestValue<Value>()
    let lease = ObservedValuesLease(latest)
    let feed = ObservedValuesFeed(latest)
    let owner = ObservedValuesOwner(latest)
    // Unsafe, and safe: the registry is live whenever it calls.
    let call = { [unowned(unsafe) observations] (_: Value, new: Value) in
      if !feed.pass(new) { observations.sweepOrphans() }
    }
    _ = observations.add(ObservationAction(call), owner: owner)
    // Only now: adding an observation may release closures of deallocated owners, and their `deinit` may set the value.
    if observations.later == nil { _ = feed.latest.offer(value) }
    return ObservedValues(lease)
  }
}

/// The connection from an observable to the consumers of its values. Only the registry retains it, so the values end
/// with it.
private final class ObservedValuesFeed<Value: Sendable> {
  let latest: LatestValue<Value>

  init(_ latest: LatestValue<Value>) { self.latest = latest }

  deinit { latest.finish() }

  /// Passes a value to the consumers.
  ///
  /// - Returns: false if no consumers are left.
  func pass(_ value: Value) -> Bool { latest.offer(value) }
}

/// A marker by which an observation detects that no consumers are left.
private final class ObservedValuesOwner<Value: Sendable>: OwnerReference {
  private let latest: LatestValue<Value>

  init(_ latest: LatestValue<Value>) {
    self.latest = latest
    super.init()
  }

  override var isGone: Bool { latest.isAbandoned }
}

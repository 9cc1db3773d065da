extension ValueObservable {
  /// An observable of what a closure makes of the value. Every change of the value counts as a change.
  ///
  /// - Parameter transform: runs now and after every change, observed or not. Kept as long as the result is held or
  ///   observed.
  @inlinable
  public func map<Result>(_ transform: @escaping (Value) -> Result) -> DerivedObservable<Result> {
    derived(transform) { _, _ in true }
  }

  /// An observable of what a closure makes of the value, which tells when that differs.
  ///
  /// - Parameter transform: runs now and after every change, observed or not. Kept as long as the result is held or
  ///   observed.
  @inlinable
  public func map<Result: Equatable>(_ transform: @escaping (Value) -> Result) -> DerivedObservable<Result> {
    derived(transform) { $0 != $1 }
  }

  /// An observable that takes only some of the values.
  ///
  /// Until a value passes, it shows the one at the time of the call, but calls no observer and gives bindings nothing.
  ///
  /// - Parameter isIncluded: whether a value passes.
  @inlinable
  public func filter(_ isIncluded: @escaping (Value) -> Bool) -> DerivedObservable<Value> {
    let initial = value
    let passes = isIncluded(initial)
    let node = DerivedNode(initial, isUnset: isUnset || !passes) { _, _ in true }
    node.observations.isMute = !passes
    node.follow(observations) { node, value, arrival in
      if isIncluded(value) { node.set(value, arrival) }
    }
    return DerivedObservable(node, sources: [self])
  }

  /// An observable that tells only of values that differ from the one before by a rule of one's own.
  ///
  /// - Parameter areEqual: whether two values count as the same.
  @inlinable
  public func removeDuplicates(by areEqual: @escaping (Value, Value) -> Bool) -> DerivedObservable<Value> {
    let node = DerivedNode(value, isUnset: isUnset) { !areEqual($0, $1) }
    node.follow(observations) { node, value, arrival in
      if !areEqual(node.value, value) || node.isUnset { node.set(value, arrival) }
    }
    return DerivedObservable(node, sources: [self])
  }

  /// An observable of this value and another one's, which tells when either changes.
  ///
  /// In a ``transaction(_:)`` that sets both it tells once.
  ///
  /// - Parameter other: the other observable.
  public func combineLatest<Other: ValueObservable>(
    _ other: Other
  ) -> DerivedObservable<CombinedValues<Value, Other.Value>> {
    let node = DerivedNode(CombinedValues(value, other.value), isUnset: isUnset && other.isUnset) { _, _ in true }
    follow(self, other, with: node)
    return DerivedObservable(node, sources: [self, other])
  }

  /// An observable of this value and another one's, which tells when either differs.
  ///
  /// In a ``transaction(_:)`` that sets both it tells once.
  ///
  /// - Parameter other: the other observable.
  public func combineLatest<Other: ValueObservable>(
    _ other: Other
  ) -> DerivedObservable<CombinedValues<Value, Other.Value>> where Value: Equatable, Other.Value: Equatable {
    let node = DerivedNode(CombinedValues(value, other.value), isUnset: isUnset && other.isUnset) { $0 != $1 }
    follow(self, other, with: node)
    return DerivedObservable(node, sources: [self, other])
  }

  @inlinable
  func derived<Result>(
    _ transform: @escaping (Value) -> Result, isChange: @escaping (Result, Result) -> Bool
  ) -> DerivedObservable<Result> {
    let node = DerivedNode(transform(value), isUnset: isUnset, isChange: isChange)
    node.follow(observations) { node, value, arrival in node.set(transform(value), arrival) }
    return DerivedObservable(node, sources: [self])
  }
}

extension ValueObservable where Value: Equatable {
  /// An observable that tells only of values that differ from the one before.
  @inlinable
  public func removeDuplicates() -> DerivedObservable<Value> { removeDuplicates(by: ==) }
}

private func follow<First: ValueObservable, Second: ValueObservable>(
  _ first: First, _ second: Second, with node: DerivedNode<CombinedValues<First.Value, Second.Value>>
) {
  node.follow(first.observations) { node, value, arrival in
    node.set(CombinedValues(value, node.value.second), arrival)
  }
  node.follow(second.observations) { node, value, arrival in
    node.set(CombinedValues(node.value.first, value), arrival)
  }
}

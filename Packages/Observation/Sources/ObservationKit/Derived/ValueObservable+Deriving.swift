extension ValueObservable {
  /// Derives an observable with a transform. Every change of the value counts as a change.
  ///
  /// - Parameter transform: runs now and after every change, observed or not. Kept as long as the result is held or
  ///   observed.
  @inlinable
  public func map<Result>(_ transform: @escaping (Value) -> Result) -> DerivedObservable<Result> {
    derived(transform) { _, _ in true }
  }

  /// Derives an observable with a transform. It notifies only if the transformed value differs.
  ///
  /// - Parameter transform: runs now and after every change, observed or not. Kept as long as the result is held or
  ///   observed.
  @inlinable
  public func map<Result: Equatable>(_ transform: @escaping (Value) -> Result) -> DerivedObservable<Result> {
    derived(transform) { $0 != $1 }
  }

  /// Derives an observable that takes only some of the values.
  ///
  /// Until a value passes, it keeps the source's value at the time of the call. Until then it calls no observer and
  /// gives bindings nothing. The same holds for observables derived from it. The first value that passes is delivered
  /// as old and new.
  ///
  /// - Parameter isIncluded: whether a value passes.
  @inlinable
  public func filter(_ isIncluded: @escaping (Value) -> Bool) -> DerivedObservable<Value> {
    let node: DerivedNode<Value>
    if let later = observations.later {
      node = DerivedNode(later: later) { _, _ in true }
    } else {
      let initial = value
      node =
        isIncluded(initial)
        ? DerivedNode(initial, isUnset: isUnset) { _, _ in true }
        : DerivedNode(later: LaterValue { initial }) { _, _ in true }
    }
    node.follow(observations) { node, value, arrival in
      if isIncluded(value) { node.set(value, arrival) }
    }
    return DerivedObservable(node, sources: [self])
  }

  /// Derives an observable that ignores values equal to the one before, by a custom comparison.
  ///
  /// - Parameter areEqual: whether two values count as the same.
  @inlinable
  public func removeDuplicates(by areEqual: @escaping (Value, Value) -> Bool) -> DerivedObservable<Value> {
    let node =
      observations.later.map { DerivedNode(later: $0) { !areEqual($0, $1) } }
      ?? DerivedNode(value, isUnset: isUnset) { !areEqual($0, $1) }
    node.follow(observations) { node, value, arrival in
      if node.isUnset || !areEqual(node.value, value) { node.set(value, arrival) }
    }
    return DerivedObservable(node, sources: [self])
  }

  /// Derives an observable of this value and another one's. It notifies when either changes.
  ///
  /// In a ``transaction(_:)`` that sets both it notifies once.
  ///
  /// - Parameter other: the other observable.
  public func combineLatest<Other: ValueObservable>(
    _ other: Other
  ) -> DerivedObservable<CombinedValues<Value, Other.Value>> {
    combined(self, other) { _, _ in true }
  }

  /// Derives an observable that combines this value and that of another observable. It notifies when either changes.
  ///
  /// In a ``transaction(_:)`` that sets both it notifies once.
  ///
  /// - Parameter other: the other observable.
  public func combineLatest<Other: ValueObservable>(
    _ other: Other
  ) -> DerivedObservable<CombinedValues<Value, Other.Value>> where Value: Equatable, Other.Value: Equatable {
    combined(self, other) { $0 != $1 }
  }

  /// Derives an observable from this value and another one's with a transform.
  ///
  /// ```swift
  /// let area = width.combineLatest(height) { $0 * $1 }
  /// ```
  ///
  /// In a ``transaction(_:)`` that sets both it notifies once.
  ///
  /// - Parameters:
  ///   - other: the other observable.
  ///   - transform: gets both values; runs now and after every change, observed or not. Kept as long as the result is
  ///     held or observed.
  public func combineLatest<Other: ValueObservable, Result>(
    _ other: Other, _ transform: @escaping (Value, Other.Value) -> Result
  ) -> DerivedObservable<Result> {
    combineLatest(other).map { transform($0.first, $0.second) }
  }

  /// Derives an observable from two values with a transform. It notifies only if the transformed value differs.
  ///
  /// In a ``transaction(_:)`` that sets both it notifies once.
  ///
  /// - Parameters:
  ///   - other: the other observable.
  ///   - transform: gets both values; runs now and after every change, observed or not. Kept as long as the result is
  ///     held or observed.
  public func combineLatest<Other: ValueObservable, Result: Equatable>(
    _ other: Other, _ transform: @escaping (Value, Other.Value) -> Result
  ) -> DerivedObservable<Result> {
    combineLatest(other).map { transform($0.first, $0.second) }
  }

  @inlinable
  func derived<Result>(
    _ transform: @escaping (Value) -> Result, isChange: @escaping (Result, Result) -> Bool
  ) -> DerivedObservable<Result> {
    let node =
      observations.later.map { later in DerivedNode(later: LaterValue { transform(later.value) }, isChange: isChange) }
      ?? DerivedNode(transform(value), isUnset: isUnset, isChange: isChange)
    node.follow(observations) { node, value, arrival in node.set(transform(value), arrival) }
    return DerivedObservable(node, sources: [self])
  }
}

extension ValueObservable where Value: Equatable {
  /// Derives an observable that ignores values equal to the one before.
  @inlinable
  public func removeDuplicates() -> DerivedObservable<Value> { removeDuplicates(by: ==) }
}

private func combined<First: ValueObservable, Second: ValueObservable>(
  _ first: First, _ second: Second,
  isChange: @escaping (CombinedValues<First.Value, Second.Value>, CombinedValues<First.Value, Second.Value>) -> Bool
) -> DerivedObservable<CombinedValues<First.Value, Second.Value>> {
  let (firstLater, secondLater) = (first.observations.later, second.observations.later)
  let parts = CombinedParts<First.Value, Second.Value>()
  if firstLater == nil { parts.first = first.value }
  if secondLater == nil { parts.second = second.value }
  let node: DerivedNode<CombinedValues<First.Value, Second.Value>>
  if let values = parts.values {
    node = DerivedNode(values, isUnset: first.isUnset && second.isUnset, isChange: isChange)
  } else {
    let shownFirst = firstLater ?? parts.first.map { first in LaterValue { first } }
    let shownSecond = secondLater ?? parts.second.map { second in LaterValue { second } }
    guard let shownFirst, let shownSecond else { preconditionFailure("Each part is known now or later.") }
    node = DerivedNode(
      later: LaterValue { CombinedValues(shownFirst.value, shownSecond.value) }, isChange: isChange)
  }
  node.follow(first.observations) { node, value, arrival in
    parts.first = value
    if let values = parts.values { node.set(values, arrival) }
  }
  node.follow(second.observations) { node, value, arrival in
    parts.second = value
    if let values = parts.values { node.set(values, arrival) }
  }
  return DerivedObservable(node, sources: [first, second])
}

/// The state of two values that are delivered together, once both are there.
private final class CombinedParts<First, Second> {
  var first: First?
  var second: Second?

  var values: CombinedValues<First, Second>? {
    guard let first, let second else { return nil }
    return CombinedValues(first, second)
  }
}

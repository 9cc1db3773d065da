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
  /// Until a value passes, it shows the one at the time of the call, but calls no observer and gives bindings nothing, and
  /// so does what is derived from it. The first value that passes is told as old and new.
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

  /// An observable that tells only of values that differ from the one before by a rule of one's own.
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

  /// An observable of this value and another one's, which tells when either changes.
  ///
  /// In a ``transaction(_:)`` that sets both it tells once.
  ///
  /// - Parameter other: the other observable.
  public func combineLatest<Other: ValueObservable>(
    _ other: Other
  ) -> DerivedObservable<CombinedValues<Value, Other.Value>> {
    combined(self, other) { _, _ in true }
  }

  /// An observable of this value and another one's, which tells when either differs.
  ///
  /// In a ``transaction(_:)`` that sets both it tells once.
  ///
  /// - Parameter other: the other observable.
  public func combineLatest<Other: ValueObservable>(
    _ other: Other
  ) -> DerivedObservable<CombinedValues<Value, Other.Value>> where Value: Equatable, Other.Value: Equatable {
    combined(self, other) { $0 != $1 }
  }

  /// An observable of what a closure makes of this value and another one's.
  ///
  /// ```swift
  /// let area = width.combineLatest(height) { $0 * $1 }
  /// ```
  ///
  /// In a ``transaction(_:)`` that sets both it tells once.
  ///
  /// - Parameters:
  ///   - other: the other observable.
  ///   - transform: gets both values; runs now and after every change, observed or not. Kept as long as the result is held
  ///     or observed.
  public func combineLatest<Other: ValueObservable, Result>(
    _ other: Other, _ transform: @escaping (Value, Other.Value) -> Result
  ) -> DerivedObservable<Result> {
    combineLatest(other).map { transform($0.first, $0.second) }
  }

  /// An observable of what a closure makes of this value and another one's, which tells when that differs.
  ///
  /// In a ``transaction(_:)`` that sets both it tells once.
  ///
  /// - Parameters:
  ///   - other: the other observable.
  ///   - transform: gets both values; runs now and after every change, observed or not. Kept as long as the result is held
  ///     or observed.
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
  /// An observable that tells only of values that differ from the one before.
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

/// What is known of two values that are told together, and not before both are there.
private final class CombinedParts<First, Second> {
  var first: First?
  var second: Second?

  var values: CombinedValues<First, Second>? {
    guard let first, let second else { return nil }
    return CombinedValues(first, second)
  }
}

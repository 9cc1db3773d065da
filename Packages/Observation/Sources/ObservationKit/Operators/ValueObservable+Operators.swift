extension ValueObservable {
  /// Notifies an observer of this value now and after every change, until either is deallocated.
  ///
  /// Between two fields this is a one-way binding: the observer takes every value of the source.
  ///
  /// - Returns: the right-hand side, so that `a --> b --> c` binds `a` to `b` and `b` to `c`.
  @inlinable
  @discardableResult
  public static func --> <Observer: ValueObserver>(source: Self, observer: Observer) -> Observer
  where Observer.Value == Value {
    source.addObserver(observer)
    return observer
  }

  /// Binds an observer of optional values to a source whose value is not optional.
  ///
  /// - Returns: the right-hand side.
  @inlinable
  @discardableResult
  public static func --> <Observer: ValueObserver>(source: Self, observer: Observer) -> Observer
  where Observer.Value == Value? {
    source.map(Optional.some) --> observer
  }

  /// Derives an observable with a transform, for a chain: `name --> { $0.uppercased() } --> label`.
  ///
  /// - Returns: the derived observable. See `map(_:)`.
  @_disfavoredOverload
  @inlinable
  public static func --> <Result>(
    source: Self, transform: @escaping (Value) -> Result
  ) -> DerivedObservable<Result> {
    source.map(transform)
  }

  /// Derives an observable with a transform. It notifies only if the transformed value differs.
  ///
  /// - Returns: the derived observable.
  @_disfavoredOverload
  @inlinable
  public static func --> <Result: Equatable>(
    source: Self, transform: @escaping (Value) -> Result
  ) -> DerivedObservable<Result> {
    source.map(transform)
  }

  /// Calls a closure with the new value, now and after every change.
  ///
  /// - Returns: a token. The closure is retained until the token is cancelled or the source is deallocated.
  @inlinable
  @discardableResult
  public static func --> (source: Self, action: @escaping (Value) -> Void) -> ObservationToken {
    source.addObserver { _, new in action(new) }
  }

  /// Calls a closure with the old and the new value, now and after every change.
  ///
  /// - Returns: a token. The closure is retained until the token is cancelled or the source is deallocated.
  @inlinable
  @discardableResult
  public static func --> (source: Self, action: @escaping (Value, Value) -> Void) -> ObservationToken {
    source.addObserver(action: action)
  }

  /// Calls a closure now and after every change.
  ///
  /// - Returns: a token. The closure is retained until the token is cancelled or the source is deallocated.
  @inlinable
  @discardableResult
  public static func --> (source: Self, action: @escaping () -> Void) -> ObservationToken {
    source.addObserver { _, _ in action() }
  }

  /// Calls an owner's closure now and after every change until the owner is deallocated:
  /// `field --> owner { owner, value in … }`.
  ///
  /// - Returns: a token for this one closure; `source -/-> owner` ends all closures of the owner.
  @inlinable
  @discardableResult
  public static func --> (source: Self, owned: OwnedAction<Value>) -> ObservationToken {
    source.add(owned, true, true)
  }

  /// Ends all observations that an observer or owner has of the source. An object without observations is ignored.
  public static func -/-> (source: Self, observerOrOwner: AnyObject) {
    source.removeObserver(observerOrOwner)
  }
}

extension ValueObserver {
  /// Binds in the reverse order: the same as `source --> observer`.
  ///
  /// - Returns: the right-hand side, so that `a <-- b <-- c` binds `c` to `b` and `b` to `a`.
  @inlinable
  @discardableResult
  public static func <-- <Source: ValueObservable>(observer: Self, source: Source) -> Source
  where Source.Value == Value {
    source.addObserver(observer)
    return source
  }
}

extension ValueObserver where Self: ValueObservable {
  /// Binds two values to each other. The left one takes the right one's value, then each takes the changes of the
  /// other.
  ///
  /// Both ends are held weakly. The binding ends with either of them, or with `-/->` in each direction.
  ///
  /// - Returns: the right-hand side.
  @inlinable
  @discardableResult
  public static func <--> <Other: ValueObservable & ValueObserver>(left: Self, right: Other) -> Other
  where Other.Value == Value {
    if let leftEnd = left.bindingTarget, let rightEnd = right.bindingTarget {
      let pair = BindingPair()
      right.bind(to: leftEnd, requiresChange: true, copiesNow: true, pair: pair)
      left.bind(to: rightEnd, requiresChange: true, copiesNow: false, pair: pair)
    } else {
      right.addObserver(left)
      left.addObserver(right, updateImmediately: false)
    }
    return right
  }
}

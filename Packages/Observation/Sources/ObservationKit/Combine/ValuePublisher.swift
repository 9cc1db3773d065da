#if canImport(Combine)
  public import Combine

  extension ValueObservable {
    /// A publisher of the current value and every later one: `field.publisher.sink { value in … }`.
    ///
    /// A subscriber without demand gets only the newest value once it has demand. A ``transaction(_:)`` publishes only
    /// its final value. A subscription retains neither this object nor the publisher. It finishes when this object is
    /// deallocated or its observers are removed.
    ///
    /// Values are received in the isolation that sets them. Demand and cancellation may come from any thread.
    public var publisher: ValuePublisher<Value> { ValuePublisher(self) }
  }

  /// A publisher of an observable's values, as returned by ``ValueObservable/publisher``.
  public struct ValuePublisher<Output>: Publisher {
    /// An observable always has a value.
    public typealias Failure = Never

    private let subscribe: (ValueSubscription<Output>) -> Void

    init<Observable: ValueObservable>(_ observable: Observable) where Observable.Value == Output {
      subscribe = { $0.begin(with: observable) }
    }

    /// Starts a subscription.
    ///
    /// - Parameter subscriber: gets the current value as soon as it has demand.
    public func receive(subscriber: some Subscriber<Output, Never>) {
      let subscription = ValueSubscription<Output>(subscriber)
      subscribe(subscription)
      subscriber.receive(subscription: subscription)
      subscription.open()
    }
  }
#endif

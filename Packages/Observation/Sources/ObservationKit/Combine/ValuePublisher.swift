#if canImport(Combine)
  public import Combine

  extension ValueObservable {
    /// Publishes the value, first the current one and then each that it changes to: `field.publisher.sink { value in … }`.
    ///
    /// A subscriber that is not ready for a value gets the newest one when it is. What is set inside a
    /// ``transaction(_:)`` is published once, at its end. A subscription retains neither this object nor the publisher, and
    /// finishes when this object dies or its observers are removed.
    ///
    /// Values are received where they are set. A subscription may be cancelled, and values asked for, on any thread.
    public var publisher: ValuePublisher<Value> { ValuePublisher(self) }
  }

  /// Publishes the values of an observable: what ``ValueObservable/publisher`` gives.
  public struct ValuePublisher<Output>: Publisher {
    /// An observable always has a value.
    public typealias Failure = Never

    private let subscribe: (ValueSubscription<Output>) -> Void

    init<Observable: ValueObservable>(_ observable: Observable) where Observable.Value == Output {
      subscribe = { $0.begin(with: observable) }
    }

    /// Begins a subscription.
    ///
    /// - Parameter subscriber: gets the current value as soon as it asks for one.
    public func receive(subscriber: some Subscriber<Output, Never>) {
      let subscription = ValueSubscription<Output>(subscriber)
      subscribe(subscription)
      subscriber.receive(subscription: subscription)
      subscription.open()
    }
  }
#endif

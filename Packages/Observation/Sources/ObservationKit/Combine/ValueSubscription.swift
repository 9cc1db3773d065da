#if canImport(Combine)
  import Combine

  /// Brings the values of an observable to a subscriber, as many as it asks for.
  ///
  /// A subscriber may ask and cancel on any thread, hence the lock, which is never held while the subscriber runs. The
  /// observable is left alone then, since it belongs to its isolation: it forgets the subscription with its next change.
  final class ValueSubscription<Value>: Subscription {
    /// How far the subscription is. The lock guards what follows, too.
    private struct Progress {
      var isOpen = false
      var isSending = false
      var isEnded = false
    }

    private let lock = Lock(Progress())
    private var receive: ((Value) -> Subscribers.Demand)?
    private var finish: (() -> Void)?
    private var demand = Subscribers.Demand.none
    /// The newest value that the subscriber did not get yet.
    private var newest: Value?

    init(_ subscriber: some Subscriber<Value, Never>) {
      receive = { subscriber.receive($0) }
      finish = { subscriber.receive(completion: .finished) }
    }

    var isCancelled: Bool { locked { _ in receive == nil } }

    /// Observes, until the subscription is cancelled or the observable is gone.
    func begin<Observable: ValueObservable>(with observable: Observable) where Observable.Value == Value {
      newest = observable.value
      let inlet = SubscriptionInlet(self)
      // Unsafe, and safe: the registry is there whenever it calls.
      let observations = observable.observations
      let call = { [unowned(unsafe) observations] (_: Value, new: Value) in
        if inlet.isGone { observations.sweepOrphans() } else { inlet.take(new) }
      }
      _ = observations.add(ObservationAction(call), owner: SubscriptionReference(self))
    }

    /// Lets values through, once the subscriber knows the subscription.
    func open() {
      locked { $0.isOpen = true }
      send()
    }

    func take(_ value: Value) {
      locked { _ in newest = value }
      send()
    }

    /// Says that no value will come any more.
    func end() {
      locked { $0.isEnded = true }
      send()
    }

    func request(_ more: Subscribers.Demand) {
      locked { _ in demand += more }
      send()
    }

    func cancel() {
      // Closures die outside the lock: what they hold the last reference to may come back here.
      var closures: (Any?, Any?)
      locked { _ in
        closures = (receive, finish)
        receive = nil
        finish = nil
        newest = nil
      }
      withExtendedLifetime(closures) {}
    }

    /// Sends what there is to send. One call at a time does; what others bring meanwhile it takes along.
    private func send() {
      while let step = nextStep() {
        switch step {
        case .value(let value, let receive):
          let more = receive(value)
          locked {
            demand += more
            $0.isSending = false
          }
        case .end(let finish):
          finish()
          cancel()
        }
      }
    }

    private enum Step {
      case value(Value, (Value) -> Subscribers.Demand)
      case end(() -> Void)
    }

    private func nextStep() -> Step? {
      var step: Step?
      locked { progress in
        guard progress.isOpen, !progress.isSending, let receive, let finish else { return }
        if demand > .none, let value = newest {
          newest = nil
          demand -= 1
          progress.isSending = true
          step = .value(value, receive)
        } else if progress.isEnded {
          progress.isSending = true
          step = .end(finish)
        }
      }
      return step
    }

    private func locked<Result>(_ body: (inout Progress) -> Result) -> Result {
      var result: Result?
      lock.withLock { result = body(&$0) }
      // Set by the closure, which always runs.
      return result!
    }
  }

  /// What an observable holds of a subscription. It goes with the observation, and then no value will come any more.
  private final class SubscriptionInlet<Value> {
    private let subscription: ValueSubscription<Value>

    init(_ subscription: ValueSubscription<Value>) { self.subscription = subscription }

    var isGone: Bool { subscription.isCancelled }

    func take(_ value: Value) { subscription.take(value) }

    deinit { subscription.end() }
  }

  /// Tells a registry that a subscription was cancelled.
  private final class SubscriptionReference<Value>: OwnerReference {
    private let subscription: ValueSubscription<Value>

    init(_ subscription: ValueSubscription<Value>) {
      self.subscription = subscription
      super.init()
    }

    override var isGone: Bool { subscription.isCancelled }
  }
#endif

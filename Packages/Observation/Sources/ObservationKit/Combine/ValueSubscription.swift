#if canImport(Combine)
  import Combine

  /// A subscription that delivers an observable's values as the subscriber demands them.
  ///
  /// A subscriber may demand and cancel on any thread, hence the lock, which is never held while the subscriber runs.
  /// Cancelling does not touch the observable, which belongs to its isolation: the observation is removed with the next
  /// change.
  final class ValueSubscription<Value>: Subscription {
    /// The state of the subscription. The lock guards the properties below, too.
    private struct Progress {
      var isOpen = false
      var isSending = false
      var isEnded = false
    }

    private let lock = Lock(Progress())
    private var receive: ((Value) -> Subscribers.Demand)?
    private var finish: (() -> Void)?
    private var demand = Subscribers.Demand.none
    /// The newest value that the subscriber has not received.
    private var newest: Value?

    init(_ subscriber: some Subscriber<Value, Never>) {
      receive = { subscriber.receive($0) }
      finish = { subscriber.receive(completion: .finished) }
    }

    var isCancelled: Bool { locked { _ in receive == nil } }

    /// Observes until the subscription is cancelled or the observable is deallocated.
    func begin<Observable: ValueObservable>(with observable: Observable) where Observable.Value == Value {
      newest = observable.value
      let inlet = SubscriptionInlet(self)
      // Unsafe, and safe: the registry is live whenever it calls.
      let observations = observable.observations
      let call = { [unowned(unsafe) observations] (_: Value, new: Value) in
        if inlet.isGone { observations.sweepOrphans() } else { inlet.take(new) }
      }
      _ = observations.add(ObservationAction(call), owner: SubscriptionReference(self))
    }

    /// Starts sending values, once the subscriber has received the subscription.
    func open() {
      locked { $0.isOpen = true }
      send()
    }

    func take(_ value: Value) {
      locked { _ in newest = value }
      send()
    }

    /// Finishes the subscription after the last value.
    func end() {
      locked { $0.isEnded = true }
      send()
    }

    func request(_ more: Subscribers.Demand) {
      locked { _ in demand += more }
      send()
    }

    func cancel() {
      // Closures are released outside the lock: their captures may call this object when they are deallocated.
      var closures: (Any?, Any?)
      locked { _ in
        closures = (receive, finish)
        receive = nil
        finish = nil
        newest = nil
      }
      withExtendedLifetime(closures) {}
    }

    /// Sends the pending values. Only one call sends at a time; it also sends values that other calls add meanwhile.
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

  /// The connection from an observable to a subscription. It is released with the observation, which finishes the
  /// subscription.
  private final class SubscriptionInlet<Value> {
    private let subscription: ValueSubscription<Value>

    init(_ subscription: ValueSubscription<Value>) { self.subscription = subscription }

    var isGone: Bool { subscription.isCancelled }

    func take(_ value: Value) { subscription.take(value) }

    deinit { subscription.end() }
  }

  /// A marker by which a registry detects that a subscription was cancelled.
  private final class SubscriptionReference<Value>: OwnerReference {
    private let subscription: ValueSubscription<Value>

    init(_ subscription: ValueSubscription<Value>) {
      self.subscription = subscription
      super.init()
    }

    override var isGone: Bool { subscription.isCancelled }
  }
#endif

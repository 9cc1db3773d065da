extension ValueObservable {
  /// Observes with a closure that gets the old and the new value.
  ///
  /// The closure is retained until the token is cancelled or this observable is deallocated. Releasing the token does
  /// not cancel the observation.
  ///
  /// - Parameters:
  ///   - requiresChange: `false` to be notified of every set, even of one to an equal value.
  ///   - updateImmediately: whether to call once before this method returns, with the current value as old and new.
  ///   - action: runs synchronously, before the setter returns.
  @inlinable
  @discardableResult
  public func addObserver(
    requiresChange: Bool = true, updateImmediately: Bool = true, action: @escaping (Value, Value) -> Void
  ) -> ObservationToken {
    let observations = observations
    let token = observations.add(ObservationAction(requiresChange: requiresChange, action))
    if updateImmediately { announce(on: observations, to: action) }
    return token
  }

  /// Observes with a closure that gets the new value. See the method whose closure also gets the old value.
  @inlinable
  @discardableResult
  public func addObserver(
    requiresChange: Bool = true, updateImmediately: Bool = true, action: @escaping (Value) -> Void
  ) -> ObservationToken {
    addObserver(requiresChange: requiresChange, updateImmediately: updateImmediately) { _, new in action(new) }
  }

  /// Observes with a closure that gets the new value until an owner is deallocated.
  ///
  /// - Parameters:
  ///   - owner: the owner, held weakly. The observation ends when it is deallocated, or with `removeObserver(owner)`.
  ///   - requiresChange: `false` to be notified of every set, even of one to an equal value.
  ///   - updateImmediately: whether to call once before this method returns.
  ///   - action: runs synchronously, before the setter returns. It is kept by this observable: capture the owner
  ///     weakly.
  @inlinable
  @discardableResult
  public func addObserver(
    _ owner: some ObservationOwner, requiresChange: Bool = true, updateImmediately: Bool = true,
    action: @escaping (Value) -> Void
  ) -> ObservationToken {
    add(OwnedAction(owner: owner) { _, new in action(new) }, requiresChange, updateImmediately)
  }

  /// Notifies an observer of changes until it is deallocated. The observer is held weakly.
  ///
  /// - Parameters:
  ///   - observer: the object to notify.
  ///   - requiresChange: `false` to be notified of every set, even of one to an equal value.
  ///   - updateImmediately: whether to call once before this method returns, with the current value as old and new.
  @inlinable
  @discardableResult
  public func addObserver<Observer: ValueObserver>(
    _ observer: Observer, requiresChange: Bool = true, updateImmediately: Bool = true
  ) -> ObservationToken where Observer.Value == Value {
    if let end = observer.bindingTarget {
      return bind(to: end, requiresChange: requiresChange, copiesNow: updateImmediately)
    }
    return addWeakly(observer, requiresChange, updateImmediately)
  }

  /// Ends all observations of an observer or owner. An object that does not observe is ignored.
  ///
  /// - Complexity: O(*n*), where *n* is the number of observations.
  public func removeObserver(_ observerOrOwner: AnyObject) {
    observations.remove(owner: observerOrOwner)
  }

  /// Ends all observations of this object.
  public func removeAllObservers() {
    observations.removeAll()
  }

  /// Makes the first call of a new observation, with the current value as old and new.
  @inlinable
  func announce(on observations: ObservationRegistry<Value>, to action: (Value, Value) -> Void) {
    observations.announce {
      let value = value
      action(value, value)
    }
  }

  @inlinable
  func add(_ owned: OwnedAction<Value>, _ requiresChange: Bool, _ updateImmediately: Bool) -> ObservationToken {
    let action = owned.action
    let observations = observations
    let owner = WeakReference(owned.owner)
    // Unsafe, and safe: the registry is live whenever it calls.
    let call = { [unowned(unsafe) observations] (old: Value, new: Value) in
      if owner.object != nil { action(old, new) } else { observations.sweepOrphans() }
    }
    let token = observations.add(ObservationAction(requiresChange: requiresChange, call), owner: owner)
    if updateImmediately { announce(on: observations, to: action) }
    return token
  }

  /// Binds this value to an object that offers a `bindingTarget`.
  @inlinable
  @discardableResult
  func bind(
    to end: BindingTarget<Value>, requiresChange: Bool, copiesNow: Bool, pair: BindingPair? = nil
  ) -> ObservationToken {
    let observations = observations
    let link = BindingLink(from: observations, to: end, pair: pair)
    // Unmanaged, and safe: the action holds the link.
    let unmanaged = Unmanaged.passUnretained(link)
    let call = { (_: Value, new: Value) in unmanaged._withUnsafeGuaranteedRef { $0.pass(new) } }
    let token = observations.add(
      ObservationAction(requiresChange: requiresChange, isBinding: true, context: link, call), owner: end.reference)
    link.token = token
    // The first copy always counts: the source wins, however old its value is.
    if copiesNow, !isUnset {
      observations.announce { end.deliver(value, stamp: .next(), from: observations) }
    }
    return token
  }

  /// Adds an observer of any class.
  @inlinable
  func addWeakly<Observer: ValueObserver>(
    _ observer: Observer, _ requiresChange: Bool, _ updateImmediately: Bool
  ) -> ObservationToken where Observer.Value == Value {
    let observations = observations
    let reference = WeakReference(observer)
    let forwarding = BindingForwarding(to: observer)
    let weakToken = forwarding == nil ? nil : WeakReference()
    // A derived observable without a strong reference outlives its object. Then an observer gets a new object for it.
    let node = observations.keepersChanged == nil ? nil : (self as? DerivedObservable<Value>)?.node
    let call = { [weak self, weak node, unowned(unsafe) observations] (old: Value, new: Value) in
      let observable: (any ValueObservable<Value>)? = self ?? node.map { DerivedObservable($0, sources: []) }
      guard let observable else { return }
      guard let observer = reference.object else { return observations.sweepOrphans() }
      let typed = unsafeDowncast(observer, to: Observer.self)
      if let forwarding {
        let token = weakToken?.object.map { unsafeDowncast($0, to: ObservationToken.self) }
        forwarding.pass(to: observer, from: observations, with: token) {
          typed.valueChanged(from: old, to: new, observable: observable)
        }
      } else {
        typed.valueChanged(from: old, to: new, observable: observable)
      }
    }
    let token = observations.add(ObservationAction(requiresChange: requiresChange, call), owner: reference)
    weakToken?.object = token
    if updateImmediately {
      announce(on: observations) { observer.valueChanged(from: $0, to: $1, observable: self) }
    }
    return token
  }
}

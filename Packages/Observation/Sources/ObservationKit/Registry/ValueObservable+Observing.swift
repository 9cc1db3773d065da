extension ValueObservable {
  /// Observes with a closure that gets the old and the new value.
  ///
  /// The closure lives until the token is cancelled or this observable dies; dropping the token does not cancel.
  ///
  /// - Parameters:
  ///   - requiresChange: `false` to be told of every set, also of one to an equal value.
  ///   - updateImmediately: whether to call once before this method returns, with the current value as old and new.
  ///   - action: runs synchronously, before the setter returns.
  @inlinable
  @discardableResult
  public func addObserver(
    requiresChange: Bool = true, updateImmediately: Bool = true, action: @escaping (Value, Value) -> Void
  ) -> ObservationToken {
    let token = observations.add(owner: nil, requiresChange: requiresChange, action: action)
    if updateImmediately {
      observations.announce {
        let value = value
        action(value, value)
      }
    }
    return token
  }

  /// Observes with a closure that gets the new value, for as long as an owner lives.
  ///
  /// - Parameters:
  ///   - owner: held weakly; the observation ends with it, or with `removeObserver(owner)`.
  ///   - requiresChange: `false` to be told of every set, also of one to an equal value.
  ///   - updateImmediately: whether to call once before this method returns.
  ///   - action: runs synchronously, before the setter returns. It is kept by this observable: capture the owner weakly.
  @inlinable
  @discardableResult
  public func addObserver(
    _ owner: some ObservationOwner, requiresChange: Bool = true, updateImmediately: Bool = true,
    action: @escaping (Value) -> Void
  ) -> ObservationToken {
    add(OwnedAction(owner: owner) { _, new in action(new) }, requiresChange, updateImmediately)
  }

  /// Tells an observer of changes for as long as it lives. It is held weakly.
  ///
  /// - Parameters:
  ///   - observer: the object to tell.
  ///   - requiresChange: `false` to be told of every set, also of one to an equal value.
  ///   - updateImmediately: whether to call once before this method returns, with the current value as old and new.
  @inlinable
  @discardableResult
  public func addObserver<Observer: ValueObserver>(
    _ observer: Observer, requiresChange: Bool = true, updateImmediately: Bool = true
  ) -> ObservationToken where Observer.Value == Value {
    let token = observations.add(owner: observer, requiresChange: requiresChange) {
      [weak self, weak observer] old, new in
      guard let self else { return }
      if let observer {
        observer.valueChanged(from: old, to: new, observable: self)
      } else {
        observations.sweepOrphans()
      }
    }
    if updateImmediately {
      observations.announce {
        let value = value
        observer.valueChanged(from: value, to: value, observable: self)
      }
    }
    return token
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

  @inlinable
  func add(_ owned: OwnedAction<Value>, _ requiresChange: Bool, _ updateImmediately: Bool) -> ObservationToken {
    let action = owned.action
    let token = observations.add(owner: owned.owner, requiresChange: requiresChange) {
      [weak self, weak owner = owned.owner] old, new in
      if owner != nil { action(old, new) } else { self?.observations.sweepOrphans() }
    }
    if updateImmediately {
      observations.announce {
        let value = value
        action(value, value)
      }
    }
    return token
  }
}

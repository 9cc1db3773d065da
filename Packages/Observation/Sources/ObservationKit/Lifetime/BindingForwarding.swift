/// The forwarding of a change to an observer that is also an observable, of any class. It forwards a change only if it
/// is newer than the observer's last one. So a binding to a class without stamps ends, even for values that are not
/// equal to themselves.
@usableFromInline
struct BindingForwarding {
  private let registry: (AnyObject) -> AnyObservationRegistry

  /// Nil if the observer is not an observable.
  @usableFromInline
  init?<Observer: AnyObject>(to observer: Observer) {
    guard let observable = observer as? any ValueObservable else { return nil }
    func registry<Observable: ValueObservable>(of _: Observable) -> (AnyObject) -> AnyObservationRegistry {
      { unsafeDowncast($0, to: Observable.self).observations }
    }
    self.registry = registry(of: observable)
  }

  /// Notifies the observer if the change is newer than its last, and counts the hop. Changes beyond the hop limit wait.
  @usableFromInline
  func pass(
    to observer: AnyObject, from source: AnyObservationRegistry, with token: ObservationToken?,
    _ tell: @escaping () -> Void
  ) {
    let stamp = source.deliveredStamp
    let target = registry(observer)
    guard stamp > target.lastStamp else { return }
    if source.hops < AnyObservationRegistry.hopLimit {
      BindingArrival(stamp: stamp, source: source).forward(to: target, tell)
      return
    }
    source.deferToRoot { root in
      guard token?.isActive == true, stamp > target.lastStamp else { return }
      let outerStamp = source.deliveredStamp
      source.deliveredStamp = stamp
      BindingArrival(stamp: stamp, source: root).forward(to: target, tell)
      source.deliveredStamp = outerStamp
    }
  }
}

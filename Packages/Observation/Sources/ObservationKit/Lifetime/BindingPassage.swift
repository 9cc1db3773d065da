/// How a change passes on to an observer that is an observable too, of any class: only if it is newer than
/// what that one told last. So a binding to a class that knows nothing of stamps ends, also for values that are not even
/// equal to themselves.
@usableFromInline
struct BindingPassage {
  private let registry: (AnyObject) -> AnyObservationRegistry

  /// Nil if the observer is no observable.
  @usableFromInline
  init?<Observer: AnyObject>(to observer: Observer) {
    guard let observable = observer as? any ValueObservable else { return nil }
    func registry<Observable: ValueObservable>(of _: Observable) -> (AnyObject) -> AnyObservationRegistry {
      { unsafeDowncast($0, to: Observable.self).observations }
    }
    self.registry = registry(of: observable)
  }

  /// Tells the observer if a change is news to it, and counts the hop. What comes over too many of them waits.
  @usableFromInline
  func pass(
    to observer: AnyObject, from source: AnyObservationRegistry, with token: ObservationToken?,
    _ tell: @escaping () -> Void
  ) {
    let stamp = source.deliveredStamp
    let target = registry(observer)
    guard stamp > target.lastStamp else { return }
    if source.hops < AnyObservationRegistry.hopLimit {
      BindingArrival(stamp: stamp, source: source).passOn(to: target, tell)
      return
    }
    source.deferToRoot { root in
      guard token?.isActive == true, stamp > target.lastStamp else { return }
      let outerStamp = source.deliveredStamp
      source.deliveredStamp = stamp
      BindingArrival(stamp: stamp, source: root).passOn(to: target, tell)
      source.deliveredStamp = outerStamp
    }
  }
}

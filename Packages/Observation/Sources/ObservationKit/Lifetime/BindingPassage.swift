/// How a change passes on to an observer that is an observable too, of any class: only if it is newer than what that one
/// told last. So a binding to a class that knows nothing of stamps ends, also for values that are not even equal to
/// themselves.
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

  /// Whether a change is news to the observer.
  @usableFromInline
  func admits(_ stamp: ChangeStamp, to observer: AnyObject) -> Bool { stamp > registry(observer).lastStamp }
}

@_spi(ModelKitInternals) import FieldKit

/// An object that is notified when a model it watches gets another field.
protocol ModelWatcher: AnyObject {
  func fieldAdded(_ field: AnyField, to model: ModelObject)
}

extension AnyField {
  /// Calls a closure when the value changes.
  ///
  /// - Parameter action: receives the field, or nil if it is deallocated: a transaction notifies at its end, and may
  ///   release models that it set.
  func onChange(_ action: @escaping (AnyField?) -> Void) -> ObservationToken? {
    func observe(_ observable: some ValueObservable) -> ObservationToken {
      observable.addObserver(updateImmediately: false) { [weak self] _, _ in action(self) }
    }
    guard let observable = self as? any ValueObservable else { return nil }
    return observe(observable)
  }
}

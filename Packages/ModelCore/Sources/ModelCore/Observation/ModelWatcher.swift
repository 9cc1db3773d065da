@_spi(ModelKitInternals) import FieldKit

/// What has to know when a model that it watches gets another field.
protocol ModelWatcher: AnyObject {
  func fieldAdded(_ field: AnyField, to model: ModelObject)
}

extension AnyField {
  /// Calls a closure when the value changes.
  ///
  /// - Parameter action: gets the field; nil if it is gone. A transaction notifies at its end, and may release what it set.
  func onChange(_ action: @escaping (AnyField?) -> Void) -> ObservationToken? {
    func observe(_ observable: some ValueObservable) -> ObservationToken {
      observable.addObserver(updateImmediately: false) { [weak self] _, _ in action(self) }
    }
    guard let observable = self as? any ValueObservable else { return nil }
    return observe(observable)
  }
}

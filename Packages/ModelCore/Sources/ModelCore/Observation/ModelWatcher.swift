@_spi(ModelKitInternals) import FieldKit

/// What has to know when a model that it watches gets another field.
protocol ModelWatcher: AnyObject {
  func fieldAdded(_ field: FieldBase, to model: ModelObject)
}

extension FieldBase {
  /// Calls a closure when the value changes. The field keeps the closure.
  func onChange(_ action: @escaping () -> Void) -> ObservationToken? {
    func observe(_ observable: some ValueObservable) -> ObservationToken {
      observable.addObserver(updateImmediately: false) { _, _ in action() }
    }
    guard let observable = self as? any ValueObservable else { return nil }
    return observe(observable)
  }
}

/// An object that is notified when an observed value changes.
///
/// Observers are held weakly, so observing never keeps one alive. A class of the main actor conforms with
/// `@MainActor final class Label: @MainActor ValueObserver`.
///
/// ```swift
/// final class Log: ValueObserver {
///   var lines: [String] = []
///   func valueChanged(
///     from oldValue: Int, to newValue: Int,
///     observable: any ValueObservable<Int>
///   ) {
///     lines.append("\(oldValue) → \(newValue)")
///   }
/// }
/// ```
public protocol ValueObserver<Value>: AnyObject {
  /// The type of the observed value.
  associatedtype Value

  /// Receives a value that was set.
  ///
  /// Called once when the observer is added, with the current value as old and new, and then after every change.
  ///
  /// - Parameters:
  ///   - oldValue: the value before the change.
  ///   - newValue: the value after the change.
  ///   - observable: the object whose value it is.
  func valueChanged(from oldValue: Value, to newValue: Value, observable: any ValueObservable<Value>)

  /// The target of the bindings to this object, or nil to bind by a weak reference. A target is several times as fast
  /// as a weak reference and ``valueChanged(from:to:observable:)``. Call its ``DeallocationGuard/end()`` in the
  /// `deinit`.
  var bindingTarget: BindingTarget<Value>? { get }
}

extension ValueObserver {
  /// The default: bindings hold the observer weakly.
  public var bindingTarget: BindingTarget<Value>? { nil }
}

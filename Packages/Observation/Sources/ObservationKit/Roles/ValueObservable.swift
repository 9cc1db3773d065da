/// An object with a current value that notifies its observers when the value is set.
///
/// An adopter supplies ``value`` and ``observations``, and calls `observations.notify(from:to:)` from its setter:
///
/// ```swift
/// final class Thermostat: ValueObservable {
///   let observations = ObservationRegistry<Double>()
///   var value = 20.0 {
///     didSet { observations.notify(from: oldValue, to: value) }
///   }
/// }
/// ```
///
/// - Note: Observables are not `Sendable`: an observable, its observers and its tokens belong to one isolation.
///   Observers run synchronously there.
public protocol ValueObservable<Value>: AnyObject {
  /// The type of the observed value.
  associatedtype Value

  /// The current value.
  var value: Value { get }

  /// The observers of this object, in the order in which they were added.
  var observations: ObservationRegistry<Value> { get }

  /// Whether the value was never set, so that a binding has nothing to copy. The default is `false`.
  var isUnset: Bool { get }
}

extension ValueObservable {
  /// The default: the value counts as set.
  public var isUnset: Bool { false }
}

/// An object with a current value that tells others when the value is set.
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
/// - Note: Observables are not `Sendable`: an observable, its observers and its tokens live in one isolation, and
///   observers run synchronously there.
public protocol ValueObservable<Value>: AnyObject {
  /// The type of the observed value.
  associatedtype Value

  /// The current value.
  var value: Value { get }

  /// The observers of this object, in the order in which they were added.
  var observations: ObservationRegistry<Value> { get }

  /// Whether nothing was ever set, so that a binding has nothing to copy. `false` unless an adopter says otherwise.
  var isUnset: Bool { get }
}

extension ValueObservable {
  /// An observable always has a value, unless its type says otherwise.
  public var isUnset: Bool { false }
}

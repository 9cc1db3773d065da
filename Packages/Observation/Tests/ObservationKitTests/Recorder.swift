import ObservationKit

/// One call of an observer.
struct Change<Value: Equatable>: Equatable, CustomStringConvertible {
  var old: Value
  var new: Value

  init(_ old: Value, _ new: Value) {
    self.old = old
    self.new = new
  }

  var description: String { "\(old) → \(new)" }
}

/// An observer that records the values it receives.
final class Recorder<Value: Equatable>: ValueObserver {
  private(set) var changes: [Change<Value>] = []
  private(set) weak var lastObservable: AnyObject?

  func valueChanged(from oldValue: Value, to newValue: Value, observable: any ValueObservable<Value>) {
    changes.append(Change(oldValue, newValue))
    lastObservable = observable
  }

  var values: [Value] { changes.map(\.new) }
}

/// An owner of closures, which write into it.
final class Screen: ObservationOwner {
  var shown: [Int] = []
}

/// A custom class that can be observed and bound, with no more than the documentation requires.
final class Thermostat: ValueObservable, ValueObserver {
  let observations = ObservationRegistry<Double>()

  var value: Double {
    didSet { observations.notify(from: oldValue, to: value) }
  }

  init(_ value: Double) { self.value = value }

  func valueChanged(from oldValue: Double, to newValue: Double, observable: any ValueObservable<Double>) {
    value = newValue
  }
}

/// An object whose only purpose is to be retained by a closure.
final class Canary {}

import FieldKit

/// An observer that records its notifications.
final class Recorder<Value: Equatable>: ValueObserver {
  private(set) var changes: [Change<Value>] = []

  func valueChanged(from oldValue: Value, to newValue: Value, observable: any ValueObservable<Value>) {
    changes.append(Change(oldValue, newValue))
  }

  var values: [Value] { changes.map(\.new) }
}

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

import Observation
import Synchronization

/// A value with a list of closures: the obvious loop, without time stamps, states or order.
final class ClosureList {
  private(set) var value: Int?
  var observers: [(Int?) -> Void] = []

  func set(_ newValue: Int?) {
    value = newValue
    for observer in observers { observer(newValue) }
  }
}

/// A property as the `@Observable` macro generates it.
@Observable
final class ObservedNumber {
  var value: Int?
}

/// An observer of a property that calls `withObservationTracking` again after each change, which is the only way to
/// observe more than one.
final class ObservedNumberFollower {
  private let number: ObservedNumber
  private let tally: Tally
  // The closure has to be sendable and may run on any thread.
  private let hasChanged = Flag()

  init(_ number: ObservedNumber, _ tally: Tally) {
    self.number = number
    self.tally = tally
    withObservationTracking {
      _ = number.value
    } onChange: { [hasChanged] in
      hasChanged.raise()
    }
  }

  /// Reads the new value and observes it. The closure runs before the value is set, so this is the earliest moment.
  func follow() {
    guard hasChanged.lower() else { return }
    withObservationTracking {
      tally.add(number.value)
    } onChange: { [hasChanged] in
      hasChanged.raise()
    }
  }

  private final class Flag: Sendable {
    private let isRaised = Atomic(false)

    func raise() { isRaised.store(true, ordering: .relaxed) }
    func lower() -> Bool { isRaised.exchange(false, ordering: .relaxed) }
  }
}

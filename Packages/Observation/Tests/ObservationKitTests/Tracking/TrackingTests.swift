import Observation
import ObservationKit
import Synchronization
import Testing

private func changes(of read: () -> Void, during change: () -> Void) -> Int {
  let count = Counter()
  withObservationTracking(read) { count.number.add(1, ordering: .relaxed) }
  change()
  return count.number.load(ordering: .relaxed)
}

private final class Counter: Sendable {
  let number = Atomic(0)
}

@Suite struct `An observable under Swift's own tracking` {
  private let source = ValueSource(1)

  // One switch for the process: tests only ever switch it on, which others do not notice.
  init() { FieldObservation.isEnabled = true }

  @Test func `An observable under Swift's own tracking reports a change of its value`() {
    #expect(changes(of: { _ = source.value }, during: { source.value = 2 }) == 1)
    #expect(changes(of: { _ = source.value }, during: { source.value = 2 }) == 0)
  }

  @Test func `An observable under Swift's own tracking notifies once`() {
    let number = changes(of: { _ = source.value }) {
      source.value = 2
      source.value = 3
    }
    #expect(number == 1)
  }

  @Test func `An observable under Swift's own tracking reports changes of observables derived from it`() {
    let parity = source.map { $0 % 2 }
    #expect(changes(of: { _ = parity.value }, during: { source.value = 3 }) == 0)
    #expect(changes(of: { _ = parity.value }, during: { source.value = 4 }) == 1)
    let both = parity.combineLatest(source)
    #expect(changes(of: { _ = both.value }, during: { source.value = 6 }) == 1)
  }

  @Test func `An observable under Swift's own tracking reports values that arrive through a binding`() {
    let target = ValueSource(0)
    source --> target
    #expect(changes(of: { _ = target.value }, during: { source.value = 2 }) == 1)
  }

  @Test func `An observable under Swift's own tracking is not seen if tracking is not enabled`() async {
    await #expect(processExitsWith: .success) {
      FieldObservation.isEnabled = false
      let source = ValueSource(1)
      precondition(changes(of: { _ = source.value }, during: { source.value = 2 }) == 0)
    }
  }

  @Test func `An observable under Swift's own tracking is deallocated, and releases its trackers`() {
    var source: ValueSource<Int>? = ValueSource(1)
    weak let weakSource = source
    var count: Counter? = Counter()
    weak let weakCount = count
    withObservationTracking {
      _ = source?.value
    } onChange: { [count] in
      count?.number.add(1, ordering: .relaxed)
    }
    count = nil
    source = nil
    #expect(weakSource == nil)
    #expect(weakCount == nil)
  }
}

import ObservationKit
import Testing

@Suite struct `Reentrant delivery` {
  @Test func `Delivery keeps one order for observers, bindings and derived values when observers set values`() {
    let (source, target) = (ValueSource(0), ValueSource(0))
    let derived = source.map { $0 }
    var logs: [[Change<Int>]] = [[], [], []]
    source.addObserver(updateImmediately: false) { _, new in
      if new < 4 { source.value = new + 1 }
    }
    source --> target
    source.addObserver(updateImmediately: false) { logs[0].append(Change($0, $1)) }
    target.addObserver(updateImmediately: false) { logs[1].append(Change($0, $1)) }
    derived.addObserver(updateImmediately: false) { logs[2].append(Change($0, $1)) }
    source.value = 1
    #expect(logs[0] == [Change(0, 1), Change(1, 2), Change(2, 3), Change(3, 4)])
    #expect(logs[1] == logs[0])
    #expect(logs[2] == logs[0])
  }

  @Test func `A transaction within a delivery leaves no observer with an older value`() {
    let (source, target) = (ValueSource(0), ValueSource(0))
    let recorder = Recorder<Int>()
    source.addObserver(updateImmediately: false) { _, new in
      guard new == 1 else { return }
      source.value = 2
      transaction { source.value = 3 }
    }
    source --> target
    let derived = source.map { $0 }
    let kept = source.filter { _ in true }
    let distinct = source.removeDuplicates()
    let both = source.combineLatest(ValueSource(0))
    source.addObserver(recorder, updateImmediately: false)
    source.value = 1
    #expect(recorder.changes == [Change(0, 1), Change(1, 2), Change(2, 3)])
    #expect([target.value, derived.value, kept.value, distinct.value, both.value.first] == [3, 3, 3, 3, 3])
  }

  @Test func `Delivery notifies observers of every set in the order of the sets`() {
    let source = ValueSource(0)
    var log: [Change<Int>] = []
    source.addObserver(updateImmediately: false) { _, new in
      if new == 1 {
        source.value = 1
        source.value = 2
        source.value = 2
      }
    }
    source.addObserver(requiresChange: false, updateImmediately: false) { log.append(Change($0, $1)) }
    source.value = 1
    #expect(log == [Change(0, 1), Change(1, 1), Change(1, 2), Change(2, 2)])
  }

  @Test func `Delivery calls an observer that was added twice twice, and each token ends one`() {
    let source = ValueSource(0)
    let recorder = Recorder<Int>()
    let tokens = [source.addObserver(recorder), source.addObserver(recorder)]
    source.value = 1
    tokens[0].cancel()
    source.value = 2
    tokens[1].cancel()
    source.value = 3
    #expect(recorder.values == [0, 0, 1, 1, 2])
  }

  @Test func `Delivery lets an observer replace itself in every round`() {
    let source = ValueSource(0)
    var token: ObservationToken?
    var log: [Int] = []
    func observe() {
      token?.cancel()
      token = source.addObserver(updateImmediately: false) { _, new in
        log.append(new)
        observe()
        if new < 100 { source.value = new + 1 }
      }
    }
    observe()
    source.value = 1
    #expect(log == Array(1...100))
    token?.cancel()
    #expect(source.observations.isEmpty)
  }

  @Test func `Delivery survives that an array of tokens is cancelled in the middle of it`() {
    let source = ValueSource(0)
    var tokens: [ObservationToken] = []
    var calls = 0
    for index in 0..<100 {
      let token = source.addObserver(updateImmediately: false) { _, _ in
        calls += 1
        if index == 10 {
          tokens.forEach { $0.cancel() }
          tokens = []
        }
      }
      token.store(in: &tokens)
    }
    source.value = 1
    source.value = 2
    #expect(calls == 11)
    #expect(source.observations.isEmpty)
  }

  @Test func `Delivery survives the end of an observer object in its own call`() {
    final class Suicidal: ValueObserver {
      var onChange: (() -> Void)?
      var calls = 0
      func valueChanged(from old: Int, to new: Int, observable: any ValueObservable<Int>) {
        onChange?()
        calls += 1
      }
    }
    let source = ValueSource(0)
    var observer: Suicidal? = Suicidal()
    weak let reference = observer
    observer?.onChange = { observer = nil }
    if let observer { source.addObserver(observer, updateImmediately: false) }
    source.value = 1
    #expect(reference == nil)
    source.value = 2
    #expect(source.observations.isEmpty)
  }

  @Test func `A target can be deallocated during the delivery of a value that it received`() {
    let source = ValueSource(0)
    var target: ValueSource<Int>? = ValueSource(0)
    weak let reference = target
    var values: [Int] = []
    if let target { source --> target }
    target?.addObserver(updateImmediately: false) { _, _ in target = nil }
    target?.addObserver(updateImmediately: false) { values.append($1) }
    source.value = 1
    #expect(values == [1])
    #expect(reference == nil)
    source.value = 2
    #expect(source.observations.isEmpty)
  }

  @Test func `Delivery survives values that set the observable when they are deallocated`() {
    final class Parting {
      let action: () -> Void
      init(_ action: @escaping () -> Void) { self.action = action }
      deinit { action() }
    }
    let source = ValueSource<Parting?>(nil)
    var (farewells, rounds) = (0, 0)
    source.addObserver(updateImmediately: false) { _, new in
      rounds += 1
      if rounds < 500 {
        source.value = Parting {
          farewells += 1
          if farewells.isMultiple(of: 50) { source.value = nil }
        }
      }
    }
    source.value = nil
    #expect(rounds >= 500)
    source.value = nil
    #expect(farewells >= 499)
    source.removeAllObservers()
  }

  @Test func `Delivery ends on the last value when a first call sets, removes and adds`() {
    let source = ValueSource(0)
    let (first, second) = (Recorder<Int>(), Recorder<Int>())
    source --> first
    source --> { value in
      if value == 0 {
        source.removeObserver(first)
        source --> second
        source.value = 1
      }
    }
    source.value = 2
    #expect(first.values == [0])
    #expect(second.values == [0, 1, 2])
  }
}

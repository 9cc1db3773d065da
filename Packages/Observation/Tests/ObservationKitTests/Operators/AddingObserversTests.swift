import ObservationKit
import Testing

@Suite struct `Adding an observer` {
  @Test func `Adding an observer gives a closure with one parameter the new value`() {
    let source = ValueSource(1)
    var values: [Int] = []
    let token = source.addObserver { values.append($0) }
    source.value = 2
    token.cancel()
    source.value = 3
    #expect(values == [1, 2])
  }

  @Test func `Adding an observer calls a closure at once with the current value as old and new`() {
    let source = ValueSource(1)
    var changes: [Change<Int>] = []
    source.addObserver { old, new in changes.append(Change(old, new)) }
    #expect(changes == [Change(1, 1)])
  }

  @Test func `Adding an observer gives a closure the real old value of every change`() {
    let source = ValueSource(1)
    var changes: [Change<Int>] = []
    source.addObserver { old, new in changes.append(Change(old, new)) }
    source.value = 2
    source.value = 5
    #expect(changes == [Change(1, 1), Change(1, 2), Change(2, 5)])
  }

  @Test func `Adding an observer can omit the first call, in any form`() {
    let source = ValueSource(1)
    let screen = Screen()
    let recorder = Recorder<Int>()
    var changes: [Change<Int>] = []
    source.addObserver(updateImmediately: false) { old, new in changes.append(Change(old, new)) }
    source.addObserver(screen, updateImmediately: false) { [weak screen] value in screen?.shown.append(value) }
    source.addObserver(recorder, updateImmediately: false)
    #expect(changes.isEmpty)
    #expect(screen.shown.isEmpty)
    #expect(recorder.changes.isEmpty)
    source.value = 2
    #expect(changes == [Change(1, 2)])
    #expect(screen.shown == [2])
    #expect(recorder.changes == [Change(1, 2)])
  }

  @Test func `Adding an observer notifies an observer object of the current value, every change, and its source`() {
    let source = ValueSource("a")
    let recorder = Recorder<String>()
    source.addObserver(recorder)
    source.value = "b"
    #expect(recorder.changes == [Change("a", "a"), Change("a", "b")])
    #expect(recorder.lastObservable === source)
  }

  @Test func `Adding an observer calls an owner's closure with the new value`() {
    let source = ValueSource(1)
    let screen = Screen()
    source.addObserver(screen) { [weak screen] value in screen?.shown.append(value) }
    source.value = 2
    #expect(screen.shown == [1, 2])
  }

  @Test func `Adding an observer several times with one owner or observer makes as many observations`() {
    let source = ValueSource(1)
    let screen = Screen()
    let recorder = Recorder<Int>()
    for _ in 0..<3 {
      source.addObserver(screen, updateImmediately: false) { [weak screen] in screen?.shown.append($0) }
      source.addObserver(recorder, updateImmediately: false)
    }
    source.value = 2
    #expect(screen.shown == [2, 2, 2])
    #expect(recorder.values == [2, 2, 2])
  }

  @Test func `An observer does not receive equal values unless it was added for every set`() {
    let source = ValueSource(1)
    let screen = Screen()
    let (onChange, onSet) = (Recorder<Int>(), Recorder<Int>())
    var (changes, sets): ([Int], [Int]) = ([], [])
    source.addObserver(requiresChange: true, updateImmediately: false) { changes.append($1) }
    source.addObserver(requiresChange: false, updateImmediately: false) { sets.append($1) }
    source.addObserver(onChange, updateImmediately: false)
    source.addObserver(onSet, requiresChange: false, updateImmediately: false)
    source.addObserver(screen, requiresChange: false, updateImmediately: false) { [weak screen] in
      screen?.shown.append($0)
    }
    source.value = 1
    #expect(changes.isEmpty)
    #expect(onChange.changes.isEmpty)
    #expect(sets == [1])
    #expect(onSet.changes == [Change(1, 1)])
    #expect(screen.shown == [1])
    source.value = 2
    #expect(changes == [2])
    #expect(sets == [1, 2])
    #expect(onChange.changes == [Change(1, 2)])
    #expect(onSet.changes == [Change(1, 1), Change(1, 2)])
  }

  @Test func `An observer of values that can't be compared receives every set`() {
    struct Opaque { var number: Int }
    let source = ValueSource(Opaque(number: 1))
    var numbers: [Int] = []
    source.addObserver { numbers.append($1.number) }
    source.value = Opaque(number: 1)
    #expect(numbers == [1, 1])
  }
}

@Suite struct `Removing an observer` {
  @Test func `Removing an observer ends the calls of that one and of nothing else`() {
    let source = ValueSource(1)
    let (gone, stays) = (Recorder<Int>(), Recorder<Int>())
    source.addObserver(gone)
    source.addObserver(stays)
    source.removeObserver(gone)
    source.value = 2
    #expect(gone.values == [1])
    #expect(stays.values == [1, 2])
  }

  @Test func `Removing an observer ends all closures of an owner`() {
    let source = ValueSource(1)
    let screen = Screen()
    source.addObserver(screen, updateImmediately: false) { [weak screen] in screen?.shown.append($0) }
    source.addObserver(screen, updateImmediately: false) { [weak screen] in screen?.shown.append($0) }
    source.removeObserver(screen)
    source.value = 2
    #expect(screen.shown.isEmpty)
  }

  @Test func `Removing an observer ignores a stranger`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    source.addObserver(recorder)
    source.removeObserver(Screen())
    source.value = 2
    #expect(recorder.values == [1, 2])
  }

  @Test func `Removing all observers at once removes those of every kind`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    var values: [Int] = []
    source.addObserver(recorder)
    source.addObserver { values.append($1) }
    #expect(!source.observations.isEmpty)
    source.removeAllObservers()
    #expect(source.observations.isEmpty)
    source.value = 2
    #expect(recorder.values == [1])
    #expect(values == [1])
  }

  @Test func `Removing an observer allows to add it again, at the end`() {
    let source = ValueSource(1)
    var log: [String] = []
    let (first, second) = (Screen(), Screen())
    source.addObserver(first, updateImmediately: false) { _ in log.append("first") }
    source.addObserver(second, updateImmediately: false) { _ in log.append("second") }
    source.removeObserver(first)
    source.addObserver(first, updateImmediately: false) { _ in log.append("first again") }
    source.value = 2
    #expect(log == ["second", "first again"])
  }
}

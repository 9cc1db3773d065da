import ObservationKit
import Testing

@Suite struct `Delivery` {
  @Test func `Delivery follows the order in which observers were added, before the setter returns`() {
    let source = ValueSource(0)
    let screen = Screen()
    var log: [String] = []
    source.addObserver(updateImmediately: false) { _, _ in log.append("closure") }
    source.addObserver(screen, updateImmediately: false) { _ in log.append("owner") }
    source.addObserver(requiresChange: false, updateImmediately: false) { _, _ in log.append("every set") }
    source.addObserver(updateImmediately: false) { _, _ in log.append("last") }
    source.value = 1
    log.append("set")
    #expect(log == ["closure", "owner", "every set", "last", "set"])
  }

  @Test func `Delivery of a set made by an observer comes after the current round and before the setter returns`() {
    let source = ValueSource(0)
    var (first, second): ([Change<Int>], [Change<Int>]) = ([], [])
    source.addObserver(updateImmediately: false) { old, new in
      if new == 1 { source.value = 2 }
      first.append(Change(old, new))
    }
    source.addObserver(updateImmediately: false) { old, new in second.append(Change(old, new)) }
    source.value = 1
    #expect(first == [Change(0, 1), Change(1, 2)])
    #expect(second == first)
    #expect(source.value == 2)
  }

  @Test func `Delivery shows one order of values to all observers when several of them set`() {
    let source = ValueSource(0)
    var logs: [[Int]] = [[], [], []]
    for index in logs.indices {
      source.addObserver(updateImmediately: false) { _, new in
        logs[index].append(new)
        if new < 10 { source.value = new + 1 + index }
      }
    }
    source.value = 1
    #expect(logs[0].last == source.value)
    #expect(logs[1] == logs[0])
    #expect(logs[2] == logs[0])
  }

  @Test func `Delivery does not nest, however long a run of sets is`() {
    let source = ValueSource(0)
    var (depth, deepest, rounds) = (0, 0, 0)
    source.addObserver(updateImmediately: false) { _, new in
      depth += 1
      deepest = max(deepest, depth)
      rounds += 1
      if new < 100_000 { source.value = new + 1 }
      depth -= 1
    }
    source.value = 1
    #expect(source.value == 100_000)
    #expect(rounds == 100_000)
    #expect(deepest == 1)
  }

  @Test func `Delivery of a set made in a first call comes after that call`() {
    let source = ValueSource(0)
    let recorder = Recorder<Int>()
    source --> recorder
    var log: [Int] = []
    source --> { value in
      if value < 3 { source.value = value + 1 }
      log.append(value)
    }
    #expect(log == [0, 1, 2, 3])
    #expect(recorder.values == [0, 1, 2, 3])
  }

  @Test func `Delivery of a set made in a first call during a delivery keeps one order`() {
    let source = ValueSource(0)
    var (early, late): ([Int], [Int]) = ([], [])
    source.addObserver(updateImmediately: false) { _, new in
      early.append(new)
      if new == 1 {
        source --> { value in
          if value == 1 { source.value = 2 }
          late.append(value)
        }
      }
    }
    source.value = 1
    #expect(early == [1, 2])
    #expect(late == [1, 2])
  }

  @Test func `Delivery reaches an observer added during it from the next change on`() {
    let source = ValueSource(0)
    let late = Recorder<Int>()
    var isAdded = false
    source.addObserver(updateImmediately: false) { _, _ in
      if !isAdded { source.addObserver(late) }
      isAdded = true
    }
    source.value = 1
    #expect(late.changes == [Change(1, 1)])
    source.value = 2
    #expect(late.changes == [Change(1, 1), Change(1, 2)])
  }

  @Test func `Delivery omits the values for a new observer that were set before its addition`() {
    let source = ValueSource(0)
    let late = Recorder<Int>()
    source.addObserver(updateImmediately: false) { _, new in
      guard new == 1 else { return }
      source.value = 2
      source.addObserver(late)
      source.value = 3
    }
    source.value = 1
    #expect(late.changes == [Change(2, 2), Change(2, 3)])
  }

  @Test func `Delivery does not call an observer that was removed during it`() {
    let source = ValueSource(0)
    let (before, after) = (Recorder<Int>(), Recorder<Int>())
    var later: ObservationToken?
    var laterValues: [Int] = []
    source.addObserver(before, updateImmediately: false)
    source.addObserver(updateImmediately: false) { _, _ in
      source.removeObserver(before)
      source.removeObserver(after)
      later?.cancel()
    }
    source.addObserver(after, updateImmediately: false)
    later = source.addObserver(updateImmediately: false) { laterValues.append($1) }
    source.value = 1
    source.value = 2
    #expect(before.values == [1])
    #expect(after.values.isEmpty)
    #expect(laterValues.isEmpty)
  }

  @Test func `Delivery calls no observer after all were removed during it`() {
    let source = ValueSource(0)
    var values: [Int] = []
    source.addObserver(updateImmediately: false) { _, new in
      source.value = new + 1
      source.removeAllObservers()
    }
    source.addObserver(updateImmediately: false) { values.append($1) }
    source.value = 1
    #expect(values.isEmpty)
    #expect(source.observations.isEmpty)
  }

  @Test func `Delivery lets an observer end itself`() {
    let source = ValueSource(0)
    var token: ObservationToken?
    var values: [Int] = []
    token = source.addObserver(updateImmediately: false) { _, new in
      values.append(new)
      token?.cancel()
    }
    source.value = 1
    source.value = 2
    #expect(values == [1])
  }

  @Test func `Delivery survives the end of the observable during it`() {
    var source: ValueSource<Int>? = ValueSource(0)
    weak let reference = source
    var values: [Int] = []
    source?.addObserver(updateImmediately: false) { _, _ in source = nil }
    source?.addObserver(updateImmediately: false) { values.append($1) }
    source?.value = 1
    #expect(values == [1])
    #expect(reference == nil)
  }

  @Test func `Delivery survives the end of an owner during it`() {
    let source = ValueSource(0)
    var screen: Screen? = Screen()
    var calls = 0
    source.addObserver(updateImmediately: false) { _, _ in screen = nil }
    if let screen { source.addObserver(screen, updateImmediately: false) { _ in calls += 1 } }
    source.value = 1
    #expect(calls == 0)
  }

  @Test func `Delivery notifies observers of every set of an equal value set during it`() {
    let source = ValueSource(0)
    var (changes, sets): ([Change<Int>], [Change<Int>]) = ([], [])
    source.addObserver(updateImmediately: false) { old, new in
      changes.append(Change(old, new))
      source.value = new
    }
    source.addObserver(requiresChange: false, updateImmediately: false) { sets.append(Change($0, $1)) }
    source.value = 1
    #expect(changes == [Change(0, 1)])
    #expect(sets == [Change(0, 1), Change(1, 1)])
  }
}

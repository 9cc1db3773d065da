import ObservationKit
import Testing

@Suite struct `A derived observable` {
  @Test func `A derived observable of map notifies of differing values, and transforms once for a change`() {
    let source = ValueSource(1)
    var transforms = 0
    let parity = source.map { value in
      transforms += 1
      return value % 2
    }
    #expect(transforms == 1)
    source.value = 3
    source.value = 3
    #expect(transforms == 2)
    let (first, second) = (Recorder<Int>(), Recorder<Int>())
    parity --> first
    parity --> second
    source.value = 5
    source.value = 6
    #expect(transforms == 4)
    #expect(first.changes == [Change(1, 1), Change(1, 0)])
    #expect(second.changes == first.changes)
    #expect(parity.value == 0)
  }

  @Test func `A derived observable of map to values that can't be compared notifies of every change`() {
    struct Opaque { var number: Int }
    let source = ValueSource(1)
    var numbers: [Int] = []
    source.map { Opaque(number: $0 % 2) } --> { numbers.append($0.number) }
    source.value = 3
    #expect(numbers == [1, 1])
  }

  @Test func `A derived observable of filter notifies no observer until a value passes`() {
    let (source, target) = (ValueSource(1), ValueSource(-1))
    let even = source.filter { $0.isMultiple(of: 2) }
    let recorder = Recorder<Int>()
    even --> recorder
    even --> target
    #expect(even.isUnset)
    #expect(even.value == 1)
    source.value = 3
    #expect(recorder.changes.isEmpty)
    #expect(target.value == -1)
    source.value = 4
    source.value = 5
    source.value = 6
    #expect(recorder.changes == [Change(4, 4), Change(4, 6)])
    #expect(target.value == 6)
    #expect(even.value == 6)
  }

  @Test func `A derived observable of a filter that passes at once makes the first call`() {
    let source = ValueSource(2)
    var values: [Int] = []
    source.filter { $0 > 1 } --> { values.append($0) }
    source.value = 0
    source.value = 3
    #expect(values == [2, 3])
  }

  @Test func `A derived observable behind a filter never receives the values that the filter rejects`() {
    let (source, other) = (ValueSource(0), ValueSource(7))
    let divisors = source.filter { $0 != 0 }
    let quotients = divisors.map { 100 / $0 }.removeDuplicates().filter { $0 < 1_000 }.map { $0 + 1 }
    let both = divisors.map { 100 / $0 }.combineLatest(other)
    var log: [String] = []
    quotients --> { log.append("\($0)") }
    both --> { log.append("\($0.first) \($0.second)") }
    other.value = 8
    #expect(log.isEmpty)
    source.value = 5
    other.value = 9
    #expect(log == ["21", "20 8", "20 9"])
    #expect(quotients.value == 21)
  }

  @Test func `A derived observable of removeDuplicates passes different values, by equality or by a closure`() {
    let source = ValueSource("a")
    var values: [String] = []
    source.removeDuplicates { $0.lowercased() == $1.lowercased() } --> { values.append($0) }
    source.value = "A"
    source.value = "b"
    source.value = "B"
    #expect(values == ["a", "b"])
    let (target, every) = (ValueSource(0), ValueSource(0))
    every.filter { _ in true }.removeDuplicates() --> target
    var calls = 0
    target.addObserver(updateImmediately: false) { _, _ in calls += 1 }
    every.value = 1
    #expect(target.value == 1)
    #expect(calls == 1)
  }

  @Test func `A derived observable of two values notifies when either changes`() {
    let (first, last) = (ValueSource("Ada"), ValueSource(1))
    var log: [String] = []
    first.combineLatest(last) --> { log.append("\($0.first) \($0.second)") }
    first.value = "Bob"
    last.value = 2
    last.value = 2
    #expect(log == ["Ada 1", "Bob 1", "Bob 2"])
  }

  @Test func `A derived observable within a chain needs no reference, for closures, owners, objects and targets`() {
    let source = ValueSource(1)
    let (recorder, screen, target) = (Recorder<Int>(), Screen(), ValueSource(0))
    var values: [Int] = []
    source.map { $0 * 2 }.map { $0 + 1 } --> { values.append($0) }
    source.map { $0 * 2 } --> recorder
    source --> { $0 * 3 } --> screen { screen, value in screen.shown.append(value) }
    source --> { $0 * 4 } --> target
    source.value = 2
    #expect(values == [3, 5])
    #expect(recorder.values == [2, 4])
    #expect(screen.shown == [3, 6])
    #expect(target.value == 8)
    #expect((recorder.lastObservable as AnyObject?) == nil)
  }

  @Test func `A derived observable that is held has the value of which its observers are notified`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    let derived = source.map { $0 + 1 }
    derived --> recorder
    source.value = 2
    #expect(recorder.lastObservable === derived)
  }

  @Test func `A derived observable keeps its last value when its source removes all observers`() {
    let (source, other) = (ValueSource(1), ValueSource(1))
    var values: [Int] = []
    let derived = source.map { $0 * 2 }
    let both = derived.combineLatest(other)
    derived --> { values.append($0) }
    both --> { values.append($0.first + $0.second) }
    source.removeAllObservers()
    source.value = 5
    #expect(derived.value == 2)
    other.value = 10
    #expect(values == [2, 3, 12])
    derived.removeAllObservers()
    both.removeAllObservers()
    other.value = 20
    #expect(values == [2, 3, 12])
  }

  @Test func `A derived observable may be bound to its source`() {
    let source = ValueSource(1)
    let doubled = source.map { $0 * 2 }
    doubled --> source
    #expect(source.value == 2)
    source.value = 5
    #expect(source.value == 5)
    #expect(doubled.value == 10)
  }

  @Test func `A derived observable may be observed, cancelled and released from its own delivery`() {
    let source = ValueSource(1)
    var derived: DerivedObservable<Int>? = source.map { $0 + 1 }
    weak let reference = derived
    var token: ObservationToken?
    var values: [Int] = []
    token = derived?.addObserver(updateImmediately: false) { _, new in
      values.append(new)
      token?.cancel()
      token = nil
      derived?.addObserver(updateImmediately: false) { values.append(-$1) }
      derived = nil
    }
    source.value = 2
    #expect(reference == nil)
    source.value = 3
    #expect(values == [3, -4])
    source.removeAllObservers()
    source.value = 4
    #expect(values == [3, -4])
  }
}

private final class Log {
  private(set) var entries: [Int] = []

  @discardableResult
  func put(_ entry: Int) -> Int {
    entries.append(entry)
    return entries.count
  }
}

@Suite struct `A declaration with an arrow` {
  @Test func `A declaration with an arrow is a token if the result type of the closure is not declared`() {
    let source = ValueSource(1)
    let log = Log()
    let token = source --> { log.put($0) }
    source.value = 2
    token.cancel()
    source.value = 3
    #expect(log.entries == [1, 2])
  }

  @Test func `A declaration with an arrow is a derived observable if a transform follows or its type requires it`() {
    let (name, length) = (ValueSource<String?>("Ada"), ValueSource<Int?>(nil))
    name --> { $0?.count } --> length
    let count: DerivedObservable<Int?> = name --> { $0?.count }
    let mapped = name.map { $0?.count }
    name.value = "Grace"
    #expect(length.value == 5)
    #expect(count.value == 5)
    #expect(mapped.value == 5)
  }

  @Test func `A declaration with an arrow of two sources combines both values by a closure`() {
    let (width, height) = (ValueSource(2), ValueSource(3))
    var areas: [Int] = []
    let token = width.combineLatest(height) { $0 * $1 } --> { areas.append($0) }
    width.value = 3
    height.value = 3
    transaction {
      width.value = 1
      height.value = 9
    }
    withExtendedLifetime(token) {}
    #expect(areas == [6, 9])
  }
}

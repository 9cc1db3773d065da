import ObservationKit
import Testing

private struct Opaque { var number: Int }

/// A class of a user whose values can't be compared and that does not try to.
private final class Box: ValueObservable, ValueObserver {
  let observations = ObservationRegistry<Opaque>()
  var value = Opaque(number: 0) { didSet { observations.notify(from: oldValue, to: value) } }
  func valueChanged(from old: Opaque, to new: Opaque, observable: any ValueObservable<Opaque>) { value = new }
}

@Suite struct `Bindings end` {
  @Test(arguments: [1, 2, 3, 100])
  func `Bindings end in a ring of any length, and deliver each value once`(length: Int) {
    let sources = (0..<length).map { ValueSource($0) }
    for (index, source) in sources.enumerated() { source --> sources[(index + 1) % length] }
    var calls = 0
    for source in sources { source.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    for (round, source) in sources.enumerated() {
      source.value = 1_000 + round
      #expect(sources.allSatisfy { $0.value == 1_000 + round })
      #expect(calls == (round + 1) * length)
    }
  }

  @Test(arguments: [1, 2, 3, 100])
  func `Bindings end in a ring of pairs of values that can't be compared`(length: Int) {
    let sources = (0..<length).map { ValueSource(Opaque(number: $0)) }
    for (index, source) in sources.enumerated() { source <--> sources[(index + 1) % length] }
    var calls = 0
    for source in sources { source.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    sources[length / 2].value = Opaque(number: -1)
    #expect(sources.allSatisfy { $0.value.number == -1 })
    #expect(calls == length)
  }

  @Test(arguments: [1, 2, 3, 100])
  func `Bindings end in a ring of observers that want every set`(length: Int) {
    let sources = (0..<length).map { _ in ValueSource(0) }
    for (index, source) in sources.enumerated() {
      source.addObserver(sources[(index + 1) % length], requiresChange: false, updateImmediately: false)
    }
    var calls = 0
    for source in sources {
      source.addObserver(requiresChange: false, updateImmediately: false) { _, _ in calls += 1 }
    }
    sources[0].value = 0
    #expect(calls == length)
    sources[0].value = 1
    #expect(sources.allSatisfy { $0.value == 1 })
    #expect(calls == 2 * length)
  }

  // ReactiveCocoa #2124, ReactiveSwift #74: the two ways convert and don't undo each other.
  @Test(arguments: [2, 3, 10])
  func `Bindings end when transforms don't undo each other`(length: Int) {
    let slugs = (0..<length).map { _ in ValueSource("") }
    let numbers = (0..<length).map { _ in ValueSource(0) }
    for index in 0..<length {
      let next = (index + 1) % length
      slugs[index] --> { $0.lowercased().split(separator: " ").joined(separator: "-") + "." } --> slugs[next]
      numbers[index] --> { $0 + 1 } --> numbers[next]
    }
    slugs[0].value = " The Title "
    #expect(slugs[0].value == " The Title ")
    #expect(slugs[1].value == "the-title.")
    numbers[1].value = 100
    #expect(numbers[1].value == 100)
    #expect(numbers[0].value == 100 + length - 1)
  }

  @Test func `Bindings end when one way rounds`() {
    let (exact, rounded) = (ValueSource(0.0), ValueSource(0))
    exact --> { Int($0.rounded()) } --> rounded
    rounded --> { Double($0) } --> exact
    exact.value = 2.6
    #expect(rounded.value == 3)
    #expect(exact.value == 2.6)
    rounded.value = 7
    #expect(exact.value == 7)
  }

  @Test func `Bindings end of a value with a transform of itself`() {
    let source = ValueSource(0)
    source --> { $0 + 1 } --> source
    let first = source.value
    source.value = 10
    #expect(first == 1)
    #expect(source.value == 10)
  }

  // ReactiveCocoa #161 and #2050, ReactiveSwift #135, ReactiveKit #58, Bond #302: two properties bound to each other.
  @Test func `Bindings end of two values, whichever is set and from wherever`() {
    let (left, right) = (ValueSource("a"), ValueSource("b"))
    left <--> right
    for round in 0..<10 {
      left.value = "left \(round)"
      #expect(right.value == "left \(round)")
      right.value = "right \(round)"
      #expect(left.value == "right \(round)")
    }
  }

  // ReactiveCocoa #2515, ReactiveSwift #710, ReactiveKit #112, Bond #421: a set from inside a delivery of the same pair
  // blocks for ever or overflows the stack.
  @Test func `Bindings end of two values of which observers on both sides set both`() {
    let (left, right) = (ValueSource(0), ValueSource(0))
    left <--> right
    left.addObserver(updateImmediately: false) { _, new in if new < 10 { right.value = new + 1 } }
    right.addObserver(updateImmediately: false) { _, new in if new < 10 { left.value = new + 1 } }
    left.value = 1
    #expect(left.value == right.value)
    #expect(left.value >= 10)
    let token = left --> { _ in _ = right.value }
    right.value = 20
    #expect(left.value == 20)
    token.cancel()
  }

  // ReactiveCocoa #3365: a side that corrects what it takes. 2WayBindingUIKit #1: a side that reports what it was
  // given.
  @Test func `Bindings end when one side corrects or repeats the value that it receives`() {
    let (field, clamped) = (ValueSource(0), ValueSource(0))
    clamped.addObserver(updateImmediately: false) { _, new in clamped.value = min(new, 10) }
    field <--> clamped
    field.value = 50
    #expect([field.value, clamped.value] == [10, 10])
    let echo = Thermostat(0)
    let dial = ValueSource(0.0)
    echo <--> dial
    echo.addObserver(updateImmediately: false) { _, new in echo.value = new }
    dial.value = 5
    #expect([echo.value, dial.value] == [5, 5])
  }

  @Test func `Bindings end in a ring of sources and custom classes with a value that is not equal to itself`() {
    let (first, thermostat, last) = (ValueSource(0.0), Thermostat(0), ValueSource(0.0))
    first <--> thermostat
    thermostat <--> last
    first.value = .nan
    #expect(thermostat.value.isNaN && last.value.isNaN)
    last.value = 3
    #expect([first.value, thermostat.value] == [3, 3])
  }
}

@Suite(.serialized) struct `Bindings that never settle` {
  @Test(arguments: [1, 2, 3, 10])
  func `A delivery that never settles is ended and reported in a ring of closures`(length: Int) {
    let sources = (0..<length).map { _ in ValueSource(0) }
    for (index, source) in sources.enumerated() {
      let next = sources[(index + 1) % length]
      source.addObserver(updateImmediately: false) { _, new in next.value = new + 1 }
    }
    let reports = issues { sources[0].value = 1 }
    #expect(reports.count == 1)
    #expect(reports.first?.passes == BindingIssue.deliveryLimit)
    #expect(reports.first.map { $0.valueType == Int.self } == true)
    #expect(sources[0].value > BindingIssue.deliveryLimit)
    sources.forEach { $0.removeAllObservers() }
    sources[0].value = 1
    #expect(sources[0].value == 1)
  }

  @Test func `Rings of bindings that never settle are cut in a time that grows linearly with the limit`() {
    let sources = (0..<3).map { _ in ValueSource(0) }
    for (left, right) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
      sources[left].addObserver(updateImmediately: false) { _, new in sources[right].value = new + 1 }
    }
    let reports = issues { sources[0].value = 1 }
    #expect((1...3).contains(reports.count))
    sources.forEach { $0.removeAllObservers() }
  }

  @Test func `A binding between values that differ from themselves is cut and reported`() {
    let (left, right) = (Thermostat(0), Thermostat(0))
    left <--> right
    let reports = issues { left.value = .nan }
    #expect(reports.count == 1)
    #expect(left.value.isNaN && right.value.isNaN)
    right -/-> left
    left.value = 4
    #expect(right.value == 4)
  }

  @Test func `A delivery that never settles is ended and reported between two custom classes of incomparable values`() {
    let (left, right) = (Box(), Box())
    left <--> right
    let reports = issues { left.value = Opaque(number: 7) }
    #expect(reports.count == 1)
    #expect([left.value.number, right.value.number] == [7, 7])
  }

  @Test func `A delivery that never settles is ended and reported, and leaves nothing for the next set`() {
    let source = ValueSource(0)
    var canary: Canary? = Canary()
    weak let reference = canary
    var isWild = true
    let token = source.addObserver(updateImmediately: false) { [canary] _, new in
      withExtendedLifetime(canary) { if isWild { source.value = new + 1 } }
    }
    canary = nil
    #expect(issues { source.value = 1 }.count == 1)
    isWild = false
    var values: [Int] = []
    source.addObserver(updateImmediately: false) { values.append($1) }
    source.value = -1
    #expect(values == [-1])
    token.cancel()
    #expect(reference == nil)
  }

  @Test func `The handler of issues is called directly, however often it was read before`() {
    let source = ValueSource(0)
    source.addObserver(updateImmediately: false) { _, new in source.value = new + 1 }
    let reports = issues {
      for _ in 0..<300_000 { _ = BindingIssue.handler }
      source.value = 1
    }
    #expect(reports.count == 1)
  }

  @Test func `A ring that never settles is cut and reported with a message that names the cause`() {
    let source = ValueSource(0)
    source.addObserver(updateImmediately: false) { _, new in source.value = new + 1 }
    let text = issues { source.value = 1 }.first?.description ?? ""
    #expect(text.contains("Int"))
    #expect(text.contains("100000"))
    #expect(text.contains("The last value is kept"))
  }
}

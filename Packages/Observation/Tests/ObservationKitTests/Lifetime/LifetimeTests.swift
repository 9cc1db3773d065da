import ObservationKit
import Testing

@Suite struct `Observing keeps alive` {
  @Test func `Observing keeps alive no observer object`() {
    let source = ValueSource(1)
    var recorder: Recorder<Int>? = Recorder()
    weak let reference = recorder
    if let recorder {
      source --> recorder
      recorder <-- source
      source.addObserver(recorder)
    }
    recorder = nil
    #expect(reference == nil)
    source.value = 2
  }

  @Test func `Observing keeps alive no owner of a closure`() {
    let source = ValueSource(1)
    var screen: Screen? = Screen()
    weak let reference = screen
    if let screen {
      source --> screen { screen, value in screen.shown.append(value) }
      source --> screen { [weak screen] value in screen?.shown.append(value) }
      source.addObserver(screen) { [weak screen] value in screen?.shown.append(value) }
    }
    screen = nil
    #expect(reference == nil)
    source.value = 2
  }

  @Test func `Observing keeps alive no observable, whatever observes it`() {
    let (recorder, screen, target) = (Recorder<Int>(), Screen(), ValueSource(0))
    var source: ValueSource<Int>? = ValueSource(1)
    weak let reference = source
    var tokens: Set<ObservationToken> = []
    if let source {
      source --> recorder
      source --> screen { screen, value in screen.shown.append(value) }
      source --> target
      (source --> { _ in }).store(in: &tokens)
    }
    source = nil
    #expect(reference == nil)
    #expect(tokens.count == 1)
  }

  @Test(arguments: [true, false])
  func `Observing keeps alive neither end of a two-way binding`(leftDiesFirst: Bool) {
    var (left, right): (ValueSource<Int>?, ValueSource<Int>?) = (ValueSource(1), ValueSource(2))
    weak let (leftReference, rightReference) = (left, right)
    if let left, let right { left <--> right }
    if leftDiesFirst {
      left = nil
      #expect(leftReference == nil)
      right?.value = 3
      right = nil
      #expect(rightReference == nil)
    } else {
      right = nil
      #expect(rightReference == nil)
      left?.value = 3
      left = nil
      #expect(leftReference == nil)
    }
  }

  @Test func `Observing keeps alive no member of a chain`() {
    let (first, last) = (ValueSource(1), ValueSource(0))
    var middle: ValueSource<Int>? = ValueSource(0)
    weak let reference = middle
    if let middle { first --> middle --> last }
    #expect(last.value == 1)
    middle = nil
    #expect(reference == nil)
    first.value = 2
    #expect(last.value == 1)
  }

  @Test func `Observing keeps alive no object of a user at either end of a two-way binding`() {
    var (thermostat, source): (Thermostat?, ValueSource<Double>?) = (Thermostat(20), ValueSource(0))
    weak let (first, second) = (thermostat, source)
    if let thermostat, let source { thermostat <--> source }
    thermostat = nil
    source = nil
    #expect(first == nil)
    #expect(second == nil)
  }
}

@Suite struct `A closure` {
  @Test func `A closure without an owner is retained until its token is cancelled`() {
    let source = ValueSource(1)
    var canary: Canary? = Canary()
    weak let reference = canary
    let token = source --> { [canary] in withExtendedLifetime(canary) {} }
    canary = nil
    #expect(reference != nil)
    token.cancel()
    #expect(reference == nil)
  }

  @Test func `A closure without an owner is retained until its observable is deallocated`() {
    var source: ValueSource<Int>? = ValueSource(1)
    var canary: Canary? = Canary()
    weak let reference = canary
    let token = source.map { $0 --> { [canary] in withExtendedLifetime(canary) {} } }
    canary = nil
    #expect(reference != nil)
    source = nil
    #expect(reference == nil)
    token?.cancel()
  }

  @Test func `A closure that cancels itself is released after the delivery`() {
    let source = ValueSource(1)
    var canary: Canary? = Canary()
    weak let reference = canary
    var token: ObservationToken?
    token = source.addObserver(updateImmediately: false) { [canary] _, _ in
      withExtendedLifetime(canary) { token?.cancel() }
    }
    canary = nil
    source.value = 2
    #expect(reference == nil)
  }

  @Test func `A closure of a deallocated owner is released with the next change`() {
    let source = ValueSource(1)
    var screen: Screen? = Screen()
    var canary: Canary? = Canary()
    weak let reference = canary
    if let screen { source --> screen { [canary] _ in withExtendedLifetime(canary) {} } }
    (canary, screen) = (nil, nil)
    source.value = 2
    #expect(reference == nil)
    #expect(source.observations.isEmpty)
  }

  @Test func `A closure of a removed owner is gone at once`() {
    let source = ValueSource(1)
    let screen = Screen()
    var canary: Canary? = Canary()
    weak let reference = canary
    source --> screen { [canary] _ in withExtendedLifetime(canary) {} }
    canary = nil
    source -/-> screen
    #expect(reference == nil)
  }

  @Test func `A closure may add and remove observers while it is destroyed`() {
    final class Farewell {
      let source: ValueSource<Int>
      init(_ source: ValueSource<Int>) { self.source = source }
      deinit {
        source.value += 1
        source.removeAllObservers()
      }
    }
    let source = ValueSource(1)
    var values: [Int] = []
    source.addObserver(updateImmediately: false) { values.append($1) }
    var farewell: Farewell? = Farewell(source)
    let token = source.addObserver(updateImmediately: false) { [farewell] _, _ in withExtendedLifetime(farewell) {} }
    farewell = nil
    token.cancel()
    source.value = 7
    #expect(values == [2])
    #expect(source.observations.isEmpty)
  }
}

@Suite struct `An observable that outlives many observers` {
  @Test func `An observable that outlives many observers does not grow`() {
    let source = ValueSource(1)
    weak var oldest: Canary?
    for index in 0..<1_000 {
      let canary = Canary()
      if index == 0 { oldest = canary }
      let screen = Screen()
      source.addObserver(screen, updateImmediately: false) { [canary] _ in withExtendedLifetime(canary) {} }
    }
    #expect(oldest == nil)
    source.value = 2
    #expect(source.observations.isEmpty)
  }

  @Test func `An observable that outlives many observers frees memory when tokens are cancelled in any order`() {
    let source = ValueSource(1)
    var generator = SeededGenerator(seed: 7)
    var values: Set<Int> = []
    let tokens = (0..<500).map { index in
      source.addObserver(updateImmediately: false) { _, _ in values.insert(index) }
    }
    for token in tokens[100...].shuffled(using: &generator) { token.cancel() }
    source.value = 2
    #expect(values == Set(0..<100))
    tokens[..<100].forEach { $0.cancel() }
    #expect(source.observations.isEmpty)
  }
}

import ObservationKit
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct `The values of an observable` {
  @Test func `The values of an observable begin with the current one`() async {
    let source = ValueSource(1)
    source.value = 2
    var iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == 2)
  }

  @Test func `The values of an observable begin with the current one in every iteration`() async {
    let source = ValueSource(1)
    let values = source.values
    var first = values.makeAsyncIterator()
    #expect(await first.next() == 1)
    source.value = 2
    var second = values.makeAsyncIterator()
    #expect(await second.next() == 2)
    #expect(await first.next() == 2)
  }

  @Test func `The values of an observable wake a consumer that waits`() async {
    let source = ValueSource(1)
    let consumer = ValuesConsumer(source.values)
    for value in 1...5 {
      source.value = value
      await consumer.reaches(value)
    }
    #expect(consumer.received == [1, 2, 3, 4, 5])
  }

  @Test func `A slow consumer of the values of an observable skips intermediate values`() async {
    let source = ValueSource(1)
    var iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for value in 2...9 { source.value = value }
    #expect(await iterator.next() == 9)
    let consumer = ValuesConsumer(source.values)
    await consumer.reaches(9)
    source.value = 10
    source.value = 11
    await consumer.reaches(11)
    #expect(consumer.received == [9, 11])
  }

  @Test func `The values of an observable come without suspending when there is a newer one`() async {
    let source = ValueSource(1)
    var iterator = source.values.makeAsyncIterator()
    var hadOthersTheirTurn = false
    let other = Task { hadOthersTheirTurn = true }
    for value in 1...3 {
      source.value = value
      #expect(await iterator.next(isolation: #isolation) == value)
      source.value = -value
      #expect(await iterator.next() == -value)
    }
    #expect(!hadOthersTheirTurn)
    await other.value
  }

  @Test func `The values of an observable reach two consumers, each at its own pace`() async {
    let source = ValueSource(1)
    let values = source.values
    let eager = ValuesConsumer(values)
    var lazy = values.makeAsyncIterator()
    #expect(await lazy.next() == 1)
    for value in 1...4 {
      source.value = value
      await eager.reaches(value)
    }
    #expect(eager.received == [1, 2, 3, 4])
    #expect(await lazy.next() == 4)
  }

  @Test func `The values of an observable come only when they changed`() async {
    let source = ValueSource(1)
    var iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    source.value = 1
    source.value = 2
    #expect(await iterator.next() == 2)
    source.value = 2
    source.removeAllObservers()
    #expect(await iterator.next() == nil)
  }

  @Test func `The values of an observable may be set by the consumer itself`() async {
    let source = ValueSource(0)
    let consumer = ValuesConsumer(source.values) { value in
      if value < 100 { source.value = value + 1 }
    }
    await consumer.reaches(100)
    #expect(consumer.received == Array(0...100))
  }

  @Test func `A sequence of values begins with the value at the time of the request, even in an observer`() async {
    let source = ValueSource(0)
    var values: ObservedValues<Int>?
    source.addObserver(updateImmediately: false) { _, new in
      guard new == 1 else { return }
      source.value = 2
      values = source.values
      source.value = 3
    }
    source.value = 1
    var iterator = values?.makeAsyncIterator()
    source.removeAllObservers()
    #expect(await iterator?.next() == 3)
    #expect(await iterator?.next() == .some(nil))
  }

  @Test func `The values of an observable are optional where the observable's are`() async {
    let source = ValueSource<Int?>(nil)
    var iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == .some(nil))
    source.value = 1
    #expect(await iterator.next() == .some(1))
    source.value = nil
    #expect(await iterator.next() == .some(nil))
    source.removeAllObservers()
    #expect(await iterator.next() == .none)
  }

  @Test func `The values of an observable come from a custom class`() async {
    let thermostat = Thermostat(20)
    let consumer = ValuesConsumer(thermostat.values)
    await consumer.reaches(20)
    thermostat.value = 21
    await consumer.reaches(21)
    #expect(consumer.received == [20, 21])
  }

  @Test func `The values of an observable come through any observable`() async {
    let observables: [any ValueObservable<Double>] = [Thermostat(1), ValueSource(2.0)]
    var first: [Double?] = []
    for observable in observables {
      var iterator = observable.values.makeAsyncIterator()
      first.append(await iterator.next())
    }
    #expect(first == [1, 2])
  }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct `The values of a derived observable` {
  @Test func `The values of a derived observable come though nothing else holds it`() async {
    let source = ValueSource("a")
    let consumer = ValuesConsumer(source.map { $0.count }.values)
    await consumer.reaches(1)
    source.value = "abc"
    await consumer.reaches(3)
    #expect(consumer.received == [1, 3])
  }

  @Test func `The values of a derived observable end when the observers of its root are removed`() async {
    let source = ValueSource(1)
    let consumer = ValuesConsumer(source.map { $0 * 2 }.values)
    await consumer.reaches(2)
    source.value = 5
    source.removeAllObservers()
    await consumer.ends()
    #expect(consumer.received == [2, 10])
  }

  @Test func `The values of a derived observable end with the root of its chain`() async {
    var source: ValueSource<Int>? = ValueSource(1)
    let consumer = source.map { ValuesConsumer($0.map { $0 * 2 }.removeDuplicates().values) }
    await consumer?.reaches(2)
    source?.value = 5
    source = nil
    await consumer?.ends()
    #expect(consumer?.received == [2, 10])
  }

  @Test func `The values of a derived observable begin when a filter lets one pass`() async {
    let source = ValueSource(1)
    var iterator = source.filter { $0 > 5 }.values.makeAsyncIterator()
    source.value = 3
    source.value = 7
    source.value = 4
    #expect(await iterator.next() == 7)
    source.value = 2
    source.value = 8
    #expect(await iterator.next() == 8)
  }

  @Test func `The values of a derived observable end without one if a filter lets none pass`() async {
    let source = ValueSource(1)
    var iterator = source.filter { $0 > 5 }.values.makeAsyncIterator()
    source.value = 2
    source.removeAllObservers()
    #expect(await iterator.next() == nil)
  }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct `The values set in a transaction` {
  @Test func `The values set in a transaction come as the final one`() async {
    let source = ValueSource(0)
    let consumer = ValuesConsumer(source.values)
    await consumer.reaches(0)
    transaction {
      for value in 1...5 { source.value = value }
    }
    await consumer.reaches(5)
    #expect(consumer.received == [0, 5])
  }

  @Test func `The values set in a transaction don't come if the final one is the one before`() async {
    var source: ValueSource<Int>? = ValueSource(0)
    var iterator = source?.values.makeAsyncIterator()
    #expect(await iterator?.next() == 0)
    transaction {
      source?.value = 1
      source?.value = 0
    }
    source = nil
    #expect(await iterator?.next() == .some(nil))
  }

  @Test(arguments: [0, 1, 2])
  func `A sequence of values requested during a transaction yields its final value`(final: Int) async {
    let source = ValueSource(0)
    source --> {}
    let values = transaction {
      source.value = 1
      let values = source.values
      source.value = final
      return values
    }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == final)
    for value in [3, 4] {
      source.value = value
      #expect(await iterator.next() == value)
    }
    source.value = 4
    source.removeAllObservers()
    #expect(await iterator.next() == nil)
  }

  @Test func `The values set in a transaction come once for each, from several observables`() async {
    let (width, height) = (ValueSource(1), ValueSource(1))
    let area = width.combineLatest(height).map { $0.first * $0.second }
    let consumer = ValuesConsumer(area.values)
    await consumer.reaches(1)
    transaction {
      width.value = 3
      height.value = 4
    }
    await consumer.reaches(12)
    #expect(consumer.received == [1, 12])
  }
}

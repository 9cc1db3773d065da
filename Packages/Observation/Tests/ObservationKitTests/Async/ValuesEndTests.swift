import ObservationKit
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct `An iteration over values ends` {
  @Test func `An iteration over values ends with the observable, for a consumer that waits`() async {
    var source: ValueSource<Int>? = ValueSource(1)
    let consumer = source.map { ValuesConsumer($0.values) }
    await consumer?.reaches(1)
    #expect(consumer?.hasEnded == false)
    source = nil
    await consumer?.ends()
    #expect(consumer?.received == [1])
  }

  @Test func `An iteration over values ends with the observable, after the last value`() async {
    var source: ValueSource<Int>? = ValueSource(1)
    let values = source?.values
    let consumer = values.map { ValuesConsumer($0) }
    await consumer?.reaches(1)
    source?.value = 2
    source?.value = 3
    source = nil
    await consumer?.ends()
    #expect(consumer?.received == [1, 3])
    var late = values?.makeAsyncIterator()
    #expect(await late?.next() == 3)
    #expect(await late?.next() == .some(nil))
    #expect(await late?.next() == .some(nil))
  }

  @Test func `An iteration over values ends when all observers are removed`() async {
    let source = ValueSource(1)
    let consumer = ValuesConsumer(source.values)
    await consumer.reaches(1)
    source.removeAllObservers()
    await consumer.ends()
    source.value = 2
    #expect(consumer.received == [1])
    #expect(source.observations.isEmpty)
  }

  @Test func `An iteration over values ends at once if its task was cancelled before it began`() async {
    let source = ValueSource(1)
    let consumer = ValuesConsumer(source.values)
    consumer.cancel()
    await consumer.ends()
    #expect(consumer.received.isEmpty)
  }

  @Test func `An iteration over values ends when its task is cancelled while it waits`() async {
    let source = ValueSource(1)
    let values = source.values
    let (cancelled, other) = (ValuesConsumer(values), ValuesConsumer(values))
    await cancelled.reaches(1)
    await other.reaches(1)
    cancelled.cancel()
    await cancelled.ends()
    source.value = 2
    await other.reaches(2)
    #expect(cancelled.received == [1])
    #expect(other.received == [1, 2])
  }

  @Test func `An iteration over values ends when its task is cancelled between a set and its turn`() async {
    let source = ValueSource(1)
    let consumer = ValuesConsumer(source.values)
    await consumer.reaches(1)
    source.value = 2
    consumer.cancel()
    await consumer.ends()
    #expect(consumer.received == [1])
  }

  @Test func `An iteration over values ends when its task cancels itself, although there is a newer value`() async {
    let source = ValueSource(1)
    let values = source.values
    let task = Task {
      var iterator = values.makeAsyncIterator()
      let first = await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return (first, await iterator.next(), iterator)
    }
    while source.value < 2 {
      source.value = 2
      await Task.yield()
    }
    var (first, second, iterator) = await task.value
    #expect(first != nil)
    #expect(second == nil)
    // Here nothing is cancelled, but what has ended stays ended.
    #expect(await iterator.next() == nil)
  }

  @Test func `An iteration over values ends in each of many tasks that are cancelled`() async {
    let source = ValueSource(1)
    let values = source.values
    let consumers = (0..<100).map { _ in ValuesConsumer(values) }
    for consumer in consumers { await consumer.reaches(1) }
    for consumer in consumers.shuffled() { consumer.cancel() }
    for consumer in consumers { await consumer.ends() }
    source.value = 2
    #expect(consumers.allSatisfy { $0.received == [1] })
  }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct `A sequence of values` {
  @Test func `A sequence of values doesn't keep its observable alive`() async {
    var source: ValueSource<Int>? = ValueSource(1)
    weak let reference = source
    let values = source?.values
    let consumer = values.map { ValuesConsumer($0) }
    await consumer?.reaches(1)
    source = nil
    #expect(reference == nil)
    await consumer?.ends()
  }

  @Test func `A released sequence of values is removed with the next change`() {
    let source = ValueSource(1)
    _ = source.values
    _ = source.values.makeAsyncIterator()
    source.value = 2
    #expect(source.observations.isEmpty)
  }

  @Test func `A sequence of values requested in a transaction and released is removed with the next change`() {
    let source = ValueSource(1)
    let token = source --> {}
    transaction {
      source.value = 2
      _ = source.values
    }
    token.cancel()
    source.value = 3
    #expect(source.observations.isEmpty)
  }

  @Test func `Sequences of values that are created and released repeatedly don't make their observable grow`() {
    let source = ValueSource(1)
    var held: [ObservedValues<Int>] = []
    for index in 0..<1_000 {
      let values = source.values
      if index.isMultiple(of: 100) { held.append(values) }
    }
    var calls = 0
    source.addObserver(updateImmediately: false) { _, _ in calls += 1 }
    source.value = 2
    #expect(calls == 1)
    #expect(!source.observations.isEmpty)
    held = []
    source.removeAllObservers()
    #expect(source.observations.isEmpty)
  }

  @Test func `A sequence of values is kept by its iterators`() async {
    let source = ValueSource(1)
    var iterator = source.values.makeAsyncIterator()
    source.value = 2
    source.value = 3
    #expect(!source.observations.isEmpty)
    #expect(await iterator.next() == 3)
  }

  @Test func `A sequence of values leaves nothing behind when its consumers are cancelled`() async {
    let source = ValueSource(Keepsake(1))
    let consumers = (0..<3).map { _ in ValuesConsumer(source.values) }
    for consumer in consumers {
      await consumer.reaches(Keepsake(1))
      consumer.cancel()
      await consumer.ends()
    }
    source.value = Keepsake(2)
    #expect(source.observations.isEmpty)
  }

  @Test func `A sequence of values releases the value when it is released`() async {
    let source = ValueSource<Keepsake?>(Keepsake(1))
    weak let first = source.value
    var iterator = Optional(source.values.makeAsyncIterator())
    #expect(await iterator?.next() == .some(first))
    iterator = nil
    source.removeAllObservers()
    source.value = nil
    #expect(first == nil)
  }

  @Test func `A sequence of values keeps one value and none between`() async {
    let source = ValueSource<Keepsake?>(nil)
    let values = source.values
    weak var previous: Keepsake?
    for number in 1...50 {
      let next = Keepsake(number)
      source.value = next
      #expect(previous == nil)
      previous = next
    }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == .some(Keepsake(50)))
  }

  @Test func `A sequence of values keeps nothing through an iterator that has ended`() async {
    let source = ValueSource<Keepsake?>(Keepsake(1))
    weak let first = source.value
    let values = source.values
    let task = Task { [values] in
      var iterator = values.makeAsyncIterator()
      withUnsafeCurrentTask { $0?.cancel() }
      _ = await iterator.next()
      return iterator
    }
    let iterator = await task.value
    _ = consume values
    source.value = nil
    #expect(source.observations.isEmpty)
    #expect(first == nil)
    withExtendedLifetime(iterator) {}
  }

  @Test func `A sequence of values may be used by a value that is being destroyed`() async {
    let shelf = Mutex<ObservedValues<Keepsake?>?>(nil)
    let deaths = Mutex(0)
    let source = ValueSource<Keepsake?>(nil)
    shelf.withLock { $0 = source.values }
    await withCheckedContinuation { done in
      source.value = Keepsake(1) {
        // The lock around the newest value would not be entered twice.
        let values = shelf.withLock { values in
          defer { values = nil }
          return values
        }
        _ = values?.makeAsyncIterator()
        deaths.withLock { $0 += 1 }
        done.resume()
      }
      source.value = Keepsake(2)
    }
    #expect(deaths.withLock { $0 } == 1)
    source.value = nil
    #expect(source.observations.isEmpty)
  }
}

import ObservationKit
import Synchronization
import Testing

/// Counts what happens in several tasks.
private final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  var count: Int { number.load(ordering: .relaxed) }
  func increment() { number.add(1, ordering: .relaxed) }
}

@Suite(.timeLimit(.minutes(30))) struct `Consumers in other isolations` {
  @Test func `Consumers in other isolations are reached by an owner on the main actor`() async {
    let station = ValuesStation()
    await Task { @MainActor in
      var source: ValueSource<Int>? = ValueSource(1)
      guard let values = source?.values else { return }
      async let received = station.follow(values)
      for value in 1...5 {
        source?.value = value
        await station.reaches(value)
      }
      source = nil
      #expect(await received == [1, 2, 3, 4, 5])
    }.value
  }

  @Test func `Consumers in other isolations all get the last value, whichever actor they live in`() async {
    let stations = (0..<20).map { _ in ValuesStation() }
    let source = ValueSource(0)
    let values = source.values
    await withTaskGroup(of: [Int].self) { group in
      for station in stations { group.addTask { await station.follow(values) } }
      for station in stations { await station.reaches(0) }
      for value in 1...1_000 { source.value = value }
      for station in stations { await station.reaches(1_000) }
      source.removeAllObservers()
      for await received in group {
        #expect(received.first == 0)
        #expect(received.last == 1_000)
        #expect(zip(received, received.dropFirst()).allSatisfy(<))
      }
    }
  }

  @Test
  func `Consumers in other isolations see a strictly increasing sequence that ends on the last of 100,000 values`()
    async
  {
    let last = 100_000
    let arrivals = Counter()
    var source: ValueSource<Int>? = ValueSource(0)
    let values = source?.values
    await withTaskGroup(of: (count: Int, last: Int, isIncreasing: Bool).self) { group in
      for _ in 0..<8 {
        group.addTask {
          var (count, previous, isIncreasing) = (0, -1, true)
          guard let values else { return (0, previous, false) }
          for await value in values {
            isIncreasing = isIncreasing && value > previous
            previous = value
            count += 1
            if count == 1 { arrivals.increment() }
          }
          return (count, previous, isIncreasing)
        }
      }
      while arrivals.count < 8 { await Task.yield() }
      for value in 1...last {
        source?.value = value
        // So that on few cores the consumers get their turn, too.
        if value.isMultiple(of: 64) { await Task.yield() }
      }
      source = nil
      for await result in group {
        #expect(result.isIncreasing)
        #expect(result.last == last)
        #expect(result.count > 1)
      }
    }
  }

  @Test func `Consumers in other isolations may come, be cancelled and go while values are set`() async {
    let source = ValueSource(0)
    let finished = Counter()
    let consumers = 400
    await withTaskGroup(of: Void.self) { group in
      var value = 0
      for index in 0..<consumers {
        // A sequence each: it is also dropped somewhere else than it is fed.
        let values = source.values
        let task = Task.detached {
          var previous = -1
          for await value in values {
            #expect(value > previous)
            previous = value
          }
          finished.increment()
        }
        group.addTask {
          if index.isMultiple(of: 2) { await Task.yield() }
          task.cancel()
          await task.value
        }
        for _ in 0..<5 {
          value += 1
          source.value = value
        }
        await Task.yield()
      }
      while finished.count < consumers {
        value += 1
        source.value = value
        await Task.yield()
      }
    }
    source.value = -1
    #expect(source.observations.isEmpty)
  }
}

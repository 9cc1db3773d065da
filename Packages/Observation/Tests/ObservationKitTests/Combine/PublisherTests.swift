#if canImport(Combine)
  import Combine
  import ObservationKit
  import Testing

  /// A subscriber whose demand the test controls.
  private final class Reader: Subscriber {
    var subscription: (any Subscription)?
    var values: [Int] = []
    var completions = 0
    var answer = Subscribers.Demand.none
    var action: ((Int) -> Void)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ value: Int) -> Subscribers.Demand {
      values.append(value)
      action?(value)
      return answer
    }

    func receive(completion: Subscribers.Completion<Never>) { completions += 1 }
  }

  @Suite struct `A publisher of values` {
    private let source = ValueSource(1)
    private let reader = Reader()

    @Test func `A publisher of values gives the current value, then each change, until it is cancelled`() {
      var values: [Int] = []
      let cancellable = source.publisher.sink { values.append($0) }
      source.value = 2
      source.value = 2
      source.value = 3
      cancellable.cancel()
      source.value = 4
      #expect(values == [1, 2, 3])
      #expect(source.observations.isEmpty)
    }

    @Test func `A publisher of values sends the newest value on demand`() {
      source.publisher.subscribe(reader)
      #expect(reader.values.isEmpty)
      source.value = 2
      reader.subscription?.request(.max(1))
      source.value = 3
      source.value = 4
      #expect(reader.values == [2])
      reader.subscription?.request(.max(2))
      source.value = 5
      source.value = 6
      #expect(reader.values == [2, 4, 5])
    }

    @Test func `A publisher of values meets demand that a subscriber adds while it receives`() {
      source.publisher.subscribe(reader)
      reader.answer = .max(1)
      reader.subscription?.request(.max(1))
      source.value = 2
      source.value = 3
      #expect(reader.values == [1, 2, 3])
    }

    @Test func `A publisher of values publishes in order the values that are set during a delivery`() {
      source.publisher.subscribe(reader)
      reader.action = { [source] in if $0 < 5 { source.value = $0 + 1 } }
      reader.subscription?.request(.unlimited)
      #expect(reader.values == [1, 2, 3, 4, 5])
    }

    @Test func `A publisher of values publishes the result of a transaction once`() {
      source.publisher.subscribe(reader)
      reader.subscription?.request(.unlimited)
      transaction {
        source.value = 2
        source.value = 3
      }
      #expect(reader.values == [1, 3])
    }

    @Test func `A publisher of values finishes when the observable is deallocated`() {
      var source: ValueSource<Int>? = ValueSource(1)
      weak let weakSource = source
      source?.publisher.subscribe(reader)
      reader.subscription?.request(.unlimited)
      source = nil
      #expect(weakSource == nil)
      #expect(reader.values == [1])
      #expect(reader.completions == 1)
    }

    @Test func `A publisher of values finishes when the observers are removed`() {
      source.publisher.subscribe(reader)
      source.removeAllObservers()
      #expect(reader.completions == 1)
    }

    @Test func `A publisher of values releases a subscriber that cancelled, and does not finish`() {
      var reader: Reader? = Reader()
      weak let weakReader = reader
      source.publisher.subscribe(reader!)
      reader?.subscription?.cancel()
      #expect(reader?.completions == 0)
      reader = nil
      #expect(weakReader == nil)
    }

    @Test func `A publisher of values retains its sources only while it has a subscriber`() {
      var values: [Int] = []
      var cancellable: AnyCancellable? = source.map { $0 * 2 }.publisher.sink { values.append($0) }
      source.value = 2
      #expect(values == [2, 4])
      withExtendedLifetime(cancellable) {}
      cancellable = nil
      source.value = 3
      source.value = 4
      #expect(values == [2, 4])
      #expect(source.observations.isEmpty)
    }
  }
#endif

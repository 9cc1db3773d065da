import ObservationKit
import Testing

@Suite struct `A token` {
  @Test func `A token ends its observation and no other`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    var (first, second): ([Int], [Int]) = ([], [])
    let token = source --> { first.append($0) }
    source --> { second.append($0) }
    source --> recorder
    token.cancel()
    source.value = 2
    #expect(first == [1])
    #expect(second == [1, 2])
    #expect(recorder.values == [1, 2])
  }

  @Test func `A token does not end its observation when it is released`() {
    let source = ValueSource(1)
    var values: [Int] = []
    var token: ObservationToken? = source --> { values.append($0) }
    token = nil
    source.value = 2
    #expect(values == [1, 2])
    #expect(token == nil)
  }

  @Test func `A token may be cancelled twice, and after its observable was deallocated`() {
    var source: ValueSource<Int>? = ValueSource(1)
    let tokens = source.map { source in [source --> { _ in }, source --> { _ in }] } ?? []
    tokens[0].cancel()
    tokens[0].cancel()
    #expect(source?.observations.isEmpty == false)
    source = nil
    tokens.forEach { $0.cancel() }
  }

  @Test func `A token can be collected in a set or an array, which only collects`() {
    let source = ValueSource(1)
    var values: [Int] = []
    var set: Set<ObservationToken> = []
    var array: [ObservationToken] = []
    (source --> { values.append($0) }).store(in: &set)
    (source --> { values.append(-$0) }).store(in: &set)
    (source --> { values.append(10 * $0) }).store(in: &array)
    #expect(set.count == 2)
    #expect(array.count == 1)
    values = []
    source.value = 2
    #expect(values == [2, -2, 20])
    set.forEach { $0.cancel() }
    source.value = 3
    #expect(values == [2, -2, 20, 30])
  }

  @Test func `A token is equal to itself only`() {
    let source = ValueSource(1)
    let (first, second) = (source --> { _ in }, source --> { _ in })
    #expect(first == first)
    #expect(first != second)
    #expect(Set([first, second, first]).count == 2)
  }

  @Test func `A token ends the observation of an object or owner too`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    let screen = Screen()
    let tokens = [
      source.addObserver(recorder),
      source.addObserver(screen) { [weak screen] in screen?.shown.append($0) },
    ]
    tokens.forEach { $0.cancel() }
    source.value = 2
    #expect(recorder.values == [1])
    #expect(screen.shown == [1])
  }
}

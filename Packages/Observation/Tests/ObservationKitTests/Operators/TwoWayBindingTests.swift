import ObservationKit
import Testing

@Suite struct `A two-way binding` {
  @Test func `A two-way binding ends when values can't be compared, and notifies each end once`() {
    struct Opaque { var number: Int }
    let (left, right) = (ValueSource(Opaque(number: 1)), ValueSource(Opaque(number: 2)))
    left <--> right
    var log: [String] = []
    left.addObserver(updateImmediately: false) { log.append("left \($1.number)") }
    right.addObserver(updateImmediately: false) { log.append("right \($1.number)") }
    left.value = Opaque(number: 3)
    #expect(right.value.number == 3)
    right.value = Opaque(number: 4)
    #expect(left.value.number == 4)
    #expect(log.sorted() == ["left 3", "left 4", "right 3", "right 4"])
  }

  @Test func `A two-way binding ends when a value is not equal to itself`() {
    let (left, right) = (ValueSource(1.0), ValueSource(2.0))
    left <--> right
    left.value = .nan
    #expect(right.value.isNaN)
    right.value = 3
    #expect(left.value == 3)
  }

  @Test func `A two-way binding of three in a ring reaches all of them and ends`() {
    let sources = [ValueSource(1), ValueSource(2), ValueSource(3)]
    sources[0] <--> sources[1]
    sources[1] <--> sources[2]
    sources[2] <--> sources[0]
    for (index, source) in sources.enumerated() {
      source.value = 10 + index
      #expect(sources.map(\.value) == [Int](repeating: 10 + index, count: 3))
    }
  }

  @Test func `A two-way binding of three in a ring ends when values can't be compared`() {
    struct Opaque { var number: Int }
    let sources = (0..<3).map { ValueSource(Opaque(number: $0)) }
    sources[0] <--> sources[1]
    sources[1] <--> sources[2]
    sources[2] <--> sources[0]
    var calls = 0
    sources.forEach { $0.addObserver(updateImmediately: false) { _, _ in calls += 1 } }
    sources[1].value = Opaque(number: 9)
    #expect(sources.map(\.value.number) == [9, 9, 9])
    #expect(calls == 3)
  }

  @Test func `A two-way binding can be cut in each direction`() {
    let (left, right) = (ValueSource(1), ValueSource(2))
    left <--> right
    left -/-> right
    left.value = 3
    #expect(right.value == 2)
    right.value = 4
    #expect(left.value == 4)
    right -/-> left
    right.value = 5
    #expect(left.value == 4)
  }

  @Test func `A two-way binding copies a value that an observer corrects to both sides`() {
    let (left, right) = (ValueSource(0), ValueSource(0))
    left <--> right
    right --> { if $0 > 10 { right.value = 10 } }
    left.value = 50
    #expect(left.value == 10)
    #expect(right.value == 10)
  }

  @Test func `A two-way binding made twice still ends`() {
    let (left, right) = (ValueSource(1), ValueSource(2))
    left <--> right
    right <--> left
    left.value = 3
    #expect(right.value == 3)
    right.value = 4
    #expect(left.value == 4)
  }

  @Test func `A two-way binding of a value with itself changes nothing`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    source <--> source
    source --> recorder
    source.value = 2
    #expect(recorder.values == [1, 2])
  }
}

import ObservationKit
import Testing

@Suite struct `The operators` {
  @Test func `--> notifies an observer now and after every change, and returns it`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    let result = source --> recorder
    source.value = 2
    #expect(result === recorder)
    #expect(recorder.changes == [Change(1, 1), Change(1, 2)])
  }

  @Test func `--> calls closures of every shape`() {
    let source = ValueSource(1)
    var calls = 0
    var values: [Int] = []
    var changes: [Change<Int>] = []
    source --> { calls += 1 }
    source --> { values.append($0) }
    source --> { value in values.append(-value) }
    source --> { changes.append(Change($0, $1)) }
    source --> { old, new in changes.append(Change(old, new)) }
    source.value = 2
    #expect(calls == 2)
    #expect(values == [1, -1, 2, -2])
    #expect(changes == [Change(1, 1), Change(1, 1), Change(1, 2), Change(1, 2)])
  }

  @Test func `--> takes a closure of several statements`() {
    let source = ValueSource(1)
    var values: [Int] = []
    let token =
      source --> { value in
        let doubled = value * 2
        values.append(doubled)
      }
    source.value = 4
    token.cancel()
    source.value = 5
    #expect(values == [2, 8])
  }

  @Test func `--> makes a token also of a single expression that returns something`() {
    let source = ValueSource(1)
    var seen: Set<Int> = []
    let log = Log()
    let first: ObservationToken = source --> { log.put($0) }
    let second = source --> { log.put($0) }
    let third = source --> { old, new in log.put(old + new) }
    source --> { seen.insert($0) }
    first.cancel()
    second.cancel()
    third.cancel()
    source.value = 2
    #expect(log.entries == [1, 1, 2])
    #expect(seen == [1, 2])
  }

  @Test func `--> ties closures to an owner, handing it over or not`() {
    let source = ValueSource(1)
    let screen = Screen()
    source --> screen { [weak screen] value in screen?.shown.append(value) }
    source --> screen { screen, value in screen.shown.append(-value) }
    source.value = 2
    #expect(screen.shown == [1, -1, 2, -2])
  }

  @Test func `--> gives each of an owner's closures a token of its own`() {
    let source = ValueSource(1)
    let screen = Screen()
    let token = source --> screen { screen, value in screen.shown.append(value) }
    source --> screen { screen, value in screen.shown.append(-value) }
    token.cancel()
    source.value = 2
    #expect(screen.shown == [1, -1, -2])
  }

  @Test func `<-- is --> with its operands exchanged`() {
    let (source, target) = (ValueSource("a"), ValueSource(""))
    let result = target <-- source
    #expect(result === source)
    #expect(target.value == "a")
    source.value = "b"
    #expect(target.value == "b")
    target.value = "c"
    #expect(source.value == "b")
    source.value = "d"
    #expect(target.value == "d")
  }

  @Test func `<-- may be given several sources for one target`() {
    let (first, second, target) = (ValueSource(1), ValueSource(2), ValueSource(0))
    target <-- first
    target <-- second
    #expect(target.value == 2)
    first.value = 3
    #expect(target.value == 3)
    first -/-> target
    first.value = 4
    #expect(target.value == 3)
    second.value = 5
    #expect(target.value == 5)
  }

  @Test func `-/-> ends the observations of an observer or an owner`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    let screen = Screen()
    source --> recorder
    source --> screen { screen, value in screen.shown.append(value) }
    source --> screen { screen, value in screen.shown.append(-value) }
    source -/-> recorder
    source.value = 2
    source -/-> screen
    source.value = 3
    source -/-> Canary()
    #expect(recorder.values == [1])
    #expect(screen.shown == [1, -1, 2, -2])
  }

  @Test func `<--> takes the right side's value at first and then each takes the other's`() {
    let (left, right) = (ValueSource("left"), ValueSource("right"))
    let result = left <--> right
    #expect(result === right)
    #expect(left.value == "right")
    #expect(right.value == "right")
    left.value = "new"
    #expect(right.value == "new")
    right.value = "newer"
    #expect(left.value == "newer")
  }
}

@Suite struct `A chain` {
  @Test func `A chain of four passes values on to the right and never to the left`() {
    let (a, b, c, d) = (ValueSource(1), ValueSource(2), ValueSource(3), ValueSource(4))
    a --> b --> c --> d
    #expect([a, b, c, d].map(\.value) == [1, 1, 1, 1])
    a.value = 5
    #expect([a, b, c, d].map(\.value) == [5, 5, 5, 5])
    c.value = 7
    #expect([a, b, c, d].map(\.value) == [5, 5, 7, 7])
    a.value = 8
    #expect([a, b, c, d].map(\.value) == [8, 8, 8, 8])
  }

  @Test func `A chain written from the right passes values to the left`() {
    let (a, b, c) = (ValueSource(1), ValueSource(2), ValueSource(3))
    a <-- b <-- c
    // The left arrow is first: `a` takes 2, and then follows `b` to 3.
    #expect([a, b, c].map(\.value) == [3, 3, 3])
    c.value = 9
    #expect([a, b, c].map(\.value) == [9, 9, 9])
  }

  @Test func `A chain through a saved middle works like one in a line`() {
    let (a, b) = (ValueSource(1), ValueSource(0))
    let recorder = Recorder<Int>()
    let middle = a --> b
    middle --> recorder
    a.value = 2
    #expect(recorder.values == [1, 2])
  }

  @Test func `A chain may end in a closure`() {
    let (a, b) = (ValueSource(1), ValueSource(0))
    var values: [Int] = []
    let token = a --> b --> { values.append($0) }
    a.value = 2
    token.cancel()
    a.value = 3
    #expect(values == [1, 2])
    #expect(b.value == 3)
  }

  @Test func `A chain that comes together again gives its end each value once`() {
    let (top, left, right, bottom) = (ValueSource(1), ValueSource(0), ValueSource(0), ValueSource(0))
    let recorder = Recorder<Int>()
    top --> left --> bottom
    top --> right --> bottom
    bottom --> recorder
    top.value = 2
    top.value = 3
    #expect(recorder.values == [1, 2, 3])
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

import ObservationKit
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct `A transaction` {
  @Test func `A transaction notifies each observer once, with the first old and the last new value`() {
    let (a, b) = (ValueSource(1), ValueSource("x"))
    var log: [String] = []
    a.addObserver(updateImmediately: false) { log.append("a \($0) \($1)") }
    b.addObserver(updateImmediately: false) { log.append("b \($0) \($1)") }
    let result = transaction {
      b.value = "y"
      a.value = 2
      a.value = 3
      b.value = "z"
      #expect(log.isEmpty)
      return a.value
    }
    #expect(result == 3)
    #expect(log == ["b x z", "a 1 3"])
  }

  @Test func `A transaction does not notify of a value that was restored`() {
    let source = ValueSource(1)
    let (onChange, onSet) = (Recorder<Int>(), Recorder<Int>())
    let derived = source.map { $0 * 2 }
    var derivedCalls = 0
    derived.addObserver(updateImmediately: false) { _, _ in derivedCalls += 1 }
    let kept = source.filter { _ in true }
    kept.addObserver(updateImmediately: false) { _, _ in derivedCalls += 1 }
    source.addObserver(onChange, updateImmediately: false)
    source.addObserver(onSet, requiresChange: false, updateImmediately: false)
    transaction {
      source.value = 2
      source.value = 1
    }
    #expect(onChange.changes.isEmpty)
    #expect(onSet.changes == [Change(1, 1)])
    #expect(derivedCalls == 0)
  }

  @Test func `A transaction notifies observers of every set once, even if nothing changed`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    source.addObserver(recorder, requiresChange: false, updateImmediately: false)
    transaction {
      source.value = 1
      source.value = 1
    }
    #expect(recorder.changes == [Change(1, 1)])
  }

  @Test func `A transaction within a transaction is part of it`() {
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    source.addObserver(recorder, updateImmediately: false)
    transaction {
      transaction { source.value = 2 }
      #expect(recorder.changes.isEmpty)
      source.value = 3
    }
    #expect(recorder.changes == [Change(1, 3)])
  }

  @Test func `A transaction that throws keeps and delivers its values, and the next set is delivered at once`() {
    struct Failure: Error {}
    let source = ValueSource(1)
    let recorder = Recorder<Int>()
    source.addObserver(recorder, updateImmediately: false)
    #expect(throws: Failure.self) {
      try transaction {
        source.value = 2
        throw Failure()
      }
    }
    #expect(recorder.changes == [Change(1, 2)])
    source.value = 3
    #expect(recorder.changes.last == Change(2, 3))
  }

  @Test func `A transaction propagates values through bindings and transforms before any observer is notified`() {
    let (a, b, c) = (ValueSource(1), ValueSource(0), ValueSource(0))
    var transforms = 0
    a --> b
    b
      --> { value in
        transforms += 1
        return value * 10
      } --> c
    transforms = 0
    var log: [String] = []
    a.addObserver(updateImmediately: false) { log.append("a \($0) \($1), c \(c.value)") }
    c.addObserver(updateImmediately: false) { log.append("c \($0) \($1)") }
    transaction {
      a.value = 2
      a.value = 3
      #expect(b.value == 1)
    }
    #expect(log == ["a 1 3, c 30", "c 10 30"])
    #expect(transforms == 1)
  }

  @Test func `A transaction notifies a combination of two values once, also through both arms of a diamond`() {
    let (width, height) = (ValueSource(1), ValueSource(1))
    let area = width.combineLatest(height).map { $0.first * $0.second }
    let sum = width.map { $0 + 1 }.combineLatest(width.map { $0 + 2 }).map { $0.first + $0.second }
    var (areas, sums): ([Int], [Int]) = ([], [])
    area --> { areas.append($0) }
    sum --> { sums.append($0) }
    transaction {
      width.value = 3
      height.value = 4
    }
    #expect(areas == [1, 12])
    #expect(sums == [5, 9])
  }

  @Test func `A transaction that sets both sides of a two-way binding leaves both on the newer value`() {
    let (left, right) = (ValueSource(1), ValueSource(1))
    left <--> right
    let (leftRecorder, rightRecorder) = (Recorder<Int>(), Recorder<Int>())
    left.addObserver(leftRecorder, updateImmediately: false)
    right.addObserver(rightRecorder, updateImmediately: false)
    transaction {
      left.value = 2
      right.value = 3
    }
    #expect([left.value, right.value] == [3, 3])
    #expect(leftRecorder.changes == [Change(1, 3)])
    #expect(rightRecorder.changes == [Change(1, 3)])
    transaction {
      right.value = 4
      left.value = 5
      left.value = 3
    }
    #expect([left.value, right.value] == [3, 3])
    #expect(leftRecorder.changes.count == 1)
    #expect(rightRecorder.changes.count == 1)
  }

  @Test func `A transaction delivers at once a value that an observer sets when it is notified`() {
    let (a, b) = (ValueSource(1), ValueSource(1))
    var log: [String] = []
    a.addObserver(updateImmediately: false) { _, new in
      b.value = new * 2
      log.append("a \(new)")
    }
    b.addObserver(updateImmediately: false) { log.append("b \($1)") }
    transaction { a.value = 5 }
    #expect(log == ["b 10", "a 5"])
  }

  @Test
  func `A transaction merges a set by a notified observer with a change not yet delivered, for bindings too`() {
    let (a, b, target) = (ValueSource(1), ValueSource(1), ValueSource(0))
    b --> target
    let derived = b.map { $0 }
    let recorder = Recorder<Int>()
    b.addObserver(recorder, updateImmediately: false)
    a.addObserver(updateImmediately: false) { _, new in b.value = new * 100 }
    transaction {
      a.value = 2
      b.value = 3
    }
    #expect(b.value == 200)
    #expect(recorder.changes == [Change(1, 200)])
    #expect([target.value, derived.value] == [200, 200])
  }

  @Test func `A transaction passes a value on that an observer puts back when it is notified`() {
    let (a, b, target) = (ValueSource(1), ValueSource(1), ValueSource(0))
    b --> target
    let derived = b.map { $0 }
    let recorder = Recorder<Int>()
    b.addObserver(recorder, updateImmediately: false)
    a.addObserver(updateImmediately: false) { _, _ in b.value = 1 }
    transaction {
      a.value = 2
      b.value = 3
    }
    #expect([b.value, target.value, derived.value] == [1, 1, 1])
    #expect(recorder.changes.isEmpty)
  }

  @Test func `A transaction can be started by an observer that is notified of another`() {
    let (a, b, c) = (ValueSource(1), ValueSource(1), ValueSource(1))
    var log: [String] = []
    a.addObserver(updateImmediately: false) { _, new in
      transaction {
        b.value = new
        c.value = new
        c.value = new + 1
      }
      log.append("a \(new)")
    }
    b.addObserver(updateImmediately: false) { log.append("b \($0) \($1)") }
    c.addObserver(updateImmediately: false) { log.append("c \($0) \($1)") }
    transaction {
      a.value = 5
      c.value = 2
    }
    #expect(log == ["b 1 5", "a 5", "c 1 6"])
    log = []
    a.value = 7
    #expect(log == ["b 5 7", "c 6 8", "a 7"])
  }

  @Test func `A transaction within a delivery of a value that it sets waits for its turn`() {
    let (a, b) = (ValueSource(0), ValueSource(0))
    var log: [String] = []
    a.addObserver(updateImmediately: false) { _, new in
      if new == 1 {
        transaction {
          a.value = 2
          a.value = 3
          b.value = 1
        }
      }
      log.append("first \(new)")
    }
    a.addObserver(updateImmediately: false) { log.append("second \($0) \($1)") }
    b.addObserver(updateImmediately: false) { log.append("b \($1)") }
    a.value = 1
    #expect(log == ["b 1", "first 1", "second 0 1", "first 3", "second 1 3"])
  }

  @Test func `A transaction calls no observer cancelled in it, and none twice`() {
    let source = ValueSource(1)
    let (gone, owned) = (Recorder<Int>(), Screen())
    var calls = 0
    source.addObserver(gone, updateImmediately: false)
    source --> owned { screen, value in screen.shown.append(value) }
    let token = source.addObserver(updateImmediately: false) { _, _ in calls += 1 }
    transaction {
      source.value = 2
      token.cancel()
      source -/-> gone
      source -/-> owned
      source.value = 3
    }
    #expect(gone.changes.isEmpty)
    #expect(owned.shown == [1])
    #expect(calls == 0)
    #expect(source.observations.isEmpty)
  }

  @Test func `A transaction notifies an observer added in it of a value that differs from its first call`() {
    let source = ValueSource(1)
    let (early, late, last) = (Recorder<Int>(), Recorder<Int>(), Recorder<Int>())
    let target = ValueSource(0)
    source.addObserver(early, updateImmediately: false)
    transaction {
      source.value = 2
      source --> late
      source --> target
      source.value = 3
      source --> last
    }
    #expect(early.changes == [Change(1, 3)])
    #expect(late.changes == [Change(2, 2), Change(2, 3)])
    #expect(last.changes == [Change(3, 3)])
    #expect(target.value == 3)
  }

  @Test func `A transaction notifies an observer added in it also of a value that was restored`() {
    let source = ValueSource(1)
    let (early, late) = (Recorder<Int>(), Recorder<Int>())
    source.addObserver(early, updateImmediately: false)
    let target = ValueSource(0)
    transaction {
      source.value = 2
      source --> late
      source --> target
      source.value = 1
    }
    #expect(early.changes.isEmpty)
    #expect(late.changes == [Change(2, 2), Change(2, 1)])
    #expect(target.value == 1)
  }

  @Test func `A transaction notifies of a change also if the observable was released before its end`() {
    var source: ValueSource<Int>? = ValueSource(1)
    weak let reference = source
    let target = ValueSource(0)
    var values: [Int] = []
    if let source { source --> target }
    source?.addObserver(updateImmediately: false) { values.append($1) }
    transaction {
      source?.value = 2
      source = nil
      #expect(reference == nil)
    }
    #expect(values == [2])
    #expect(target.value == 2)
  }

  @Test func `The stamps of a transaction increase strictly, from one read of the clock`() {
    let before = ChangeStamp.next()
    var stamps: [ChangeStamp] = []
    transaction { for _ in 0..<1_000 { stamps.append(.next()) } }
    let after = ChangeStamp.next()
    #expect(before < stamps[0])
    #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
    #expect(stamps[999] < after)
    #expect(stamps[999].nanoseconds - stamps[0].nanoseconds < 1_000_000)
  }

  @Test func `A transaction with an empty body does nothing, and schedules nothing`() {
    transaction {}
    #expect(transaction { 1 } == 1)
  }
}

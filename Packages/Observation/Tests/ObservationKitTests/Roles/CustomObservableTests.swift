import ObservationKit
import Testing

@Suite struct `A custom class` {
  @Test func `A custom class is observed like any other in every shape`() {
    let thermostat = Thermostat(20)
    let recorder = Recorder<Double>()
    let screen = Screen()
    var calls = 0
    thermostat --> recorder
    thermostat --> screen { screen, value in screen.shown.append(Int(value)) }
    let token = thermostat --> { calls += 1 }
    thermostat.value = 21
    token.cancel()
    thermostat.value = 21
    thermostat.value = 22
    #expect(recorder.changes == [Change(20, 20), Change(20, 21), Change(21, 22)])
    #expect(recorder.lastObservable === thermostat)
    #expect(screen.shown == [20, 21, 22])
    #expect(calls == 2)
  }

  @Test func `A custom class is bound in both directions`() {
    let (thermostat, source) = (Thermostat(20), ValueSource(5.0))
    thermostat <--> source
    #expect(thermostat.value == 5)
    thermostat.value = 6
    #expect(source.value == 6)
    source.value = 7
    #expect(thermostat.value == 7)
    source -/-> thermostat
    thermostat -/-> source
    let other = ValueSource(1.0)
    other <--> thermostat
    #expect(other.value == 7)
    other.value = 8
    #expect(thermostat.value == 8)
  }

  @Test func `A custom class drives several targets, and losing one keeps the others`() {
    let thermostat = Thermostat(20)
    let (first, second) = (ValueSource(0.0), ValueSource(0.0))
    thermostat --> first
    thermostat --> second
    thermostat.value = 21
    thermostat -/-> first
    thermostat.value = 22
    #expect(first.value == 21)
    #expect(second.value == 22)
  }

  @Test func `A custom observable of values that can't be compared notifies of every set`() {
    final class Box: ValueObservable {
      struct Content { var number: Int }
      let observations = ObservationRegistry<Content>()
      var value = Content(number: 0) { didSet { observations.notify(from: oldValue, to: value) } }
    }
    let box = Box()
    var numbers: [Int] = []
    box --> { numbers.append($0.number) }
    box.value = .init(number: 0)
    #expect(numbers == [0, 0])
  }

  @Test func `A custom observable that is unset copies nothing to a binding`() {
    final class Lazy: ValueObservable {
      let observations = ObservationRegistry<Int>()
      var isUnset = true
      var value = 0 {
        didSet {
          isUnset = false
          observations.notify(from: oldValue, to: value)
        }
      }
    }
    let (lazy, target) = (Lazy(), ValueSource(5))
    lazy --> target
    #expect(target.value == 5)
    lazy.value = 6
    #expect(target.value == 6)
  }

  @Test func `A custom class may be used as any observable`() {
    let observables: [any ValueObservable<Double>] = [Thermostat(1), ValueSource(2.0)]
    var sum = 0.0
    for observable in observables { observable.addObserver { sum += $1 } }
    #expect(sum == 3)
  }

  @Test func `A custom class may define its changes and their stamps`() {
    let registry = ObservationRegistry<String>()
    let source = Announcer(registry)
    var (changes, sets): ([String], [String]) = ([], [])
    source.addObserver(updateImmediately: false) { changes.append($1) }
    source.addObserver(requiresChange: false, updateImmediately: false) { _, new in
      sets.append(new)
      #expect(registry.stamp == ChangeStamp(nanoseconds: 5))
    }
    registry.notify(from: "a", to: "A", isChange: false, stamp: ChangeStamp(nanoseconds: 5))
    #expect(changes.isEmpty)
    #expect(sets == ["A"])
  }
}

private final class Announcer: ValueObservable {
  let observations: ObservationRegistry<String>
  let value = "a"
  init(_ observations: ObservationRegistry<String>) { self.observations = observations }
}

import BenchmarkHarness
import FieldKit
import OpenCombine

/// Sets of an observed value, with 0 to 1,000 observers that each add the value to a sum.
enum SettingBenchmarks {
  static var all: [Benchmark] {
    [
      unobserved,
      inTransaction,
      observed(by: 1, size: 100_000, goal: 0.4),
      observed(by: 10, size: 20_000, goal: 0.08),
      observed(by: 1_000, size: 500, goal: 0.06, floorGoal: 1.3),
    ]
  }

  private static var unobserved: Benchmark {
    Benchmark(group: "notify", name: "set, no observers", operation: "set", size: 200_000) { size in
      let number = ObservedNumber()
      return [
        fieldSide(observers: 0, size),
        subjectSide(observers: 0, size, goal: 0.9),
        Side("@Observable", goal: 0.8) { round in
          for value in numbers(of: round, count: size) { number.value = value }
          return UInt64(number.value ?? 0)
        },
        closuresSide(observers: 0, size, goal: nil),
      ]
    }
  }

  private static var inTransaction: Benchmark {
    Benchmark(group: "notify", name: "set in a transaction", operation: "set", size: 200_000) { size in
      let field = Field<Int>()
      return [
        Side("ModelKit") { round in
          transaction {
            for value in numbers(of: round, count: size) { field.value = value }
          }
          return UInt64(field.value ?? 0)
        },
        subjectSide(observers: 0, size, goal: 0.3),
      ]
    }
  }

  private static func observed(by count: Int, size: Int, goal: Double, floorGoal: Double? = nil) -> Benchmark {
    let name = "set, \(Format.count(count)) \(count == 1 ? "observer" : "observers")"
    return Benchmark(group: "notify", name: name, operation: "set", size: size) { size in
      var sides = [
        fieldSide(observers: count, size),
        subjectSide(observers: count, size, goal: goal),
        closuresSide(observers: count, size, goal: floorGoal),
      ]
      if count == 1 { sides.insert(trackingSide(size), at: 2) }
      return sides
    }
  }

  private static func fieldSide(observers: Int, _ size: Int) -> Side {
    let field = Field<Int>()
    let tally = Tally()
    for _ in 0..<observers { field --> { value in tally.add(value) } }
    _ = tally.take()
    return Side("ModelKit") { round in
      for value in numbers(of: round, count: size) { field.value = value }
      return tally.take() &+ UInt64(field.value ?? 0)
    }
  }

  private static func subjectSide(observers: Int, _ size: Int, goal: Double) -> Side {
    let subject = CurrentValueSubject<Int?, Never>(nil)
    let tally = Tally()
    let tokens = (0..<observers).map { _ in subject.sink { value in tally.add(value) } }
    _ = tally.take()
    return Side("OpenCombine CurrentValueSubject", goal: goal) { round in
      for value in numbers(of: round, count: size) { subject.send(value) }
      return withExtendedLifetime(tokens) { tally.take() &+ UInt64((subject.value ?? 0)) }
    }
  }

  private static func trackingSide(_ size: Int) -> Side {
    let number = ObservedNumber()
    let tally = Tally()
    let follower = ObservedNumberFollower(number, tally)
    return Side("@Observable, armed again") { round in
      for value in numbers(of: round, count: size) {
        number.value = value
        follower.follow()
      }
      return tally.take() &+ UInt64(number.value ?? 0)
    }
  }

  private static func closuresSide(observers: Int, _ size: Int, goal: Double?) -> Side {
    let list = ClosureList()
    let tally = Tally()
    for _ in 0..<observers { list.observers.append { value in tally.add(value) } }
    return Side("bare loop of closures", goal: goal) { round in
      for value in numbers(of: round, count: size) {
        list.set(value)
        // Without this, the optimiser would set the value only once, after the loop.
        blackHole(list)
      }
      return tally.take() &+ UInt64(list.value ?? 0)
    }
  }
}

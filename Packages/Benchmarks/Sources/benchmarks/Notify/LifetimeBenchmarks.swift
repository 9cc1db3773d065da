import BenchmarkHarness
import FieldKit
import ModelCore
import OpenCombine

/// The cost of creating and releasing models and observations.
enum LifetimeBenchmarks {
  static var all: [Benchmark] { [modelsOneByOne, modelsKept, observation] }

  private static var modelsOneByOne: Benchmark {
    Benchmark(group: "notify", name: "create and drop a 10-field model", operation: "model", size: 10_000) { size in
      [
        Side("ModelKit") { _ in
          for _ in 0..<size { blackHole(TenNumbers()) }
          return UInt64(size)
        },
        Side("OpenCombine, 10 subjects", goal: 0.6) { _ in
          for _ in 0..<size { blackHole(TenSubjects()) }
          return UInt64(size)
        },
        Side("@Observable, 10 properties") { _ in
          for _ in 0..<size { blackHole(TenObserved()) }
          return UInt64(size)
        },
      ]
    }
  }

  private static var modelsKept: Benchmark {
    Benchmark(group: "notify", name: "create a 10-field model and keep it", operation: "model", size: 10_000) { size in
      [
        making("ModelKit", size) { TenNumbers() },
        making("OpenCombine, 10 subjects", size, goal: 0.6) { TenSubjects() },
        making("@Observable, 10 properties", size) { TenObserved() },
      ]
    }
  }

  private static func making<Object: AnyObject>(
    _ name: String, _ size: Int, goal: Double? = nil, _ make: @escaping () -> Object
  ) -> Side {
    Side(
      name, goal: goal,
      prepare: { _ in
        var objects: [Object] = []
        objects.reserveCapacity(size)
        return objects
      },
      run: { objects in
        var objects = objects
        for _ in 0..<size { objects.append(make()) }
        return objects
      },
      checksum: { UInt64($0.count) })
  }

  private static var observation: Benchmark {
    Benchmark(group: "notify", name: "subscribe and cancel", operation: "subscription", size: 50_000) { size in
      let field = Field<Int>(7)
      let fieldTally = Tally()
      let subject = CurrentValueSubject<Int?, Never>(7)
      let subjectTally = Tally()
      return [
        Side("ModelKit") { _ in
          for _ in 0..<size {
            let token = field --> { value in fieldTally.add(value) }
            token.cancel()
          }
          return fieldTally.take()
        },
        Side("OpenCombine sink", goal: 0.25) { _ in
          for _ in 0..<size {
            let token = subject.sink { value in subjectTally.add(value) }
            token.cancel()
          }
          return subjectTally.take()
        },
      ]
    }
  }
}

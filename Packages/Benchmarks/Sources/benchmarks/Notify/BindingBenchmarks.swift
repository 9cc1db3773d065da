import BenchmarkHarness
import FieldKit
import OpenCombine

/// A change that passes through a two-way binding, from each end in turn.
enum BindingBenchmarks {
  static var all: [Benchmark] { [twoWay] }

  private static var twoWay: Benchmark {
    Benchmark(
      group: "notify", name: "two-way binding, one change", operation: "change", size: 100_000, goal: 120
    ) { size in
      let left = Field<Int>()
      let right = Field<Int>()
      left <--> right
      let leftSubject = CurrentValueSubject<Int?, Never>(nil)
      let rightSubject = CurrentValueSubject<Int?, Never>(nil)
      let tokens = [bind(leftSubject, to: rightSubject), bind(rightSubject, to: leftSubject)]
      return [
        Side("ModelKit") { round in
          var sum: UInt64 = 0
          for value in numbers(of: round, count: size) {
            if value.isMultiple(of: 2) { left.value = value } else { right.value = value }
            sum &+= UInt64(left.value ?? 0) &+ UInt64(right.value ?? 0)
          }
          return sum
        },
        Side("OpenCombine, two sinks that compare") { round in
          var sum: UInt64 = 0
          for value in numbers(of: round, count: size) {
            if value.isMultiple(of: 2) { leftSubject.send(value) } else { rightSubject.send(value) }
            sum &+= UInt64((leftSubject.value ?? 0)) &+ UInt64((rightSubject.value ?? 0))
          }
          return withExtendedLifetime(tokens) { sum }
        },
      ]
    }
  }

  private static func bind(
    _ source: CurrentValueSubject<Int?, Never>, to target: CurrentValueSubject<Int?, Never>
  ) -> AnyCancellable {
    // Without the comparison, the two sinks would recurse until the stack overflows.
    source.sink { [weak target] value in
      if let target, target.value != value { target.send(value) }
    }
  }
}

import BenchmarkHarness
import FieldKit

/// Sets of many fields: the cost of one must not depend on their number.
enum ScalingBenchmarks {
  static var all: [Benchmark] { [flatness] }

  private static var flatness: Benchmark {
    Benchmark(group: "notify", name: "set, spread over 1,000,000 fields", operation: "set", size: 1_000_000) { size in
      [
        side("1,000,000 fields", fields: 1_000_000, size, goal: nil),
        side("100,000 fields", fields: 100_000, size, goal: 1.2),
        side("10,000 fields", fields: 10_000, size, goal: 1.2),
        side("1,000 fields", fields: 1_000, size, goal: 1.2),
      ]
    }
  }

  private static func side(_ name: String, fields count: Int, _ size: Int, goal: Double?) -> Side {
    let fields = (0..<count).map { _ in Field<Int>() }
    return Side(name, goal: goal) { round in
      var index = 0
      var sum: UInt64 = 0
      for value in numbers(of: round, count: size) {
        fields[index].value = value
        sum &+= UInt64(fields[index].value ?? 0)
        index += 1
        if index == count { index = 0 }
      }
      return sum
    }
  }
}

import BenchmarkHarness
import FieldKit
import ModelCore

/// Ordinary properties beside constant fields. Every side includes about 1 ns for the black hole that consumes a value.
enum PropertyBenchmarks {
  static var all: [Benchmark] { [get, set, create] }

  private static var get: Benchmark {
    Benchmark(group: "notify", name: "get a property", operation: "get", size: 1_000_000, goal: 5) { size in
      let (properties, fields) = (ElevenProperties(), TenNumbers())
      (properties.a, properties.k, fields.a.value) = (7, 7, 7)
      return [
        Side("ModelKit, `@Field`") { _ in
          for _ in 0..<size { blackHole(properties.a) }
          return UInt64(properties.a ?? 0)
        },
        Side("`@Required`") { _ in
          for _ in 0..<size { blackHole(properties.k) }
          return UInt64(properties.k)
        },
        Side("value of a constant field") { _ in
          for _ in 0..<size { blackHole(fields.a.value) }
          return UInt64(fields.a.value ?? 0)
        },
      ]
    }
  }

  private static var set: Benchmark {
    Benchmark(group: "notify", name: "set a property", operation: "set", size: 200_000) { size in
      let (properties, fields) = (ElevenProperties(), TenNumbers())
      return [
        Side("ModelKit, `@Field`") { round in
          for value in numbers(of: round, count: size) { properties.a = value }
          return UInt64(properties.a ?? 0)
        },
        Side("`@Required`", goal: 1.1) { round in
          for value in numbers(of: round, count: size) { properties.k = value }
          return UInt64(properties.k)
        },
        // Swift retains the value of a variable, such as a property's field, while it is set.
        Side("value of a constant field") { round in
          for value in numbers(of: round, count: size) { fields.a.value = value }
          return UInt64(fields.a.value ?? 0)
        },
      ]
    }
  }

  private static var create: Benchmark {
    Benchmark(group: "notify", name: "create a model of 10 properties", operation: "model", size: 10_000) { size in
      [
        Side("ModelKit, `@Field`") { _ in
          for _ in 0..<size { blackHole(TenProperties()) }
          return UInt64(size)
        },
        Side("constant fields", goal: 1.03) { _ in
          for _ in 0..<size { blackHole(TenNumbers()) }
          return UInt64(size)
        },
      ]
    }
  }
}

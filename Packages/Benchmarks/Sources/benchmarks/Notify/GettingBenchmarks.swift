import BenchmarkHarness
import FieldKit
import Observation
import OpenCombine

/// Reads of a value. Every side includes about 1 ns for the black hole that consumes it.
enum GettingBenchmarks {
  static var all: [Benchmark] { [number, place] }

  private static var number: Benchmark {
    Benchmark(group: "notify", name: "get an Int", operation: "get", size: 1_000_000, goal: 3) { size in
      let field = Field<Int>(7)
      let subject = CurrentValueSubject<Int?, Never>(7)
      let observed = ObservedNumber()
      observed.value = 7
      let plain = ClosureList()
      plain.set(7)
      // Each closure has its own loop: a common function would call another closure for each read.
      return [
        Side("ModelKit") { _ in
          for _ in 0..<size { blackHole(field.value) }
          return checksum(field.value)
        },
        Side("OpenCombine CurrentValueSubject") { _ in
          for _ in 0..<size { blackHole(subject.value) }
          return checksum(subject.value)
        },
        Side("@Observable") { _ in
          for _ in 0..<size { blackHole(observed.value) }
          return checksum(observed.value)
        },
        Side("stored property (floor)") { _ in
          for _ in 0..<size { blackHole(plain.value) }
          return checksum(plain.value)
        },
      ]
    }
  }

  private static var place: Benchmark {
    Benchmark(group: "notify", name: "get a struct of the user's", operation: "get", size: 1_000_000, goal: 3) { size in
      let value = Place(latitude: 52.5, longitude: 13.4, accuracy: 10)
      let field = Field<Place>(value)
      let subject = CurrentValueSubject<Place?, Never>(value)
      let observed = ObservedPlace()
      observed.value = value
      let plain = PlainPlace()
      plain.value = value
      return [
        Side("ModelKit") { _ in
          for _ in 0..<size { blackHole(field.value) }
          return checksum(field.value)
        },
        Side("OpenCombine CurrentValueSubject") { _ in
          for _ in 0..<size { blackHole(subject.value) }
          return checksum(subject.value)
        },
        Side("@Observable") { _ in
          for _ in 0..<size { blackHole(observed.value) }
          return checksum(observed.value)
        },
        Side("stored property (floor)") { _ in
          for _ in 0..<size { blackHole(plain.value) }
          return checksum(plain.value)
        },
      ]
    }
  }

  private static func checksum(_ number: Int?) -> UInt64 {
    var checksum = Checksum()
    checksum.add(number)
    return checksum.value
  }

  private static func checksum(_ place: Place?) -> UInt64 {
    var checksum = Checksum()
    checksum.add(place?.latitude)
    checksum.add(place?.longitude)
    checksum.add(place?.accuracy)
    return checksum.value
  }
}

struct Place: Equatable {
  var latitude: Double
  var longitude: Double
  var accuracy: Int
}

@Observable
private final class ObservedPlace {
  var value: Place?
}

private final class PlainPlace {
  var value: Place?
}

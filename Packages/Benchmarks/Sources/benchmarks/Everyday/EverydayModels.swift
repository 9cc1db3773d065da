import BenchmarkHarness
import FieldKit
import ModelCore
import OpenCombine

/// Observers with objects of their own, and models that are released in the time.
enum EverydayModels {
  static var all: [Benchmark] {
    [set(observers: 10, size: 20_000, goal: 0.06), set(observers: 1_000, size: 500, goal: 0.04), making]
  }

  /// An object that shows a value, as a row of a screen does.
  private final class Label {
    var value: Int?
    var changeCount = 0

    func show(_ newValue: Int?) {
      value = newValue
      changeCount += 1
    }

    static func checksum(_ labels: [Label]) -> UInt64 {
      labels.reduce(0) { $0 &+ UInt64(truncatingIfNeeded: ($1.value ?? -1) &+ $1.changeCount) }
    }
  }

  /// Each closure has a weak reference to an object of its own.
  private static func set(observers count: Int, size: Int, goal: Double) -> Benchmark {
    Benchmark(
      group: "everyday", name: "set, \(Format.count(count)) observers with weak references",
      operation: "set", size: size
    ) { size in
      let field = Field<Int>()
      let labels = (0..<count).map { _ in Label() }
      for label in labels { field --> { [weak label] value in label?.show(value) } }

      let subject = CurrentValueSubject<Int?, Never>(nil)
      let subjectLabels = (0..<count).map { _ in Label() }
      let tokens = subjectLabels.map { label in subject.sink { [weak label] value in label?.show(value) } }

      let list = ClosureList()
      let listLabels = (0..<count).map { _ in Label() }
      for label in listLabels {
        label.show(nil)
        list.observers.append { [weak label] value in label?.show(value) }
      }
      return [
        Side(
          "ModelKit", prepare: { numbers(of: $0, count: size) },
          run: { for value in $0 { field.value = value } }, checksum: { Label.checksum(labels) }),
        Side(
          "OpenCombine CurrentValueSubject", goal: goal, prepare: { numbers(of: $0, count: size) },
          run: { for value in $0 { subject.send(value) } }, checksum: { Label.checksum(subjectLabels) },
          finish: { withExtendedLifetime(tokens) {} }),
        Side(
          "bare loop of closures", prepare: { numbers(of: $0, count: size) },
          run: { values in
            for value in values {
              list.set(value)
              // Without this, the optimiser would set the value only once, after the loop.
              blackHole(list)
            }
          }, checksum: { Label.checksum(listLabels) }),
      ]
    }
  }

  /// 10,000 models at once, so that a release finds memory that has left the processor's cache.
  private static var making: Benchmark {
    Benchmark(
      group: "everyday", name: "make and release 10,000 models of 10 fields", operation: "model",
      size: 10_000
    ) { size in
      func side<Object: AnyObject>(_ name: String, goal: Double? = nil, _ make: @escaping () -> Object) -> Side {
        Side(name, goal: goal) { _ in
          let objects = (0..<size).map { _ in make() }
          blackHole(objects)
          return UInt64(objects.count)
        }
      }
      return [
        side("ModelKit") { TenNumbers() },
        side("OpenCombine, 10 subjects", goal: 0.35) { TenSubjects() },
        side("@Observable, 10 properties") { TenObserved() },
      ]
    }
  }
}

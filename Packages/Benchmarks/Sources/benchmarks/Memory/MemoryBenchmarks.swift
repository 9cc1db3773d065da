import BenchmarkHarness
import FieldKit
import ModelCore
import OpenCombine

/// The heap memory of idle objects.
enum MemoryBenchmarks {
  struct Row {
    let name: String
    let goal: String?
    let make: () -> AnyObject
  }

  static var rows: [Row] {
    [
      Row(name: "`Field<Int>`", goal: "one block of ≤ 104 bytes") { Field<Int>() },
      Row(name: "`Field<Int>` with name, key and a range", goal: "no more than without") {
        Field<Int>(name: "Age", key: "age").require(.range(0...130))
      },
      Row(name: "`Field<String>`", goal: nil) { Field<String>() },
      Row(name: "`Field<String>` not blank, of some length", goal: "no more than without") {
        Field<String>().require(.notBlank).require(.length(1...80))
      },
      Row(name: "OpenCombine `CurrentValueSubject<Int?, Never>`", goal: nil) { CurrentValueSubject<Int?, Never>(nil) },
      Row(name: "`@Observable` with one property", goal: nil) { ObservedNumber() },
      Row(name: "model with 10 fields", goal: "≤ 1,200 bytes") { TenNumbers() },
      Row(name: "model with 10 properties", goal: "no more than with 10 fields") { TenProperties() },
      Row(name: "class with 10 subjects", goal: nil) { TenSubjects() },
      Row(name: "`@Observable` with 10 properties", goal: nil) { TenObserved() },
      Row(name: "person with its values: model", goal: nil) { Person(sample) },
      Row(name: "person with its values: `Codable` class", goal: nil) { CodablePerson(sample) },
    ]
  }

  /// A new sample each time, so that no two objects share the storage of a string.
  private static var sample: PersonRecord { PersonRecord.samples(identifiers: 0..<1)[0] }

  /// Returns a table of the block of each object and the growth of the heap for each of many.
  static func table(count: Int) -> [[String]] {
    var table = [["Object", "Its own block", "With all it holds and the allocator's share", "Goal"]]
    for row in rows {
      let block = Heap.blockSize(of: row.make())
      let total = Heap.bytesPerInstance(count: count, make: row.make)
      table.append([row.name, "\(block) bytes", "\(Format.decimal(total, places: 0)) bytes", row.goal ?? ""])
    }
    return table
  }
}

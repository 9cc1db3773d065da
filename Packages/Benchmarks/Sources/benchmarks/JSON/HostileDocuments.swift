import BenchmarkHarness
import Foundation
import ModelCore

/// A hostile document at two sizes. The time for a byte must not grow, and memory must not exceed the needs of the
/// result.
struct HostileDocument: Sendable {
  let name: String
  /// The size, in the unit of the name.
  let size: Int
  /// The function that returns the document of a size.
  let make: @Sendable (Int) -> Data

  static let all = [
    HostileDocument(name: "1 GB of [", size: 1_000_000_000) { Data(repeating: UInt8(ascii: "["), count: $0) },
    HostileDocument(name: "10 million keys", size: 10_000_000) { count in
      object((0..<count).lazy.map { "\"k\($0)\":\($0)" })
    },
    HostileDocument(name: "10 million equal keys", size: 10_000_000) { count in
      object(repeatElement("\"name\":\"Ada\"", count: count))
    },
    // A weak hash collides for these keys: they have the same letters in another order.
    HostileDocument(name: "keys with equal sums of letters", size: 5_000_000) { count in
      object(
        (0..<count).lazy.map { number in
          "\"" + String((0..<23).map { number >> $0 & 1 == 0 ? "ab" : "ba" }.joined()) + "\":1"
        })
    },
    HostileDocument(name: "a string of 100 MB", size: 100_000_000) { size in
      Data("{\"name\":\"".utf8) + Data(repeating: UInt8(ascii: "x"), count: size) + Data("\"}".utf8)
    },
    HostileDocument(name: "10 million escapes", size: 10_000_000) { count in
      Data("{\"name\":\"".utf8) + Data(String(repeating: "\\u00e9", count: count).utf8) + Data("\"}".utf8)
    },
    HostileDocument(name: "100 numbers of a million digits", size: 1_000_000) { digits in
      let number = String(repeating: "7", count: digits)
      return Data("{\"age\":\(number),\"others\":[\(repeatElement(number, count: 99).joined(separator: ","))]}".utf8)
    },
  ]

  private static func object(_ members: some Sequence<String>) -> Data {
    var data = Data("{".utf8)
    for member in members {
      if data.count > 1 { data.append(UInt8(ascii: ",")) }
      data.append(contentsOf: member.utf8)
    }
    data.append(UInt8(ascii: "}"))
    return data
  }

  /// Returns a table of the outcome of each document, read into a model and as a tree.
  ///
  /// - Parameter divisor: the divisor of the sizes in the documents' names.
  static func table(divisor: Int) -> [[String]] {
    var rows = [["Document", "Read as", "Outcome", "Size", "Time", "Time for a byte / of a tenth of it", "Memory"]]
    for document in all {
      let size = document.size / divisor
      rows.append(row(document, "a model", size) { _ = try Person.from(json: $0) })
      rows.append(row(document, "a tree", size) { _ = try JSONValue(json: $0) })
    }
    return rows
  }

  private static func row(
    _ document: HostileDocument, _ way: String, _ size: Int, _ read: (Data) throws -> Void
  ) -> [String] {
    let small = measure(document.make(size / 10), read)
    let large = measure(document.make(size), read)
    let ratio = large.seconds / Double(large.bytes) / (small.seconds / Double(small.bytes))
    return [
      document.name, way, large.outcome, "\(large.bytes / 1_000_000) MB", Format.time(large.seconds * 1_000_000_000),
      // A document that is rejected at once has no meaningful time.
      large.seconds < 0.001 ? "" : Format.ratio(ratio),
      large.memory.map { "\($0 / 1_000_000) MB" } ?? "unknown",
    ]
  }

  private static func measure(
    _ document: Data, _ read: (Data) throws -> Void
  ) -> (bytes: Int, seconds: Double, memory: Int?, outcome: String) {
    var outcome = "a result"
    let clock = ContinuousClock()
    let (time, memory) = PeakMemory.during {
      clock.measure {
        do {
          try read(document)
        } catch {
          outcome = String("\(error)".prefix(100))
        }
      }
    }
    return (document.count, time / .seconds(1), memory, outcome)
  }
}

import Foundation

/// A counter of the syncs of a process, which uses `strace`.
enum SyncCounter {
  /// The system calls that sync data to the disk.
  static let calls = ["fsync", "fdatasync", "sync_file_range", "msync", "sync", "syncfs"]

  /// Runs a program to its end.
  ///
  /// - Returns: the number of calls by name.
  /// - Throws: ``Failure`` if `strace` is missing or the program fails.
  static func count(program: URL, arguments: [String]) throws -> [String: Int] {
    let report = FileManager.default.temporaryDirectory.appending(path: "syncs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: report) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "strace", "--follow-forks", "--summary-only", "--trace", calls.joined(separator: ","),
        "--output", report.path(percentEncoded: false), program.path(percentEncoded: false),
      ] + arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    return parse(try String(contentsOf: report, encoding: .utf8))
  }

  /// Parses the table of `strace`: the fourth column has the count, the last one the name.
  private static func parse(_ table: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for line in table.split(separator: "\n") {
      let columns = line.split(separator: " ")
      guard columns.count >= 5, let name = columns.last, calls.contains(String(name)) else { continue }
      counts[String(name)] = Int(columns[3])
    }
    return counts
  }

  struct Failure: Error, CustomStringConvertible {
    let status: Int32

    var description: String {
      status == 127
        ? "The syncs can't be counted without strace: install it, or use --side to run one side under another tracer."
        : "The syncs were not counted: strace, or the program under it, ended with status \(status)."
    }
  }
}

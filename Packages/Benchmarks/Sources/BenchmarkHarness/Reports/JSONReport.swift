public import Foundation

/// The results as JSON: every sample of every side, and the values derived from them.
public struct JSONReport: Encodable {
  /// The machine and the date.
  public let machine: Machine
  /// The versions of the peers, by name.
  public let peers: [String: String]
  /// The number of measured rounds.
  public let rounds: Int
  /// The measurements; times are in nanoseconds for one operation.
  public let results: [BenchmarkResult]

  /// Creates the report of a run.
  public init(machine: Machine, peers: [String: String], rounds: Int, results: [BenchmarkResult]) {
    self.machine = machine
    self.peers = peers
    self.rounds = rounds
    self.results = results
  }

  /// Writes a file.
  public func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try encoder.encode(self).write(to: file, options: .atomic)
  }
}

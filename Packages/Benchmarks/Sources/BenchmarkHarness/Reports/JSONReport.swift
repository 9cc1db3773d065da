public import Foundation

/// Results for machines: every sample of every side, and what follows from them.
public struct JSONReport: Encodable {
  /// Where and when.
  public let machine: Machine
  /// The versions of what was compared with, by name.
  public let peers: [String: String]
  /// How many rounds were counted.
  public let rounds: Int
  /// What was measured; times are in nanoseconds for one operation.
  public let results: [BenchmarkResult]

  /// Gathers what a run measured.
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

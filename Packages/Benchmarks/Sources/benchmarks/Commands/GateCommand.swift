import ArgumentParser
import BenchmarkHarness
import Foundation

struct GateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate", abstract: "Fails if a ratio is far beyond the one of RESULTS.md.",
    discussion: """
      Measures stable cases in memory with small rounds. The fastest rounds are compared, because other processes slow \
      down the others. A case beyond its limit is measured once more, with more rounds.
      """)

  @Option(help: "The document with the committed ratios.")
  var results = "Packages/Benchmarks/RESULTS.md"

  @Option(help: "The limit, as a multiple of the committed ratio.")
  var factor = 1.5

  func validate() throws {
    if !(factor > 0) { throw ValidationError("No ratio is below such a limit: give a --factor above 0.") }
  }

  func run() async throws { try await measure() }

  @concurrent
  private func measure() async throws {
    let committed = CommittedRatios(in: try String(contentsOf: URL(filePath: results), encoding: .utf8))
    let all = AllBenchmarks.list(directory: try StoreFolder.Place(nil))
    var failures: [String] = []
    for gated in GatedCase.all {
      guard let benchmark = all.first(where: { $0.title == gated.title }),
        let ratio = committed.ratio(group: benchmark.group, name: benchmark.name, peer: gated.peer)
      else { throw ValidationError("\(results) has no ratio of \"\(gated.title)\" to \"\(gated.peer)\".") }
      let limit = ratio * factor
      var measured = try await gated.ratio(benchmark, rounds: GatedCase.rounds)
      var note = ""
      if !(measured <= limit) {
        note = "  measured again, first \(Format.ratio(measured))"
        measured = min(measured, try await gated.ratio(benchmark, rounds: GatedCase.rounds * 3))
      }
      let isBeyond = !(measured <= limit)
      if isBeyond { failures.append(gated.title) }
      print(
        "\(isBeyond ? "BEYOND" : "ok    ")  \(Format.ratio(measured)), committed \(Format.ratio(ratio)), "
          + "limit \(Format.ratio(limit))  \(gated.title), \(gated.peer)\(note)")
    }
    if failures.isEmpty { return }
    print(
      """
      \(failures.count) ratios are more than \(Format.decimal(factor, places: 1)) times those of \(results): \
      \(failures.joined(separator: "; ")). Repeat them with `Scripts/benchmark gate`, on an idle machine.
      """)
    throw ExitCode.failure
  }
}

/// A case whose ratio hardly depends on what else the machine does.
private struct GatedCase {
  /// The group and the name.
  let title: String
  let peer: String
  /// The factor for its size. Short rounds are more likely to be undisturbed.
  var scale = 1.0

  static let rounds = 15

  static let all = [
    GatedCase(title: "notify/set, no observers", peer: "OpenCombine CurrentValueSubject"),
    GatedCase(title: "notify/set, 10 observers", peer: "OpenCombine CurrentValueSubject"),
    GatedCase(title: "notify/set, 1,000 observers", peer: "OpenCombine CurrentValueSubject", scale: 0.5),
    GatedCase(title: "notify/get an Int", peer: "OpenCombine CurrentValueSubject"),
    GatedCase(title: "notify/create and drop a 10-field model", peer: "OpenCombine, 10 subjects"),
    GatedCase(title: "notify/subscribe and cancel", peer: "OpenCombine sink", scale: 0.5),
    GatedCase(title: "json/read people, no scope", peer: "JSONDecoder, final classes", scale: 0.25),
    GatedCase(
      title: "json/read again into live people, nothing changed", peer: "JSONDecoder, final classes", scale: 0.25),
    GatedCase(title: "json/write people", peer: "JSONEncoder, final classes", scale: 0.25),
    GatedCase(title: "memory store/list 1000 as new models", peer: "GRDB fetchAll"),
    GatedCase(title: "memory store/create 1000 in one batch", peer: "GRDB, one transaction"),
    GatedCase(title: "everyday/find 1 % with two conditions, new models, later scans", peer: "GRDB in memory"),
  ]

  /// Returns the ratio of the fastest rounds.
  func ratio(_ benchmark: Benchmark, rounds: Int) async throws -> Double {
    let result = try await Runner(rounds: rounds, scale: scale).run(benchmark)
    guard let ours = result.sides.first, let theirs = result.sides.first(where: { $0.name == peer }) else {
      return .nan
    }
    return ours.minimum / theirs.minimum
  }
}

import ArgumentParser
import BenchmarkHarness
import Foundation

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Measures times of ModelKit and its peers, alternately in this process.")

  @Argument(help: "Run only this group, such as json. Default: all groups.")
  var group: String?

  @Option(help: "Run only benchmarks whose group/name contains this.")
  var filter: String?

  @Flag(help: "List the benchmarks without running them.")
  var list = false

  @Option(help: "The number of measured rounds, after a warm-up round.")
  var rounds: Int?

  @Option(help: "Multiplies the number of operations of each round, such as 5 for 100,000 people instead of 20,000.")
  var scale: Double?

  @Flag(help: "Run three rounds of a tenth of the operations, as a test without useful times.")
  var quick = false

  @Flag(help: "Run only ModelKit's side, without comparisons, for a profiler.")
  var oursOnly = false

  @Option(help: "The folder of the stores, on a disk. Default: beside this program.")
  var directory: String?

  @Option(help: ArgumentHelp("Also write all samples to this file.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Also update the tables of this document, such as RESULTS.md.", valueName: "file"))
  var markdown: String?

  func validate() throws {
    if let rounds, rounds < 1 { throw ValidationError("There is no round to run: give --rounds 1 or more.") }
    if let scale, !(scale > 0) { throw ValidationError("There is no operation to run: give a --scale above 0.") }
    if quick || oursOnly, markdown != nil {
      throw ValidationError("A --quick or --ours-only run has no figures for a document: leave out --markdown.")
    }
  }

  func run() async throws { try await measure() }

  // Runs on a thread of the pool: on the main thread, every call of an actor would switch threads.
  @concurrent
  private func measure() async throws {
    let all = AllBenchmarks.list(directory: try StoreFolder.Place(directory))
    let chosen = all.filter { (group == nil || $0.group == group) && $0.matches(filter) }
    guard !chosen.isEmpty else {
      throw ValidationError(
        "No benchmark matches \"\([group, filter].compactMap(\.self).joined(separator: " "))\": see --list.")
    }
    if list {
      for benchmark in chosen {
        print("\(benchmark.title)  (1 \(benchmark.operation) of \(Format.count(benchmark.size)) a round)")
      }
      return
    }

    let document = try markdown.map { try Document(URL(filePath: $0), all: all, chosen: chosen) }
    let machine = Machine()
    print("\(machine.summary); \(PeerVersions.summary)")
    let runner = Runner(
      rounds: rounds ?? (quick ? 3 : 11), scale: scale ?? (quick ? 0.1 : 1), runsFirstSideOnly: oursOnly)
    var results: [BenchmarkResult] = []
    for benchmark in chosen {
      let result = try await runner.run(benchmark)
      results.append(result)
      print("\n\(TextReport.describe(result))")
    }

    let report = JSONReport(machine: machine, peers: PeerVersions.all, rounds: runner.rounds, results: results)
    print("\n\(machine.loadSummary)")
    if let json { try report.write(to: URL(filePath: json)) }
    try document?.refresh(with: report)
  }
}

/// A document with a table for each group.
private struct Document {
  let file: URL
  /// The groups that are measured completely. Other groups keep their tables.
  let groups: Set<String>

  init(_ file: URL, all: [Benchmark], chosen: [Benchmark]) throws {
    self.file = file
    let incomplete = Set(all.map(\.title)).subtracting(chosen.map(\.title))
    groups = Set(chosen.map(\.group)).subtracting(all.filter { incomplete.contains($0.title) }.map(\.group))
    guard !groups.isEmpty else {
      throw ValidationError("No group is measured completely, so there is no table to write: leave out --filter.")
    }
    for group in groups { try MarkdownSection(group).find(in: file) }
  }

  func refresh(with report: JSONReport) throws {
    let head = """
      Measured \(report.machine.summary), \(report.machine.loadSummary); \(report.rounds) rounds; \(PeerVersions.summary).
      """
    for group in groups {
      let table = MarkdownReport.table(of: report.results.filter { $0.group == group })
      try MarkdownSection(group).replace(in: file, with: "\(head)\n\n\(table)")
    }
  }
}

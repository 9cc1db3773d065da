import ArgumentParser
import BenchmarkHarness
import Foundation

struct DurabilityProofCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "durability-proof",
    abstract:
      "Counts the syncs of durable creates, to show that both sides of the store benchmarks are equally durable.",
    discussion: """
      Runs each side twice under strace, with and without creates, and divides the difference. With --side it does the \
      creates of one side itself, so that any tracer can look at it.
      """)

  @Option(help: "Run the creates of one side, modelkit or grdb, without counting syncs.")
  var side: DurableCreates.Side?

  @Option(help: "The number of durable creates, one after the other.")
  var count = 200

  @Option(help: "The folder of the stores, on a disk. Default: beside this program.")
  var directory: String?

  @Option(help: ArgumentHelp("Also update the table of this document, such as RESULTS.md.", valueName: "file"))
  var markdown: String?

  func validate() throws {
    if side == nil, count < 1 { throw ValidationError("There is no create to count: give --count 1 or more.") }
    if count < 0 { throw ValidationError("A count can't be negative: give --count 0 or more.") }
  }

  func run() async throws {
    if let side {
      try await DurableCreates.run(side, count: count, in: StoreFolder.Place(directory))
    } else {
      try compare()
    }
  }

  private func compare() throws {
    if let markdown { try MarkdownSection("durability").find(in: URL(filePath: markdown)) }
    guard let program = Bundle.main.executableURL else { throw ValidationError("The path of this program is unknown.") }
    var rows = [["Side", "Syncs to open and close", "With \(Format.count(count)) creates", "Syncs per create"]]
    for side in DurableCreates.Side.allCases {
      let idle = try syncs(of: side, creates: 0, program)
      let busy = try syncs(of: side, creates: count, program)
      let each = Double(total(busy) - total(idle)) / Double(count)
      rows.append([side.rawValue, describe(idle), describe(busy), Format.decimal(each, places: 2)])
    }
    let table = MarkdownReport.table(rows)
    print(table)
    if let markdown { try MarkdownSection("durability").replace(in: URL(filePath: markdown), with: table) }
  }

  private func syncs(of side: DurableCreates.Side, creates: Int, _ program: URL) throws -> [String: Int] {
    var arguments = ["durability-proof", "--side", side.rawValue, "--count", String(creates)]
    if let directory { arguments += ["--directory", directory] }
    return try SyncCounter.count(program: program, arguments: arguments)
  }

  private func total(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }

  private func describe(_ counts: [String: Int]) -> String {
    if counts.isEmpty { return "0" }
    return counts.sorted { $0.key < $1.key }.map { "\($0) \(Format.count($1))" }.joined(separator: ", ")
  }
}

extension DurableCreates.Side: ExpressibleByArgument {}

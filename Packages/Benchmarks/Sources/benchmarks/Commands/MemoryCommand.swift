import ArgumentParser
import BenchmarkHarness
import Foundation

struct MemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory", abstract: "Prints the heap memory of idle fields and models.")

  @Option(help: "The number of objects of each kind.")
  var count = 20_000

  @Option(help: ArgumentHelp("Also update the table of this document, such as RESULTS.md.", valueName: "file"))
  var markdown: String?

  func validate() throws {
    if count < 1 { throw ValidationError("There is no object to measure: give --count 1 or more.") }
  }

  func run() throws {
    if let markdown { try MarkdownSection("memory").find(in: URL(filePath: markdown)) }
    let table = MarkdownReport.table(MemoryBenchmarks.table(count: count))
    print(table)
    if let markdown { try MarkdownSection("memory").replace(in: URL(filePath: markdown), with: table) }
  }
}

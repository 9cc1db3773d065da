import ArgumentParser
import BenchmarkHarness
import Foundation

struct HostileDocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hostile-documents",
    abstract: "Reads hostile documents, and prints the outcome, the time and the memory of each."
  )

  @Option(help: "The divisor of the sizes in the documents' names.")
  var divisor = 1

  @Option(help: ArgumentHelp("Also update the table of this document, such as RESULTS.md.", valueName: "file"))
  var markdown: String?

  func validate() throws {
    if !(1...10_000).contains(divisor) { throw ValidationError("Give --divisor a number from 1 to 10000.") }
  }

  func run() throws {
    if let markdown { try MarkdownSection("hostile").find(in: URL(filePath: markdown)) }
    let table = MarkdownReport.table(HostileDocument.table(divisor: divisor))
    print(table)
    if let markdown { try MarkdownSection("hostile").replace(in: URL(filePath: markdown), with: table) }
  }
}

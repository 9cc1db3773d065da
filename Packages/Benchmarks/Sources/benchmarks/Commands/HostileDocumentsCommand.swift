import ArgumentParser
import BenchmarkHarness
import Foundation

struct HostileDocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hostile-documents",
    abstract: "Reads documents made to hurt, and says what becomes of them, how long it takes and with how much memory."
  )

  @Option(help: "By how much they are smaller than their names say.")
  var divisor = 1

  @Option(help: ArgumentHelp("Also refresh the table of this document, such as RESULTS.md.", valueName: "file"))
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

import ArgumentParser
import BookshopKit
import Foundation
import ModelKit

/// The format of printed data.
struct OutputOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print JSON.")
  var isJSON = false

  /// Prints data as JSON, or as text.
  func print(_ json: @autoclosure () throws -> JSONValue, _ lines: (Style) -> [String]) throws {
    if isJSON {
      Swift.print(try json().jsonString(JSONWritingOptions(pretty: true, sortedKeys: true)))
    } else {
      for line in lines(Style(forStandardStream: STDOUT_FILENO)) { Swift.print(line) }
    }
  }

  /// Prints the result of an import, push or pull; rejected entries go to standard error.
  func print(_ report: CatalogueReport) throws {
    let text = ReportText(report)
    let style = Style(forStandardStream: STDERR_FILENO)
    if !isJSON { text.rejections.forEach { printToStandardError(style.red($0)) } }
    try print(report.json) { _ in text.summary }
    if report.keptCount == 0, report.rejectedCount > 0 { throw ExitCode.failure }
  }
}

/// Prints a message to standard error, apart from the data.
func printToStandardError(_ line: String) {
  FileHandle.standardError.write(Data("\(line)\n".utf8))
}

import ArgumentParser
import FieldKit
import Foundation

/// The format of printed data.
struct OutputOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print one line of JSON.")
  var isJSON = false

  /// Prints a result as JSON, or as lines of text.
  func print(_ json: @autoclosure () -> AttributeDictionary, _ lines: @autoclosure () -> [String]) throws {
    if isJSON {
      printLine(try JSONValue.object(json()).jsonString(JSONWritingOptions(sortedKeys: true)))
    } else {
      lines().forEach { printLine($0) }
    }
  }
}

/// Prints a line at once, even into a pipe.
func printLine(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Prints a line to standard error, apart from the data.
func printToStandardError(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

/// The style of text: with colours on a terminal, and plain elsewhere or if `NO_COLOR` is set.
struct Style {
  let isColoured: Bool

  init(forStandardStream descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
    isColoured = isatty(descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  func bold(_ text: String) -> String { isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}

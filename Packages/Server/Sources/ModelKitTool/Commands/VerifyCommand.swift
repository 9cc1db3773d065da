import ArgumentParser
import FieldKit
import FileStore

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Reads the files of a group of a store, and reports damage.",
    discussion: "Nothing is changed. The status is 1 if there is damage.")

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let line = ProgressLine("Checking")
    let issues = try await store.withStore(.readOnly) { store in
      let known = try await store.open()
      return known + (try await store.verify { line.show($0) }).filter { !known.contains($0) }
    }
    try output.print(
      ["issues": .array(issues.map(\.json)), "isIntact": .bool(issues.isEmpty)],
      issues.isEmpty ? ["Nothing is damaged."] : [])
    guard !issues.isEmpty else { return }
    issues.forEach { printToStandardError($0.description) }
    printToStandardError("'modelkit repair --store \(store.path)' keeps all readable records.")
    throw ExitCode.failure
  }
}

extension IntegrityIssue {
  /// The issue as an object.
  var json: JSONValue {
    ["file": .string(file), "offset": .string("\(offset)"), "length": .string("\(length)"), "reason": .string(reason)]
  }
}

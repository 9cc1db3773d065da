import ArgumentParser
import FileStore
import Foundation

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes all records of a group of a store to one JSON file.")

  @Argument(help: "The file.")
  var file: String
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var isFolder: ObjCBool = false
    if file.hasSuffix("/") || FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) && isFolder.boolValue
    {
      throw ToolError("'\(file)' is a folder. Nothing was written: name a file.")
    }
    let line = ProgressLine("Exporting")
    let count = try await store.withStore(.readOnly) { store in
      try await store.exportJSON(to: URL(filePath: file)) { line.show($0) }
    }
    try output.print(["exported": .int(count)], ["Records in '\(file)': \(count)."])
  }
}

import ArgumentParser
import FileStore
import Foundation
@_spi(ModelKitInternals) import RESTService

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Reads an exported JSON file into a group of a store, which is created if it is missing.",
    discussion: "The whole file is checked first: if it is invalid, nothing is imported.")

  enum Existing: String, ExpressibleByArgument, CaseIterable {
    case reject, keep, replace
  }

  @Argument(help: "A file that 'modelkit export' wrote.")
  var file: String
  @Option(help: "The treatment of records that the store has already.")
  var existing = Existing.reject
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    guard FileManager.default.fileExists(atPath: file) else {
      throw ToolError("There is no file '\(file)'. Nothing was imported.")
    }
    let line = ProgressLine("Importing")
    let outcome = try await store.withStore(.readWrite, creates: true) { store in
      // The import is not in the change log of a served store, so that clients have to list all records again. The file
      // may contain a log as well.
      let log = ChangeLogEngine(store.handle)
      try await log.discardChanges()
      let outcome = try await store.importJSON(from: URL(filePath: file), existing: treatment) { line.show($0) }
      try await log.discardChanges()
      return outcome
    }
    try output.print(
      [
        "created": .int(outcome.createdCount), "replaced": .int(outcome.replacedCount), "kept": .int(outcome.keptCount),
      ],
      [
        "\(outcome.createdCount) records were created, \(outcome.replacedCount) replaced, \(outcome.keptCount) kept."
      ])
  }

  private var treatment: FileStoreImport.Existing {
    switch existing {
    case .reject: .reject
    case .keep: .keep
    case .replace: .replace
    }
  }
}

import ArgumentParser
import FieldKit
import FileStore
import Foundation
import ModelCore
@_spi(ModelKitInternals) import RESTService
import StoreEngine
import StoreProtocol

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Reads records from a JSON file into a group of a store, which is created if it is missing.",
    discussion: """
      The file is one that 'modelkit export' wrote, whose records are written unchanged. With --type it is a list of \
      entries of one type, from any program. The rules of the model file are checked. An entry with the identifier of a \
      record changes the record. Rejected entries are listed with their reasons, and the status is 1.

      The whole file is checked first: if it is invalid, nothing is imported. With --type, all entries that are not \
      rejected are written in one commit.
      """)

  enum Existing: String, ExpressibleByArgument, CaseIterable {
    case reject, keep, replace
  }

  @Argument(help: "The file.")
  var file: String
  @Option(help: "The treatment of records that the store has already: reject if neither this nor --type is given.")
  var existing: Existing?
  @Option(help: "The type of the entries. This needs a model file.")
  var type: String?
  @Option(help: "A model file, .xcdatamodeld or .xcdatamodel, with the type.")
  var model: String?
  @Option(help: ArgumentHelp("The path of the list in the file, such as 'shop.books'.", valueName: "path"))
  var at: String?
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if type != nil, model == nil { throw ValidationError("--type needs --model, which has the rules of the type.") }
    if type == nil, model != nil || at != nil { throw ValidationError("--model and --at need --type.") }
    if type != nil, existing != nil { throw ValidationError("With --type, entries change existing records.") }
  }

  func run() async throws {
    guard FileManager.default.fileExists(atPath: file) else {
      throw ToolError("There is no file '\(file)'. Nothing was imported.")
    }
    if let type, let model {
      try await importEntries(of: ServedModels(contentsOf: model).type(named: type, in: model))
    } else {
      try await importExport()
    }
  }

  // MARK: Exported files

  private func importExport() async throws {
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
    switch existing ?? .reject {
    case .reject: .reject
    case .keep: .keep
    case .replace: .replace
    }
  }

  // MARK: Entries of one type

  private func importEntries<M: Model>(of type: M.Type) async throws {
    let data = try Data(contentsOf: URL(filePath: file))
    let report = try await store.withStore(.readWrite, creates: true, acceptsAnyVersion: false) { store in
      // Clients of a server of the store get the changes.
      try await LoggedFileStore(ChangeLogEngine(store.handle)).transaction { store in
        try await Self.imported(type, data, at ?? "", store)
      }
    }
    try output.print(
      [
        "created": .int(report.created), "updated": .int(report.updated), "unchanged": .int(report.unchanged),
        "rejected": .array(report.rejected.map { .string($0) }),
      ],
      [
        """
        \(report.created) records were created, \(report.updated) updated, \(report.unchanged) are unchanged, and \
        \(report.rejected.count) entries were rejected.
        """
      ])
    report.rejected.forEach(printToStandardError)
    if !report.rejected.isEmpty { throw ExitCode.failure }
  }

  private struct Report: Sendable {
    let (created, updated, unchanged): (Int, Int, Int)
    let rejected: [String]
  }

  private static func imported<M: Model, S: ModelStore>(
    _ type: M.Type, _ data: Data, _ path: String, _ store: S
  ) async throws -> Report {
    do {
      let report = try await store.importModels(type, fromJSON: data, at: path)
      return Report(
        created: report.created.count, updated: report.updated.count, unchanged: report.unchanged.count,
        rejected: report.rejected.map(\.description))
    } catch let error as JSONSyntaxError {
      throw ToolError("The file has no list of entries: \(error) Nothing was imported.")
    }
  }
}

/// A file store whose commits are in the change log.
private final class LoggedFileStore: RecordStore<ChangeLogEngine<FileStoreHandle>>, TransactionalModelStore {}

extension ServedModels {
  /// Returns the class of an entity.
  ///
  /// - Parameters:
  ///   - name: the name of the entity.
  ///   - path: the model file, for the error.
  /// - Throws: ``ToolError`` for an unknown name.
  fileprivate func type(named name: String, in path: String) throws -> any Model.Type {
    if let type = types.first(where: { $0.typeName == name }) { return type }
    let names = types.map { $0.typeName }.sorted().joined(separator: ", ")
    throw ToolError("'\(path)' has no type '\(name)'. Use one of these: \(names)")
  }
}

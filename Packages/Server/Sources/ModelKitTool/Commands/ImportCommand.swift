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
      record changes the record. Rejected entries are listed with their reasons, and the status is 1. References to \
      missing records are listed as well.

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
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue else {
      throw ToolError("There is no file '\(file)'. Nothing was imported.")
    }
    if let type, let model {
      try await importEntries(of: ServedModels(contentsOf: model).type(named: type, in: model))
    } else {
      try await importExport()
    }
  }

  private func withTarget<Result>(
    acceptsAnyVersion: Bool = true, _ body: (FileModelStore) async throws -> Result
  ) async throws -> Result {
    try await store.withStore(.readWrite, creates: true, acceptsAnyVersion: acceptsAnyVersion) { store in
      try await store.handle.refuseOfflineCopy(
        "Nothing was imported", "Import the file into the store of the server, or send its entries to 'modelkit serve'."
      )
      return try await body(store)
    }
  }

  // MARK: Exported files

  private func importExport() async throws {
    let line = ProgressLine("Importing")
    let outcome = try await withTarget { store in
      // The import is not in the change log of a served store, so that clients have to list all records again. The file
      // may contain a log as well.
      let log = ChangeLogEngine(store.handle)
      try await log.discardChanges()
      let outcome = try await importJSON(into: store) { line.show($0) }
      try await log.discardChanges()
      return outcome
    }
    try output.print(
      [
        "created": .int(outcome.createdCount), "replaced": .int(outcome.replacedCount), "kept": .int(outcome.keptCount),
      ],
      [
        "Created: \(outcome.createdCount), replaced: \(outcome.replacedCount), kept: \(outcome.keptCount)."
      ])
  }

  private func importJSON(
    into store: FileModelStore, progress: @escaping (FileStoreProgress) -> Void
  ) async throws -> FileStoreImport {
    let treatment: FileStoreImport.Existing =
      switch existing ?? .reject {
      case .reject: .reject
      case .keep: .keep
      case .replace: .replace
      }
    do {
      return try await store.importJSON(from: URL(filePath: file), existing: treatment, progress: progress)
    } catch let error as ModelStoreError where error.code == .conflict && treatment == .reject {
      throw ToolError(
        "Nothing was imported: the store already has records of '\(file)'. Add --existing keep or --existing replace.")
    }
  }

  // MARK: Entries of one type

  private func importEntries<M: Model>(of type: M.Type) async throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw ToolError("The file '\(file)' can't be read. Nothing was imported.")
    }
    let report = try await withTarget(acceptsAnyVersion: false) { store in
      // Clients of a server of the store get the changes.
      try await LoggedFileStore(ChangeLogEngine(store.handle)).transaction { store in
        try await Self.imported(type, data, at ?? "", store)
      }
    }
    try output.print(
      [
        "created": .int(report.created), "updated": .int(report.updated), "unchanged": .int(report.unchanged),
        "rejected": .array(report.rejected.map { .string($0) }),
        "brokenLinks": .array(report.brokenLinks.map { .string($0) }),
      ],
      [
        """
        Created: \(report.created), updated: \(report.updated), unchanged: \(report.unchanged), \
        rejected: \(report.rejected.count).
        """
      ])
    (report.rejected + report.brokenLinks).forEach(printToStandardError)
    if !report.rejected.isEmpty { throw ExitCode.failure }
  }

  private struct Report: Sendable {
    let (created, updated, unchanged): (Int, Int, Int)
    let (rejected, brokenLinks): ([String], [String])
  }

  private static func imported<M: Model, S: ModelStore>(
    _ type: M.Type, _ data: Data, _ path: String, _ store: S
  ) async throws -> Report {
    do {
      let report = try await store.importModels(type, fromJSON: data, at: path)
      // The report has only links to rejected entries.
      let imported = Set((report.created + report.updated).compactMap(\.identifier))
      let links = try await store.brokenLinks(of: [type]).filter { imported.contains($0.identifier) }
      return Report(
        created: report.created.count, updated: report.updated.count, unchanged: report.unchanged.count,
        rejected: report.rejected.map(\.description), brokenLinks: links.map(\.description))
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

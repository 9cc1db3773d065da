import ArgumentParser
@_spi(ModelKitInternals) import FileStore
import Foundation
import ModelServer
import RESTService

struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Shows the records of a file store in the browser.",
    discussion: """
      Only reading is allowed, unless --write is given. Another process may write the store meanwhile, if this one only \
      reads. Without a model file, each type gets a field for each key of its records; relations are shown as \
      identifiers, and all records are read first. Requests need the token in the printed address.
      """)

  @Argument(help: ArgumentHelp("The folder of the store.", valueName: "store"))
  var store: String
  @Option(help: "A model file, .xcdatamodeld or .xcdatamodel, with the types of the records.")
  var model: String?
  @Flag(help: "Records can be changed. This needs a model file, whose rules are checked.")
  var write = false
  @OptionGroup var server: ServerOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if write, model == nil { throw ValidationError("--write needs --model: records alone have no rules.") }
  }

  func run() async throws {
    guard FileManager.default.fileExists(atPath: store) else { throw ToolError("There is no store at '\(store)'.") }
    var options = FileStoreOptions(mode: write ? .readWrite : .readOnly)
    options.acceptsAnyVersion = !write
    let files = FileModelStore(directory: URL(filePath: store), options: options)
    do {
      let issues = try await files.open()
      for issue in issues { printToStandardError(issue.description) }
      let health = StoreHealth(of: files.handle, issues: issues)
      let title = "Inspecting \(store)" + (write ? "" : ", read-only")
      if let model {
        let models = try ServedModels(contentsOf: model)
        if write {
          try await files.handle.refuseOfflineCopy(
            "The inspector was not started", "Leave out --write, or use 'modelkit serve --remote'.")
          try await server.serve(models, of: ChangeLogEngine(files.handle), readOnly: false, title, output) {
            $0.showing(health)
          }
        } else {
          try await server.serve(models, of: files.handle, readOnly: true, title, output) { $0.showing(health) }
        }
      } else {
        let models = try await ServedModels(recordsOf: files.handle, at: store)
        try await server.serve(models, of: files.handle, readOnly: true, title, output) { $0.showing(health) }
      }
    } catch {
      try? await files.close()
      throw error
    }
    try await files.close()
  }
}

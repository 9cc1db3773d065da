import ArgumentParser
import FieldKit
import FileStore
import Foundation
import MemoryStore
import ModelCore
import ModelServer
import RESTService
import StoreEngine
import StoreProtocol
import SyncStore

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves the models of a store over HTTP, with an inspector for the browser.",
    discussion: """
      The models are those of a model file (.xcdatamodeld), or of a sample with generated data. Requests need the token \
      in the printed address, in a header 'Authorization: Bearer TOKEN'. The token is that of the environment variable \
      MODELKIT_TOKEN, or a random one. SIGINT and SIGTERM finish the requests in progress, and close the store.
      """)

  enum Sample: String, ExpressibleByArgument, CaseIterable {
    case bookshop
  }

  @Argument(help: ArgumentHelp("A model file, .xcdatamodeld or .xcdatamodel.", valueName: "model"))
  var model: String?
  @Option(help: "A sample to serve instead of a model file.")
  var sample: Sample?
  @Option(help: "The number of books in the sample; otherwise 400.")
  var books: Int?
  @Option(help: ArgumentHelp("The store: a folder, or memory:", valueName: "store"))
  var store: StoreAddress = .memory
  @Option(
    help: ArgumentHelp(
      "A server whose records the store has offline. Changes wait in the store until the server has them.",
      discussion: "Its token is that of the environment variable MODELKIT_REMOTE_TOKEN.", valueName: "address"))
  var remote: String?
  @Flag(help: "Only reading is allowed.")
  var readOnly = false
  @OptionGroup var server: ServerOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (model != nil) == (sample != nil) {
      throw ValidationError("Name a model file, or give --sample bookshop.")
    }
    if remote != nil, readOnly { throw ValidationError("--remote writes the records of the server: omit --read-only.") }
    if books != nil, sample == nil { throw ValidationError("--books needs --sample bookshop.") }
    guard (1...1_000_000).contains(books ?? 1) else { throw ValidationError("--books must be from 1 to 1000000.") }
  }

  func run() async throws {
    let models = try model.map { try ServedModels(contentsOf: $0) } ?? .sample
    switch store {
    case .memory:
      let store = MemoryModelStore()
      if let remote { return try await serve(models, store.handle, synchronizedWith: RemoteServer(remote)) }
      try await fill(store)
      try await serve(models, ChangeLogEngine(store.handle))
    case .folder(let path):
      let options = FileStoreOptions(mode: readOnly ? .readOnly : .readWrite)
      let store = FileModelStore(directory: URL(filePath: path), options: options)
      do {
        let issues = try await store.open()
        for issue in issues { printToStandardError(issue.description) }
        let health = StoreHealth(of: store.handle, issues: issues)
        if let remote {
          try await serve(models, store.handle, synchronizedWith: RemoteServer(remote)) { $0.showing(health) }
        } else if readOnly {
          try await serve(models, store.handle) { $0.showing(health) }
        } else {
          try await store.handle.refuseOfflineCopy(
            "The server was not started", "Add --remote with the address of that server, or --read-only.")
          try await fill(store)
          try await serve(models, ChangeLogEngine(store.handle)) { $0.showing(health) }
        }
      } catch {
        try? await store.close()
        throw error
      }
      try await store.close()
    }
  }

  /// Adds the records of the sample to a store without books.
  private func fill(_ store: some ModelStore) async throws {
    guard sample != nil, try await store.count(Author.self) == 0 else { return }
    var data = SampleData(bookCount: books ?? 400)
    try await data.fill(store)
  }

  private func serve<Engine: RecordEngine>(
    _ models: ServedModels, _ handle: Engine, service: RESTServiceOptions = RESTServiceOptions(),
    inspecting: (Inspector) -> Inspector = { $0 }
  ) async throws {
    let name = sample.map { "the sample \($0.rawValue)" } ?? model ?? "models"
    try await server.serve(
      models, of: handle, readOnly: readOnly, "Serving \(name) from \(store.description)", output, service: service,
      inspecting: inspecting)
  }

  private func serve<Engine: RecordEngine>(
    _ models: ServedModels, _ handle: Engine, synchronizedWith remote: RemoteServer,
    inspecting: (Inspector) -> Inspector = { $0 }
  ) async throws {
    let engine = SyncEngine(handle)
    let sync = remote.synchronization(of: engine, models)
    let running = Task { await sync.run(every: .seconds(30)) }
    defer { running.cancel() }
    var options = RESTServiceOptions()
    // Kept responses are records, which the other server would get.
    options.answerRetention = nil
    try await serve(models, engine, service: options) { inspecting($0).showing(sync) }
    running.cancel()
    await running.value
  }
}

import ArgumentParser
import FieldKit
import FileStore
import Foundation
import Logging
import MemoryStore
import ModelCore
import ModelServer
import RESTService
import StoreProtocol

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
  @Option(help: "The number of books in the sample.")
  var books = 400
  @Option(help: ArgumentHelp("The store: a folder, or memory:", valueName: "store"))
  var store: StoreAddress = .memory
  @Option(help: "The host name or IP address to listen on.")
  var host = "127.0.0.1"
  @Option(help: "The port; 0 for a free one.")
  var port = 8080
  @Option(name: .customLong("host-name"), help: "A host name of the server, beside localhost; may be repeated.")
  var hostNames: [String] = []
  @Flag(help: "Only reading is allowed.")
  var readOnly = false
  @Flag(name: .customLong("no-token"), help: "Every program on this machine may use the server.")
  var needsNoToken = false
  @Flag(help: "Print a line for each request to standard error.")
  var verbose = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (model != nil) == (sample != nil) {
      throw ValidationError("Name a model file, or give --sample bookshop.")
    }
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535.") }
    guard (1...1_000_000).contains(books) else { throw ValidationError("--books must be from 1 to 1000000.") }
  }

  func run() async throws {
    let models = try model.map { try ServedModels(contentsOf: $0) } ?? .sample
    switch store {
    case .memory:
      let store = MemoryModelStore()
      try await fill(store)
      try await serve(models, ChangeLogEngine(store.handle))
    case .folder(let path):
      let options = FileStoreOptions(mode: readOnly ? .readOnly : .readWrite)
      let store = FileModelStore(directory: URL(filePath: path), options: options)
      do {
        for issue in try await store.open() { printToStandardError(issue.description) }
        if !readOnly { try await fill(store) }
        if readOnly {
          try await serve(models, store.handle)
        } else {
          try await serve(models, ChangeLogEngine(store.handle))
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
    var data = SampleData(bookCount: books)
    try await data.fill(store)
  }

  private func serve<Engine: RecordEngine>(_ models: ServedModels, _ handle: Engine) async throws {
    let token = needsNoToken ? nil : try Token.current()
    let rules: ((inout RESTAccess) -> Void)? =
      token == nil && !readOnly
      ? nil
      : { access in
        for type in models.types { Self.allow(readOnly ? .read : .all, type, &access) }
      }
    let service = RESTService(handle, serving: models.types, access: rules)
    let server = try ModelServer(
      service, inspector: Inspector(serving: models.types),
      authentication: token.map { .tokens([$0: "modelkit"]) } ?? .none,
      options: ModelServerOptions(host: host, port: port, hostNames: Set(hostNames)), logger: logger)
    try await server.run { url in announce(url, token) }
  }

  private static func allow<M: Model>(_ actions: RESTAccess.Action, _ type: M.Type, _ access: inout RESTAccess) {
    access.allow(actions, type)
  }

  private var logger: Logger {
    var logger = Logger(label: "modelkit") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .info : .error
    return logger
  }

  /// Prints the address of the server.
  private func announce(_ url: URL, _ token: String?) {
    let style = Style(forStandardStream: STDOUT_FILENO)
    // A fragment is not sent, so the token is in no log.
    let page = url.absoluteString + "/_inspect/" + (token.map { "#token=\(Token.encoded($0))" } ?? "")
    try? output.print(
      [
        "address": .string(url.absoluteString), "page": .string(page), "token": token.map { .string($0) } ?? .null,
      ],
      [
        "Serving \(sample.map { "the sample \($0.rawValue)" } ?? model ?? "models") from \(store.description)",
        "  Open  \(style.bold(page))",
        "  API   \(url.absoluteString)" + (token.map { "  Authorization: Bearer \($0)" } ?? ""),
        "Stop with Control-C.",
      ])
  }
}

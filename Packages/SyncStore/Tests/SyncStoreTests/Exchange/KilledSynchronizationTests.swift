#if os(Linux) || os(macOS)
  @_spi(ModelKitInternals) import FieldKit
  import FileStore
  import Foundation
  import MemoryStore
  import RESTService
  import RESTStore
  import StoreEngine
  import StoreProtocol
  import StoreProtocolTesting
  import SyncStore
  import Testing

  /// Ends a process that edits and synchronises with SIGKILL, again and again, at moments that a seed chooses.
  /// A failure names its seed. `MODELKIT_TEST_EFFORT=50` kills 500 clients of each server.
  @Suite(.serialized) struct `A synchronisation whose process was killed` {
    @Test func `Nothing that was acknowledged is lost, and nothing is on the server twice`() async throws {
      try await killClients { path, seed in
        await #expect(processExitsWith: .signal(SIGKILL), "seed \(seed)") {
          [path = path as String, seed = seed as UInt64] in
          try await KilledSynchronization(folder: URL(filePath: path), seed: seed).run()
        }
        return KilledSynchronization(folder: URL(filePath: path), seed: seed)
      } restart: { folder in
        try FileManager.default.removeItem(at: folder.appending(path: "server"))
      }
    }

    /// A server with idempotency keys, entity tags and a change log. It kills some of the clients itself, between a
    /// request and its answer.
    @Test func `Nothing is lost, and nothing is done twice, if clients of an HTTP server are killed at any request`()
      async throws
    {
      let server = try LoopbackServer(Self.service())
      try await killClients { path, seed in
        server.killClient(KilledSynchronization.killByServer(seed))
        let address = server.url.absoluteString
        await #expect(processExitsWith: .signal(SIGKILL), "seed \(seed)") {
          [path = path as String, seed = seed as UInt64, address = address as String] in
          try await KilledSynchronization(folder: URL(filePath: path), seed: seed, server: URL(string: address)).run()
        }
        server.killClient(nil)
        return KilledSynchronization(folder: URL(filePath: path), seed: seed, server: server.url)
      } restart: { _ in
        server.replaceService(by: Self.service())
      }
    }

    private static func service() -> RESTService {
      RESTService(ChangeLogEngine(MemoryModelStore().handle), serving: [Author.self, Book.self, Tag.self])
    }

    /// Kills a process for each seed, and checks the client and the server after each.
    ///
    /// - Parameters:
    ///   - kill: runs a process in a folder until it is killed.
    ///   - restart: makes the server empty.
    private func killClients(
      _ kill: (_ path: String, _ seed: UInt64) async throws -> KilledSynchronization,
      restart: (URL) throws -> Void
    ) async throws {
      try await withFolder { folder in
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var known: [String: Int] = [:]
        var count = 0
        for seed in TestEffort.seeds(10) {
          known = try await kill(folder.path(percentEncoded: false), seed).check(known)
          count += known.count
          // A fresh store now and then, since each comparison reads all records.
          if seed % 16 == 0 {
            try FileManager.default.removeItem(at: folder.appending(path: "local"))
            try restart(folder)
            known = [:]
          }
        }
        #expect(count > 10)
      }
    }
  }

  /// The work of the process that is killed: local writes in files, and synchronisations with a server. The server has
  /// files in the same process, or is reached over HTTP.
  ///
  /// The system keeps what a killed process gave to it, so a request that the server answered took effect.
  private struct KilledSynchronization {
    private static let deletion = -1

    let folder: URL
    let seed: UInt64
    /// The address of the server; nil for files.
    var server: URL?

    /// A file with the title of each write before it, and with its value after it.
    private var log: URL { folder.appending(path: "writes") }

    /// The write at which a server over HTTP kills the process; nil if that kills itself.
    static func killByServer(_ seed: UInt64) -> (writes: Int, moment: LoopbackServer.Moment)? {
      var random = SimulatedRandom(state: seed &* 31)
      let moments = LoopbackServer.Moment.allCases
      return random.below(3) == 0 ? nil : (random.below(40), moments[random.below(moments.count)])
    }

    private func files(_ name: String) -> FileModelStore {
      FileModelStore(directory: folder.appending(path: name), options: FileStoreOptions(durability: .none))
    }

    private func client(_ local: FileModelStore, _ remote: any ModelStore) -> SyncModelStore<FileStoreHandle> {
      SyncModelStore(local: local, remote: remote, types: [Author.self, Book.self, Tag.self])
    }

    /// Opens the server. It is closed with the function.
    ///
    /// - Parameter willWrite: called before each write.
    private func openServer(
      _ willWrite: @escaping @Sendable () -> Void = {}
    ) -> (store: any ModelStore, close: () async throws -> Void) {
      guard let server else {
        let files = files("server")
        return (ReportingStore(files, willWrite), { try await files.close() })
      }
      var options = RESTOptions()
      options.idempotencyKeyHeader = "Idempotency-Key"
      let store = RESTModelStore(
        baseURL: server,
        dialect: JSONDialect(paging: .linked, sendsQueries: true, changesParameter: "updated_since"),
        transport: ReportingTransport(willWrite: willWrite), options: options,
        scope: ModelScope(transformers: ValueTransformerContext(explicitNull: true)))
      return (store, {})
    }

    // MARK: The process

    func run() async throws {
      var random = SimulatedRandom(state: seed)
      // Some processes are killed anywhere, and others near a request that writes.
      let last = random.below(3) == 0 ? random.below(60) : -1
      let turns = random.below(60_000)
      let requests = Lock(random.below(40))
      let isKilledByServer = server != nil && Self.killByServer(seed) != nil
      let server = openServer {
        let isReached = requests.withLock { requests in
          requests -= 1
          return requests == -1
        }
        if isReached, last < 0, !isKilledByServer { Self.killLater(turns: turns) }
      }
      let store = client(files("local"), server.store)
      try Data().write(to: log)
      let log = try FileHandle(forWritingTo: log)
      var step = 0
      while true {
        if step == last, !isKilledByServer { Self.killLater(turns: random.below(4_000_000)) }
        let number = Int(seed) * 1_000 + step
        try await edit(store, number, &random) { try log.write(contentsOf: Data("\($0)\n".utf8)) }
        if random.below(3) == 0 { try await store.sync() }
        step += 1
      }
    }

    /// Ends the process after a number of turns of a loop.
    private static func killLater(turns: Int) {
      Thread.detachNewThread {
        var value = UInt64(turns)
        for _ in 0..<turns { value = value &* 6_364_136_223_846_793_005 &+ 1 }
        if value != 1 { kill(getpid(), SIGKILL) }
      }
    }

    /// Writes with one commit, and notes that before and after it.
    private func edit(
      _ store: SyncModelStore<FileStoreHandle>, _ number: Int, _ random: inout SimulatedRandom,
      _ note: (String) throws -> Void
    ) async throws {
      let books = try await store.list(Book.self, sort: [.ascending(\.title)])
      let old = books.isEmpty ? Book() : books[random.below(books.count)]
      let title = old.title.value ?? ""
      switch random.below(books.count > 4 ? 6 : 3) {
      case 0, 1:
        let (author, book) = (Author(), Book.titled("book-\(number)", rating: number))
        author.name.value = "author-\(number)"
        book.author.value = author
        try note("book-\(number)")
        try await store.save(book, including: .related)
        try note("book-\(number) \(number)")
      case 2:
        try note("tag-\(number)")
        try await store.save(Tag.labeled("tag-\(number)", "\(number)"))
        try note("tag-\(number) \(number)")
      case 3:
        try note(title)
        try await store.delete(old)
        try note("\(title) \(Self.deletion)")
      default:
        old.rating.value = number
        try note(title)
        try await store.save(old)
        try note("\(title) \(number)")
      }
    }

    // MARK: The checks

    /// Starts the client again, synchronises, and compares it and the server with the writes so far.
    ///
    /// - Parameter known: the values by title before the process, as this method returned them.
    /// - Returns: the values by title.
    func check(_ known: [String: Int]) async throws -> [String: Int] {
      let (local, server) = (files("local"), openServer())
      let store = client(local, server.store)
      for _ in 0..<2 { #expect(try await store.sync().failures.map(\.error.message) == [], "seed \(seed)") }
      #expect(try await store.outbox().map(\.identifier) == [], "seed \(seed)")
      #expect(try await store.discardedValues().map(\.value) == [], "seed \(seed)")
      #expect(try await store.brokenLinks(of: [Book.self]).isEmpty, "seed \(seed)")
      let records = try await values(of: server.store)
      #expect(try await values(of: store) == records, "seed \(seed)")
      let values = Dictionary(records.map { ($0.title, $0.value) }) { max($0, $1) }
      #expect(values.count == records.count, "seed \(seed): a record is on the server twice")
      var known = known
      var open: String?
      for line in try String(contentsOf: log, encoding: .utf8).split(separator: "\n") {
        let parts = line.split(separator: " ").map(String.init)
        if parts.count == 2 { known[parts[0]] = Int(parts[1]) }
        open = parts.count == 1 ? parts[0] : nil
      }
      // A write that was not acknowledged may have been done.
      if let open { known[open] = values[open] ?? Self.deletion }
      for (title, value) in known {
        #expect(values[title] ?? Self.deletion == value, "seed \(seed): \(title)")
      }
      try await local.close()
      try await server.close()
      return known
    }

    private func values(of store: some ModelStore) async throws -> [Record] {
      let authors = try await store.list(Author.self).map { Record(title: $0.name.value ?? "", value: 0) }
      let books = try await store.list(Book.self).map { book in
        Record(title: book.title.value ?? "", value: book.rating.value ?? 0, author: book.author.value?.identifier)
      }
      let tags = try await store.list(Tag.self).map {
        Record(title: $0.id.value ?? "", value: Int($0.label.value ?? "") ?? 0)
      }
      return (authors + books + tags).sorted { $0.title < $1.title }
    }

    private struct Record: Equatable {
      var title: String
      var value: Int
      var author: String?
    }
  }

  /// A store that reports its writes before they begin.
  private final class ReportingStore: ModelStore {
    private let base: FileModelStore
    private let willWrite: () -> Void
    var scope: ModelScope { base.scope }

    init(_ base: FileModelStore, _ willWrite: @escaping () -> Void) { (self.base, self.willWrite) = (base, willWrite) }

    func create<M: Model>(_ model: M) async throws -> M {
      willWrite()
      return try await base.create(model)
    }

    func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
      willWrite()
      return try await base.update(model, fields: fields)
    }

    func update<M: Model>(_ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy) async throws -> M {
      willWrite()
      return try await base.update(model, fields: fields, onConflict: policy)
    }

    func delete<M: Model>(_ model: M) async throws -> M {
      willWrite()
      return try await base.delete(model)
    }

    func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
      try await base.lookup(type, identifier: identifier)
    }

    func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await base.list(query) }
  }

  /// A transport that reports writes before they are sent, and names this process to the server.
  private struct ReportingTransport: HTTPTransport {
    let willWrite: @Sendable () -> Void

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
      var request = request
      request.headers[LoopbackServer.processHeader] = "\(getpid())"
      if request.method != .get { willWrite() }
      return try await URLSessionTransport.shared.send(request)
    }
  }
#endif

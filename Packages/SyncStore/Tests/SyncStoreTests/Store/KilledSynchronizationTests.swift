#if os(Linux) || os(macOS)
  import FileStore
  import Foundation
  import StoreProtocol
  import StoreProtocolTesting
  import SyncStore
  import Testing

  /// Ends a process that edits and synchronises with SIGKILL, again and again, at moments that a seed chooses.
  /// A failure names its seed.
  @Suite(.serialized) struct `A synchronisation whose process was killed` {
    @Test func `Nothing that was acknowledged is lost, and nothing is on the server twice`() async throws {
      try await withFolder { folder in
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.path(percentEncoded: false)
        var known: [String: Int] = [:]
        var count = 0
        for seed in TestEffort.seeds(10) {
          await #expect(processExitsWith: .signal(SIGKILL), "seed \(seed)") {
            [path = path as String, seed = seed as UInt64] in
            try await KilledSynchronization(folder: URL(filePath: path), seed: seed).run()
          }
          known = try await KilledSynchronization(folder: folder, seed: seed).check(known)
          count += known.count
          // A fresh store now and then, since each comparison reads all records.
          if seed % 16 == 0 {
            for name in ["local", "server"] { try FileManager.default.removeItem(at: folder.appending(path: name)) }
            known = [:]
          }
        }
        #expect(count > 10)
      }
    }
  }

  /// The work of the process that is killed: local writes in files, and synchronisations with a server that has files, too.
  ///
  /// The system keeps what a killed process gave to it, so a request that the server answered took effect.
  private struct KilledSynchronization {
    private static let deletion = -1

    let folder: URL
    let seed: UInt64

    /// A file with the title of each write before it, and with its value after it.
    private var log: URL { folder.appending(path: "writes") }

    private func files(_ name: String) -> FileModelStore {
      FileModelStore(directory: folder.appending(path: name), options: FileStoreOptions(durability: .none))
    }

    private func client(_ local: FileModelStore, _ server: some ModelStore) -> SyncModelStore<FileStoreHandle> {
      SyncModelStore(local: local, remote: server, types: [Author.self, Book.self, Tag.self])
    }

    // MARK: The process

    func run() async throws {
      var random = SimulatedRandom(state: seed)
      let server = ReportingStore(files("server"))
      let store = client(files("local"), server)
      try Data().write(to: log)
      let log = try FileHandle(forWritingTo: log)
      // Some processes are killed anywhere, and others near a request that writes.
      let last = random.below(3) == 0 ? random.below(60) : -1
      let turns = random.below(60_000)
      var requests = random.below(40)
      server.willWrite = {
        if requests == 0, last < 0 { killLater(turns: turns) }
        requests -= 1
      }
      var step = 0
      while true {
        if step == last { killLater(turns: random.below(4_000_000)) }
        let number = Int(seed) * 1_000 + step
        try await edit(store, number, &random) { try log.write(contentsOf: Data("\($0)\n".utf8)) }
        if random.below(3) == 0 { try await store.sync() }
        step += 1
      }
    }

    /// Ends the process after a number of turns of a loop.
    private func killLater(turns: Int) {
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
      let (local, server) = (files("local"), files("server"))
      let store = client(local, server)
      for _ in 0..<2 { #expect(try await store.sync().failures.map(\.error.message) == [], "seed \(seed)") }
      #expect(try await store.outbox().map(\.identifier) == [], "seed \(seed)")
      #expect(try await store.discardedValues().map(\.value) == [], "seed \(seed)")
      #expect(try await store.brokenLinks(of: [Book.self]).isEmpty, "seed \(seed)")
      let records = try await values(of: server)
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
    var willWrite: () -> Void = {}
    var scope: ModelScope { base.scope }

    init(_ base: FileModelStore) { self.base = base }

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
#endif

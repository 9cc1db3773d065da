import FieldKit
@_spi(ModelKitInternals) import FieldKit
import MemoryStore
import StoreEngine
import StoreProtocol
import StoreProtocolTesting
import SyncStore
import Testing

@Suite struct `A randomized history of clients and a server` {
  @Test(arguments: [false, true])
  func `All clients equal the server, and no write vanishes, after the faults end`(hasKeys: Bool) async throws {
    for seed in TestEffort.seeds(30) {
      let server = FaultyServer(seed: seed &* 31, hasKeys: hasKeys)
      let problems = try await History(seed: seed, server).run(operations: 50)
      #expect(problems == [], "seed \(seed)")
    }
  }

  @Test(arguments: [false, true])
  func `All clients equal a REST server, and no write vanishes, after the faults end`(hasKeys: Bool) async throws {
    for seed in TestEffort.seeds(30) {
      let server = RESTFixture(seed: seed &* 31, hasKeys: hasKeys)
      let problems = try await History(seed: seed, server).run(operations: 50)
      #expect(problems == [], "seed \(seed)")
    }
  }
}

/// Clients of one server over a bad network, whose processes are killed now and then, and the promises at the end.
final class History {
  typealias Store = SyncModelStore<KillableEngine>

  struct Written: Hashable {
    var client: Int
    var title: String
    var key: String
  }

  /// A client: what survives its process, and the store of the process.
  final class Client {
    let number: Int
    let disk = MemoryModelStore().handle
    var store: Store
    let remote: InterruptedStore

    init(_ number: Int, _ make: (MemoryEngine, InterruptedStore) -> Store, _ server: any HistoryServer) {
      self.number = number
      remote = InterruptedStore(server.makeStore())
      store = make(disk, remote)
    }
  }

  private let server: any HistoryServer
  private let random: SharedRandom
  private let kills: Lock<Bool>
  private var clients: [Client] = []
  private var count = 0
  private var written: [Written: JSONValue] = [:]
  private var deleted: Set<Written> = []
  private var deletions: Set<Written> = []
  private var problems: [String] = []

  init(seed: UInt64, _ server: any HistoryServer) {
    self.server = server
    random = SharedRandom(seed: seed)
    kills = Lock(true)
    clients = (0..<2 + random.below(3)).map { Client($0, makeStore, server) }
    for client in clients {
      client.remote.whileUnderWay = { [unowned self, unowned client] in
        if server.hasFaults, random.below(15) == 0 { await edit(client) }
      }
    }
  }

  private func makeStore(_ disk: MemoryEngine, _ remote: InterruptedStore) -> Store {
    let (random, kills) = (random, kills)
    let engine = KillableEngine(disk) { kills.withLock { $0 } && random.below(60) == 0 }
    let environment = SyncEnvironment(
      now: { 0 }, makeIdentifier: { "g\(random.next())" },
      makeTemporaryInteger: { -1 - random.below(1 << 50) }, random: { 0.5 })
    let store = SyncModelStore(
      SyncEngine(engine, options: SyncOptions(environment: environment)), remote: remote,
      types: [Author.self, Book.self])
    // With faults at every decision; at the end each conflict is decided.
    let decide: (SyncConflict) -> SyncResolution = { _ in
      [.merge, .local, .remote, kills.withLock { $0 } ? .wait : .merge][random.below(4)]
    }
    store.resolve(Author.self, decide)
    store.resolve(Book.self, decide)
    return store
  }

  /// Runs something in the process of a client, which starts again if it is killed.
  ///
  /// - Returns: false if it was killed.
  private func running(_ client: Client, _ body: (Store) async throws -> Void) async -> Bool {
    do {
      try await body(client.store)
    } catch is KillableEngine.Killed {
      client.store = makeStore(client.disk, client.remote)
      return false
    } catch {}
    return true
  }

  func run(operations: Int) async throws -> [String] {
    for _ in 0..<operations {
      let client = clients[random.below(clients.count)]
      if random.below(10) < 6 {
        await edit(client)
      } else {
        _ = await running(client) { try await $0.sync() }
      }
    }
    server.hasFaults = false
    kills.withLock { $0 = false }
    for _ in 0..<8 {
      for client in clients {
        for entry in try await client.store.failures() { try await client.store.retry(entry) }
        try await client.store.sync()
      }
    }
    try await check()
    return problems.sorted()
  }

  // MARK: Local writes

  private func edit(_ client: Client) async {
    count += 1
    let number = count
    switch random.below(8) {
    case 0: await create(client, number)
    case 1:
      await write(client) { store in
        let author = Author()
        author.name.value = "author \(client.number)-\(number)"
        try await store.save(author)
      }
    case 2: await delete(client)
    case 3:
      await write(client) { [self] store in
        let authors = try await store.list(Author.self)
        if !authors.isEmpty { try await store.delete(authors[random.below(authors.count)]) }
      }
    case 4: await create(client, number)
    default: await change(client, number)
    }
  }

  private func write(_ client: Client, _ body: (Store) async throws -> Void) async { _ = await running(client, body) }

  private func create(_ client: Client, _ number: Int) async {
    let title = "\(client.number)-\(number)"
    let isKept = await running(client) { store in
      let book = Book.titled(title, rating: number)
      let authors = try await store.list(Author.self)
      if !authors.isEmpty, random.below(2) == 0 { book.author.value = authors[random.below(authors.count)] }
      if random.below(3) == 0 {
        let author = Author()
        author.name.value = "author of \(title)"
        book.author.value = author
      }
      try await store.save(book, including: .related)
    }
    if !isKept, await !isStored(client, title, "rating", number) { return }
    note(client, title, "rating", number)
  }

  private func change(_ client: Client, _ number: Int) async {
    var (title, key) = ("", "")
    let isKept = await running(client) { store in
      let books = try await store.list(Book.self)
      guard !books.isEmpty else { return }
      let book = books[random.below(books.count)]
      title = book.title.value ?? ""
      if random.below(2) == 0 {
        key = "rating"
        book.rating.value = number
      } else {
        key = "pages"
        book.pages.value = number
      }
      try await store.save(book)
    }
    if title.isEmpty { return }
    if !isKept, await !isStored(client, title, key, number) { return }
    note(client, title, key, number)
  }

  private func note(_ client: Client, _ title: String, _ key: String, _ number: Int) {
    written[Written(client: client.number, title: title, key: key)] = .int(number)
  }

  private func delete(_ client: Client) async {
    var title = ""
    _ = await running(client) { store in
      let books = try await store.list(Book.self)
      guard !books.isEmpty else { return }
      let book = books[random.below(books.count)]
      title = book.title.value ?? ""
      try await store.delete(book)
    }
    if title.isEmpty { return }
    let titles = (try? await MemoryModelStore(client.disk).list(Book.self).map { $0.title.value ?? "" }) ?? []
    let deletion = Written(client: client.number, title: title, key: "")
    deletions.insert(deletion)
    if !titles.contains(title) { deleted.insert(deletion) }
  }

  private func isStored(_ client: Client, _ title: String, _ key: String, _ number: Int) async -> Bool {
    let books = (try? await MemoryModelStore(client.disk).list(Book.self)) ?? []
    return books.contains { $0.title.value == title && $0.dictionaryValue[key] == .int(number) }
  }

  // MARK: The promises

  private static func rows(_ store: any ModelStore) async throws -> [String] {
    let authors = try await store.list(Author.self)
    let books = try await store.list(Book.self).map { book in
      // A server in memory does not check that a referenced record is there.
      "\(book.identifier ?? "") \(book.title.value ?? "") \(book.rating.value ?? 0) \(book.pages.value ?? 0) "
        + "\(book.author.value?.identifier ?? "") \(authors.first { $0 === book.author.value }?.name.value ?? "")"
    }
    return (books + authors.map { "\($0.identifier ?? "") \($0.name.value ?? "")" }).sorted()
  }

  private func check() async throws {
    let truth = try await Self.rows(server.makeStore())
    for client in clients {
      for entry in try await client.store.outbox() {
        problems.append("P6: client \(client.number) still has \(entry.type) \(entry.identifier): \(entry.error ?? "")")
      }
      let rows = try await Self.rows(client.store)
      if rows != truth {
        let (own, others) = (Set(rows).subtracting(truth).sorted(), Set(truth).subtracting(rows).sorted())
        problems.append("P3: client \(client.number) has \(own), the server \(others)")
      }
      if rows != (try await Self.rows(MemoryModelStore(client.disk))) {
        problems.append("P7: the live models of client \(client.number) are not as stored")
      }
    }
    for (each, value) in written {
      let notes = try await clients[each.client].store.discardedValues()
      let isNoted = notes.contains { note in
        note.key == each.key && note.value == value || note.key == nil && note.value.objectValue?[each.key] == value
      }
      // A creation that was sent twice has two records, of which one may have been deleted.
      let isDeleted = deletions.contains { $0.client == each.client && $0.title == each.title }
      if isDeleted || isNoted || server.had(value, each.key) { continue }
      problems.append("P1: client \(each.client) lost \(each.title).\(each.key) = \(value)")
    }
    let titles = try await server.makeStore().list(Book.self).map { $0.title.value ?? "" }
    for each in deleted where titles.contains(each.title) && server.creationCount(each.title) == 1 {
      let notes = try await clients[each.client].store.discardedValues()
      if notes.contains(where: { $0.key == nil && $0.value.isNull }) { continue }
      problems.append("P1: client \(each.client) lost the deletion of \(each.title)")
    }
    problems += server.requestsWithTemporaryIdentifiers.map { "P7: a temporary identifier in \($0)" }
    if server.hasKeys { problems += server.duplicates.map { "P2: \($0) was created twice" } }
  }
}

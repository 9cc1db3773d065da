@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import StoreEngine
import StoreProtocol

@testable import SyncStore

/// A randomized history of some clients and one server in one task, with one seed and a virtual clock.
///
/// The clients are synchronised stores over engines that can be killed at each commit. Nothing in it waits for real
/// time.
final class StoreSimulation {
  typealias Store = SyncModelStore<KillableEngine>

  struct Choices {
    /// The difference of the clocks of clients from the right time, in milliseconds.
    var skew = 0
    /// Whether a backup of the server is restored.
    var restoresBackup = false
    /// Whether clients lose access to records for a time.
    var revokesAccess = false
    /// Whether conflicts are decided at random, instead of merged.
    var decidesAtRandom = false
    /// The number of the commit of the first client at which its process is killed: before an even one, after an odd
    /// one. Nil for kills at random.
    var killedCommit: Int?
    /// Whether clients set their clocks to times that differ from the right one by up to a day.
    var setsClocks = false
  }

  /// The process of a store. A killed one commits nothing more.
  final class Process: Sendable {
    let isKilled = Lock(false)
  }

  /// A client: its disk, which survives its process, and the store of the process.
  final class Client {
    let number: Int
    let disk = MemoryModelStore().handle
    let remote: SimulatedRemote
    var store: Store!
    var process = Process()
    /// The difference of its clock from the right time, in milliseconds.
    let skew = Lock(0)
    /// The last event that it received from the stream of the server.
    var lastEvent = 0
    /// The models that this process deleted.
    var deleted: [any SimulatedModel] = []

    init(_ number: Int, _ remote: SimulatedRemote) { (self.number, self.remote) = (number, remote) }
  }

  struct Written: Hashable {
    var client: Int
    var title: String
    var key: String
    /// The name of a value on the server.
    func value(_ value: JSONValue) -> String { "\(title).\(key)=\(value)" }
  }

  let service: SimulatedService
  let choices: Choices
  private(set) var clients: [Client] = []
  /// The last value that a client wrote to a member, and that was acknowledged.
  private(set) var written: [Written: JSONValue] = [:]
  /// The clients that wrote a member, by `title.key`.
  private var authors: [String: Set<Int>] = [:]
  /// The titles that records had before they were created again, by the titles they have now.
  private(set) var formerTitles: [String: String] = [:]
  /// The acknowledged deletions of clients.
  private(set) var deleted: Set<Written> = []
  /// The deletions of clients, with those whose process was killed meanwhile.
  private(set) var deletions: Set<Written> = []
  /// The deletions of records whose creation had no answer yet, by their titles.
  private(set) var deletedUnanswered: Set<String> = []
  /// The deletions of records that were created again, before that had an answer, by their titles.
  private(set) var deletedAgain: Set<String> = []
  /// The titles to which some client had no access for a time.
  private(set) var revoked: Set<String> = []
  var problems: Set<String> = []
  private let random: SharedRandom
  private let kills: Lock<(isOn: Bool, commits: Int)>
  private var count = 0
  private var isInterlude = false

  init(tier: Int, seed: UInt64, _ choices: Choices = Choices()) {
    self.choices = choices
    service = SimulatedService(tier: tier, seed: seed &* 13 &+ UInt64(tier))
    random = SharedRandom(seed: seed &* 7 &+ UInt64(tier))
    kills = Lock((true, 0))
    let number = 2 + random.below(4) * random.below(3)
    for number in 0..<number {
      let client = Client(number, SimulatedRemote(service.store(for: number)))
      client.skew.withLock { $0 = number % 2 == 0 ? choices.skew : -choices.skew }
      client.remote.beforeRequest = { [unowned self, unowned client] in try await interlude(client) }
      start(client)
      clients.append(client)
    }
  }

  /// The number of commits of the first client.
  var commits: Int { kills.withLock { $0.commits } }

  private func start(_ client: Client) {
    let (random, kills, service, killedCommit) = (random, kills, service, choices.killedCommit)
    let (process, isFirst) = (Process(), client.number == 0)
    let engine = KillableEngine(client.disk) {
      if process.isKilled.withLock({ $0 }) { return true }
      let isKilled = kills.withLock { kills in
        if isFirst { kills.commits += 1 }
        guard kills.isOn else { return false }
        guard let killedCommit else { return random.below(120) == 0 }
        return isFirst && kills.commits == killedCommit
      }
      if isKilled { process.isKilled.withLock { $0 = true } }
      return isKilled
    }
    var environment = SyncEnvironment(
      now: { [skew = client.skew] in service.time + skew.withLock { $0 } }, makeIdentifier: { "g\(random.next())" },
      makeTemporaryInteger: { -1 - random.below(1 << 50) }, random: { 0.5 }, uptime: { service.time }, sleep: { _ in })
    environment.storesAnswersAtOnce = { random.below(2) == 0 }
    let store = SyncModelStore(
      SyncEngine(engine, options: SyncOptions(environment: environment)), remote: client.remote,
      types: [Writer.self, Volume.self, Sticker.self])
    prepare(store, Writer.self)
    prepare(store, Volume.self)
    prepare(store, Sticker.self)
    (client.store, client.process, client.deleted) = (store, process, [])
  }

  private func prepare<M: SimulatedModel>(_ store: Store, _ type: M.Type) {
    if service.tier >= 2 {
      store.policy(type, .changes(by: \.changed, overlap: .seconds(30), comparingAllAfter: .seconds(86_400)))
    }
    if service.tier >= 3 { store.policy(type, .keep(where: { $0.removed != true })) }
    if choices.decidesAtRandom {
      store.resolve(type) { [random, kills] _ in
        [.merge, .local, .remote, kills.withLock { $0.isOn } ? .wait : .merge][random.below(4)]
      }
    }
  }

  /// Runs something in the process of a client, which is started again if it was killed.
  ///
  /// - Returns: whether it was not killed.
  func running(_ client: Client, _ body: (Store) async throws -> Void) async -> Bool {
    let process = client.process
    do { try await body(client.store) } catch {}
    guard process.isKilled.withLock({ $0 }) else { return true }
    if client.process === process {
      start(client)
      await checkRestart(client)
    }
    return false
  }

  /// Something that happens while a request is prepared.
  private func interlude(_ client: Client) async throws {
    let process = client.process
    if !isInterlude, service.current.hasFaults, random.below(12) == 0 {
      isInterlude = true
      defer { isInterlude = false }
      let other = clients[random.below(clients.count)]
      await edit(other)
      if other !== client, random.below(2) == 0 { await sync(other) }
    }
    if process.isKilled.withLock({ $0 }) { throw KillableEngine.Killed() }
  }

  // MARK: The history

  func run(operations: Int) async throws {
    var backup: (database: SimulatedService.Database, step: Int)?
    for step in 0..<operations {
      service.change { $0.time += random.below(40_000) }
      let client = clients[random.below(clients.count)]
      if choices.setsClocks, random.below(8) == 0 {
        client.skew.withLock { $0 = random.below(172_800_000) - 86_400_000 }
      }
      switch random.below(12) {
      case 0...6: await edit(client)
      case 7 where choices.revokesAccess: revokeOrGrant(client)
      default: await sync(client)
      }
      for client in hinted where random.below(3) == 0 { await follow(client) }
      if choices.restoresBackup, step == operations / 3 { backup = (service.current.database, step) }
      if let backup, step == operations * 2 / 3 { try await restore(backup.database) }
    }
    service.change { $0.hasFaults = false }
    kills.withLock { $0.isOn = false }
    service.deliverLateRequests()
    service.change { $0.hidden = [:] }
    try await checkParked()
    try await settle(rounds: 5)
    if service.tier >= 2, !choices.revokesAccess, !choices.restoresBackup { try await checkFreshness() }
    if service.tier >= 5, !choices.revokesAccess, !choices.restoresBackup { try await checkHints() }
    // All records are compared once a day. A comparison can free a deletion that waited, which others notice a day
    // later.
    for _ in 0..<(service.tier >= 2 ? 2 : 1) {
      service.change { $0.time += 100_000_000 }
      try await settle(rounds: 3)
    }
    try await checkEnd()
  }

  /// The clients that did not receive all events of the stream yet.
  private var hinted: [Client] {
    let last = service.current.version
    return service.tier >= 5 ? clients.filter { $0.lastEvent != last } : []
  }

  /// Has a client receive the last event, and synchronise.
  private func follow(_ client: Client) async {
    client.lastEvent = service.current.version
    await sync(client)
  }

  /// T5: a change of one client arrives at all others by hints only, and these cause no hints without end.
  private func checkHints() async throws {
    let version = service.current.version
    // A creation may be rejected for a poisoned value.
    for _ in 0..<10 where service.current.version == version {
      count += 1
      await create(clients[0], Sticker())
      await sync(clients[0])
    }
    if service.current.version == version { problems.insert("T5: no change arrived at the server") }
    for _ in 0..<10 {
      if hinted.isEmpty { return try await checkFreshness() }
      for client in hinted { await follow(client) }
    }
    problems.insert("T5: synchronised clients cause hints without end")
  }

  private func settle(rounds: Int) async throws {
    for _ in 0..<rounds {
      service.change { $0.time += 400_000 }
      for client in clients {
        for entry in try await client.store.failures() { try await client.store.retry(entry) }
        await sync(client)
      }
    }
  }

  private func sync(_ client: Client) async {
    _ = await running(client) { try await $0.sync() }
    await checkOwnWrites(client)
  }

  private func restore(_ backup: SimulatedService.Database) async throws {
    // Only what no server had acknowledged must come through.
    var pending: Set<Written> = []
    for client in clients {
      let entries = try await client.store.handle.outbox().entries
      for row in try await rows(of: client) {
        guard let entry = entries.first(where: { row.name == "\($0.type)/\($0.identifier)" }) else { continue }
        for key in ["a", "b", "c"] where (row.values[key] ?? .null) != (entry.base?[key] ?? .null) {
          pending.insert(Written(client: client.number, title: row.title, key: key))
        }
      }
    }
    service.restore(backup)
    written = written.filter { pending.contains($0.key) }
    deleted = []
  }

  private func revokeOrGrant(_ client: Client) {
    service.change { state in
      if state.hidden[client.number]?.isEmpty == false, random.below(2) == 0 {
        state.hidden[client.number] = [:]
        return
      }
      let all = state.database.rows.sorted { $0.key < $1.key }.flatMap { path, rows in
        rows.map { ("\(path)/\($0.identifier)", $0.title) }
      }
      guard !all.isEmpty else { return }
      let (name, title) = all[random.below(all.count)]
      state.hidden[client.number, default: [:]][name] = random.below(2) == 0
      revoked.insert(title)
    }
  }

  // MARK: Local writes

  private func edit(_ client: Client) async {
    count += 1
    switch random.below(13) {
    case 0: await create(client, Sticker())
    case 1: await create(client, Writer())
    case 2, 3: await create(client, Volume())
    case 4: await delete(client, Volume.self)
    case 5: await delete(client, Writer.self)
    case 6: await delete(client, Sticker.self)
    case 7: await change(client, Writer.self)
    case 8: await change(client, Sticker.self)
    case 9: await undoDeletion(client)
    default: await change(client, Volume.self)
    }
  }

  private func create<M: SimulatedModel>(_ client: Client, _ model: M) async {
    let title = "\(M.typeName) \(client.number)-\(count)"
    let value = count
    model.title.value = title
    model.a.value = value
    if random.below(20) == 0 { model.note.value = "poison" }
    (model as? Sticker)?.id.value = "s\(random.next())"
    let isKept = await running(client) { store in
      if let volume = model as? Volume {
        let writers = try await store.list(Writer.self, sort: [.ascending(\.title)])
        if !writers.isEmpty, random.below(2) == 0 {
          volume.writer.value = writers[random.below(writers.count)]
        } else if random.below(2) == 0 {
          let writer = Writer()
          writer.title.value = "Writer of \(title)"
          if random.below(10) == 0 { writer.note.value = "poison" }
          volume.writer.value = writer
        }
      }
      try await store.save(model, including: .related)
    }
    await note(client, M.self, title, "a", value, isKept)
  }

  private func change<M: SimulatedModel>(_ client: Client, _ type: M.Type) async {
    let (value, key) = (count, ["a", "b", "c"][random.below(3)])
    var title = ""
    let isKept = await running(client) { store in
      let models = try await store.list(type).sorted { ($0.title.value ?? "") < ($1.title.value ?? "") }
      guard !models.isEmpty else { return }
      let model = models[random.below(models.count)]
      title = model.title.value ?? ""
      switch key {
      case "a": model.a.value = value
      case "b": model.b.value = value
      default: model.c.value = value
      }
      if random.below(4) == 0 { model.isMarked.value = model.isMarked.value != true }
      if random.below(4) == 0 { model.grade.value = Grade.allCases[random.below(3)] }
      if random.below(4) == 0 { model.label.value = ["new", "old"][random.below(2)] }
      if random.below(30) == 0 { model.note.value = "poison" }
      if let volume = model as? Volume, random.below(6) == 0 {
        let writers = try await store.list(Writer.self, sort: [.ascending(\.title)])
        volume.writer.value = writers.isEmpty ? nil : writers[random.below(writers.count)]
      }
      try await store.save(model)
    }
    await note(client, type, title, key, value, isKept)
  }

  private func note<M: SimulatedModel>(
    _ client: Client, _ type: M.Type, _ title: String, _ key: String, _ value: Int, _ isKept: Bool
  ) async {
    if title.isEmpty { return }
    authors["\(title).\(key)", default: []].insert(client.number)
    // The process was killed before or after the commit. Only the disk shows which.
    if !isKept {
      let models = (try? await MemoryModelStore(client.disk).list(type)) ?? []
      guard models.contains(where: { $0.title.value == title && $0.dictionaryValue[key] == .int(value) }) else {
        return
      }
    }
    written[Written(client: client.number, title: title, key: key)] = .int(value)
  }

  private func delete<M: SimulatedModel>(_ client: Client, _ type: M.Type) async {
    var title = ""
    _ = await running(client) { store in
      let models = try await store.list(type).sorted { ($0.title.value ?? "") < ($1.title.value ?? "") }
      guard !models.isEmpty else { return }
      let model = models[random.below(models.count)]
      title = model.title.value ?? ""
      if let identifier = model.identifier {
        if identifier.hasPrefix("-") { deletedUnanswered.insert(title) }
        let entry = try await StoredLane(M.typeName, identifier, in: store.handle.local).lane.entry
        if let entry, entry.isCreatedAgain, entry.flight?.isCreation == true { deletedAgain.insert(title) }
      }
      try await store.delete(model)
      client.deleted.append(model)
    }
    if title.isEmpty { return }
    deletions.insert(Written(client: client.number, title: title, key: ""))
    let titles = ((try? await MemoryModelStore(client.disk).list(type)) ?? []).map { $0.title.value ?? "" }
    if !titles.contains(title) { deleted.insert(Written(client: client.number, title: title, key: "")) }
  }

  /// Returns the clients that wrote a member of a record. One that has not learned that the record was created again
  /// writes it under its earlier title.
  func authors(of title: String, _ key: String) -> Set<Int> {
    (authors["\(title).\(key)"] ?? []).union(formerTitles[title].map { authors(of: $0, key) } ?? [])
  }

  private func undoDeletion(_ client: Client) async {
    if client.deleted.isEmpty { return }
    let model = client.deleted.remove(at: random.below(client.deleted.count))
    await createAgain(model, client)
  }

  /// Creates a deleted record again if its deletion was sent. It gets another title, since the promises are about
  /// titles.
  private func createAgain<M: SimulatedModel>(_ model: M, _ client: Client) async {
    // A server with deletion marks rejects an identifier of a client that is used again.
    guard let identifier = model.identifier, service.tier < 3 || !(model is Sticker) else { return }
    let (title, value) = ("\(M.typeName) \(client.number)-\(count)", count)
    var isSent = false
    let isKept = await running(client) { store in
      let lane = try await StoredLane(M.typeName, identifier, in: store.handle.local)
      guard lane.isUnknown, !model.isPersisted else { return }
      isSent = true
      formerTitles[title] = model.title.value
      (model.title.value, model.a.value) = (title, value)
      if let volume = model as? Volume, volume.writer.value?.isPersisted == false { volume.writer.value = nil }
      try await store.create(model)
    }
    if isSent { await note(client, M.self, title, "a", value, isKept) }
  }
}

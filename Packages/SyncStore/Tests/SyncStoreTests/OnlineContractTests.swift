@_spi(ModelKitInternals) import FieldKit
import MemoryStore
@_spi(ModelKitInternals) import ModelCore
import StoreEngine
import StoreProtocol
import StoreProtocolTesting
import Testing

@testable import SyncStore

/// An engine in memory that is synchronised with a server in memory.
private struct OnlineEngine: Sendable {
  /// The classes of the models that an exchange synchronises.
  let types = Lock(ModelStoreContract.modelTypes)
  let server = MemoryModelStore().handle
  let handle: SyncEngine<KillableEngine>

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - replacesIdentifiers: whether the server assigns the integers of new records.
  ///   - exchangesAtOnce: whether each commit is followed by an exchange of another store instance, before the writer
  ///     learns of its commit.
  init(replacesIdentifiers: Bool, exchangesAtOnce: Bool) {
    let (made, count) = (Lock<SyncEngine<KillableEngine>?>(nil), Lock(0))
    let engine = KillableEngine(
      MemoryModelStore().handle, didRead: { await Task.yield() },
      didCommit: { [types, server] in
        guard exchangesAtOnce, let handle = made.withLock({ $0 }), !handle.isExchanging.withLock({ $0 }) else { return }
        // A task of its own, as the writer may be cancelled.
        let number = count.withLock { count in
          count += 1
          return count
        }
        // Reading all types takes most of the time.
        await Task { await Self.exchange(handle, server, types.withLock { $0 }, pulls: number % 8 == 1) }.value
      }, shouldDie: { false })
    let options = replacesIdentifiers ? SyncOptions() : SyncOptions(isTemporary: { _, _ in false })
    handle = SyncEngine(engine, options: options)
    made.withLock { [handle] in $0 = handle }
  }

  private static func exchange(
    _ handle: SyncEngine<KillableEngine>, _ server: MemoryEngine, _ types: [any Model.Type], pulls: Bool
  ) async {
    let store = SyncModelStore(handle, remote: MemoryModelStore(server), types: types)
    do {
      _ = try await store.sync { _ in pulls }
    } catch {
      Issue.record(error)
    }
  }

  /// Returns another store instance.
  func instance() -> SyncModelStore<KillableEngine> { SyncModelStore(handle, remote: MemoryModelStore(server)) }

  /// Synchronises, and checks that both sides have equal records then.
  func checkEquality() async throws {
    let store = SyncModelStore(handle, remote: MemoryModelStore(server), types: types.withLock { $0 })
    var reports: [String] = []
    for _ in 1...3 {
      let report = try await store.sync()
      // Records of a class that only the check knows wait, and so do those that reference them.
      if report.failures.contains(where: { $0.error.code == .unsupported }) { return }
      reports.append("\(report) \(report.failures.map { "\($0.type) \($0.identifier ?? ""): \($0.error)" })")
    }
    let names = store.types.map(\.name)
    let waiting = try await store.outbox().filter { names.contains($0.type) }
    #expect(waiting.map(\.description) == [], "\(reports)")
    let remote = MemoryModelStore(server)
    for name in names {
      var (local, other): ([ExactText: JSONValue], [ExactText: JSONValue]) = ([:], [:])
      _ = try await handle.local.readRecords(of: name) { records in
        for record in records { local[ExactText(record.identifier)] = try JSONValue(json: record.bytes) }
      }
      _ = try await remote.readRecords(of: name) { records in
        for record in records { other[ExactText(record.identifier)] = try JSONValue(json: record.bytes) }
      }
      for identifier in Set(local.keys).union(other.keys) {
        #expect(
          RecordMerge.areEqual(local[identifier]?.objectValue, other[identifier]?.objectValue),
          "\(name) \(identifier.text): \(local[identifier] ?? nil) here, \(other[identifier] ?? nil) there")
      }
    }
  }
}

/// The checks that hold beside exchanges. The others are listed with the reason.
private enum OnlineChecks {
  /// A reference to a record that is nowhere is removed when its record is sent: a server may reject it.
  private static let danglingReferences: Set = [
    "a reference to a missing model stays unloaded in a list that includes it",
    "a link to a missing model is broken although the identifier of another one differs only in an accent",
    "links to missing models are found by a check",
    "an import creates no records of models of which an entry has only the identifier",
  ]
  /// Both sides of a relation store its links. An answer about one record has the link that the other one has, too.
  private static let linksOfBothSides: Set = [
    "save of a referenced model without a record writes its lists",
    "a list of which only a part is known is not written over another one",
    "random changes of relations, saved in any order, are stored as the models have them",
  ]
  /// They compare identifiers, or the order of creation, from before the server assigned other identifiers.
  private static let replacedIdentifiers: Set = [
    "lookup finds every value that was created",
    "a deleted model keeps its identifier and its values, and is not persisted",
    "another model can take the identifier of one that is deleted in a transaction",
    "save including related writes two new models that refer to each other",
    "random searches find what plain Swift finds",
    "a transaction may delete a model after the models of its cascade",
    "a model that was read from a document is clean after a model that it references is deleted",
  ]

  /// Random histories are tried with more effort only: with an exchange after each commit they take minutes.
  static let withClientIdentifiers = ModelStoreContract.checks.filter { check in
    !danglingReferences.contains(check.name) && !linksOfBothSides.contains(check.name)
      && (TestEffort.factor > 1 || !check.name.contains("andom") && !check.name.contains("histories"))
  }
  /// An exchange that begins between their creation and their deletion stores models that deny each other's deletion. The
  /// server then refuses each deletion by itself.
  static let inBackground = withClientIdentifiers.filter {
    $0.name != "deleteAll deletes models that deny each other's deletion, in any order"
  }
  static let withReplacedIdentifiers = withClientIdentifiers.filter { !replacedIdentifiers.contains($0.name) }
}

@MainActor
@Suite struct `A synchronised store online` {
  @Test(arguments: OnlineChecks.inBackground)
  func `A store keeps the contract while it is synchronised in the background`(
    check: ModelStoreContract.Check
  ) async throws {
    let engine = OnlineEngine(replacesIdentifiers: false, exchangesAtOnce: false)
    let store = engine.instance()
    let task = Task { await store.keepSynchronized() }
    try await check.run { store }
    task.cancel()
    await task.value
    engine.types.withLock { [types = store.types.map(\.modelClass)] in $0 += types }
    try await engine.checkEquality()
  }

  @Test(arguments: OnlineChecks.withClientIdentifiers)
  func `A store keeps the contract while another instance synchronises after each commit`(
    check: ModelStoreContract.Check
  ) async throws { try await exchangeAfterEachCommit(check, replacesIdentifiers: false) }

  @Test(arguments: OnlineChecks.withReplacedIdentifiers)
  func `A store keeps the contract while a server replaces identifiers after each commit`(
    check: ModelStoreContract.Check
  ) async throws { try await exchangeAfterEachCommit(check, replacesIdentifiers: true) }

  private func exchangeAfterEachCommit(_ check: ModelStoreContract.Check, replacesIdentifiers: Bool) async throws {
    let engine = OnlineEngine(replacesIdentifiers: replacesIdentifiers, exchangesAtOnce: true)
    let store = engine.instance()
    try await check.run { store }
    engine.types.withLock { [types = store.types.map(\.modelClass)] in $0 += types }
    try await engine.checkEquality()
  }

  @Test(arguments: ModelStoreContract.sharedEngineChecks + ModelStoreContract.liveChecks)
  func `Store instances share records and live results while another one synchronises after each commit`(
    check: ModelStoreContract.SharedEngineCheck
  ) async throws {
    let engine = OnlineEngine(replacesIdentifiers: false, exchangesAtOnce: true)
    try await check.run { engine.instance() }
    try await engine.checkEquality()
  }
}

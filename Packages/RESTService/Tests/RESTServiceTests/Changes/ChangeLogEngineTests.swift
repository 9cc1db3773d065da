import Foundation
import MemoryStore
import RESTService
import StoreEngine
import StoreProtocolTesting
import Synchronization
import Testing

/// An engine whose positions may not have the order of the commits.
private final class OverlappingEngine: RecordEngine {
  let base = MemoryModelStore().handle
  /// The number of commits in progress, and the greatest one so far.
  let commits = Mutex((now: 0, most: 0))
  /// Called once before the next commit, as another process may commit then.
  let intrusion = Mutex<(@Sendable (MemoryEngine) throws -> Void)?>(nil)

  /// The number of records that were read together.
  let readCount = Atomic(0)
  /// The number of novels that were read by themselves.
  let lookupCount = Atomic(0)

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { base.conflictTrackers }
  func snapshot(pinned: Bool) async throws -> OverlappingSnapshot {
    OverlappingSnapshot(engine: self, base: base.snapshot(pinned: pinned))
  }
  func nextInteger(for type: String) async throws -> Int? { base.nextInteger(for: type) }

  func commit(_ batch: RecordBatch) async throws {
    commits.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
    defer { commits.withLock { $0.now -= 1 } }
    await Task.yield()
    let intrusion = intrusion.withLock { intrusion in
      defer { intrusion = nil }
      return intrusion
    }
    try intrusion?(base)
    try base.commit(batch)
  }
}

/// A snapshot that does not know the position of its last record.
private struct OverlappingSnapshot: RecordSnapshot {
  let engine: OverlappingEngine
  let base: any RecordSnapshot

  func record(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    if type == "Novel" { engine.lookupCount.add(1, ordering: .relaxed) }
    return try await base.record(type, identifier)
  }

  func records(_ type: String, identifiers: [String]) async throws -> RecordPart {
    try await base.records(type, identifiers: identifiers)
  }

  func records(_ type: String, after order: UInt64, atMost limit: Int) async throws -> RecordPart {
    let part = try await base.records(type, after: order, atMost: limit)
    engine.readCount.add(part.records.count, ordering: .relaxed)
    return part
  }

  func count(_ type: String) async throws -> Int { try await base.count(type) }
}

/// A service over an engine whose positions may not have the order of the commits.
private struct OverlappingLibrary: ServedLibrary {
  let engine = ChangeLogEngine(OverlappingEngine())
  let service: RESTService
  var store: OverlappingStore { OverlappingStore(engine) }

  init() { service = RESTService(engine, serving: [Owner.self, Novel.self]) }
}

private final class OverlappingStore: RecordStore<ChangeLogEngine<OverlappingEngine>>, TransactionalModelStore {}

@Suite(.timeLimit(.minutes(30))) struct `An engine with a change log` {
  @Test(arguments: ModelStoreContract.checks)
  func `A store over a change log keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await check.run { LoggedStore(ChangeLogEngine(MemoryModelStore().handle)) }
  }

  @Test(arguments: ModelStoreContract.sharedEngineChecks + ModelStoreContract.liveChecks)
  func `Store instances over one change log share records and live results`(
    check: ModelStoreContract.SharedEngineCheck
  ) async throws {
    let engine = ChangeLogEngine(MemoryModelStore().handle)
    try await check.run { LoggedStore(engine) }
  }

  @Test func `Commits do not overlap if positions of the engine don't have their order`() async throws {
    let base = OverlappingEngine()
    let engine = ChangeLogEngine(base)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          let store = OverlappingStore(engine)
          for number in 0..<10 {
            let novel = Novel()
            novel.title = "\(writer)-\(number)"
            try await store.create(novel)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(base.commits.withLock { $0.most } == 1)
    #expect(try await OverlappingStore(engine).count(Novel.self) == 80)
  }

  @Test func `The current position is found without reading the log`() async throws {
    let library = OverlappingLibrary()
    func position() async throws -> String? {
      try await library.request("GET", "/novels?updated_since=").json?["position"]?.stringValue
    }
    for number in 0..<20 { try await library.add("\(number)") }
    let before = library.engine.local.readCount.load(ordering: .relaxed)
    let first = try #require(try await position())
    #expect(library.engine.local.readCount.load(ordering: .relaxed) == before)
    try await library.add("last")
    let answer = try await library.request("GET", "/novels?updated_since=\(first)")
    #expect(Changes(json: try #require(answer.json)).titles == ["last"])
    #expect(try await position() == answer.json?["position"]?.stringValue)
  }

  @Test func `The changed records of a request are read together`() async throws {
    let library = OverlappingLibrary()
    let store = library.store
    let first = try #require(
      try await library.request("GET", "/novels?updated_since=").json?["position"]?.stringValue)
    for number in 0..<5 { try await library.add("\(number)") }
    try await store.delete(try await store.lookup(Novel.self, identifier: "2"))
    let before = library.engine.local.lookupCount.load(ordering: .relaxed)
    let answer = try await library.request("GET", "/novels?updated_since=\(first)")
    #expect(Changes(json: try #require(answer.json)).titles == ["0", "2", "3", "4"])
    #expect(library.engine.local.lookupCount.load(ordering: .relaxed) == before)
  }

  @Test func `A cancelled commit that waits for another one ends at once, and writes nothing`() async throws {
    let base = BlockedEngine()
    let engine = ChangeLogEngine(base)
    @Sendable func create(_ identifier: Int) async throws {
      let bytes = Array(#"{"id":\#(identifier),"title":"Emma"}"#.utf8)
      try await engine.commit(RecordBatch([.create("Novel", "\(identifier)", bytes)]))
    }
    let first = Task { try await create(1) }
    await base.waitForArrivals(1)
    let second = Task { try await create(2) }
    let unblocking = Task {
      try? await Task.sleep(for: .seconds(5))
      base.unblock()
    }
    second.cancel()
    let error = await #expect(throws: ModelStoreError.self) { try await second.value }
    #expect(error?.code == .cancelled)
    unblocking.cancel()
    try await first.value
    #expect(try await MemoryModelStore(base.base).list(Novel.self).map(\.id) == [1])
  }

  @Test func `Commits that lose against those of other processes are repeated after growing times`() async throws {
    let base = OverlappingEngine()
    let store = OverlappingStore(ChangeLogEngine(base))
    let novel = Novel()
    try await store.create(novel)
    let left = Atomic(8)
    @Sendable func intrude(_ engine: MemoryEngine) throws {
      let head = "RESTServiceChangeHead"
      try engine.commit(RecordBatch([.update(head, head, Array("{}".utf8))]))
      if left.subtract(1, ordering: .relaxed).newValue > 0 { base.intrusion.withLock { $0 = intrude } }
    }
    base.intrusion.withLock { $0 = intrude }
    let start = ContinuousClock.now
    novel.title = "b"
    try await store.save(novel)
    #expect(left.load(ordering: .relaxed) == 0)
    // Half of 1, 2, 4, … 128 ms.
    #expect(ContinuousClock.now - start > .milliseconds(127))
  }

  @Test func `A commit is repeated after one of another process`() async throws {
    let base = OverlappingEngine()
    let store = OverlappingStore(ChangeLogEngine(base))
    let novel = Novel()
    novel.title = "a"
    try await store.create(novel)
    base.intrusion.withLock { intrusion in
      intrusion = { base in
        let head = "RESTServiceChangeHead"
        try base.commit(RecordBatch([.update(head, head, Array("{}".utf8))]))
      }
    }
    novel.title = "b"
    try await store.save(novel)
    #expect(try await OverlappingStore(store.handle).lookup(Novel.self, identifier: "1").title == "b")
  }
}

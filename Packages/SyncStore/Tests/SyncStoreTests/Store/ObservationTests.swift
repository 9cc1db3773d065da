@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import SyncStore
import Testing

private final class Note: Model {
  @Field var id: Int?
  @Field var text: String?
  override var identifierField: AnyField? { $id }
}

@Suite struct `The observation of a synchronised store` {
  let shelf = Shelf()
  private let server = RESTFixture()
  private let list = HTTPResponseData(status: 200, body: Data("[]".utf8))

  private func client(_ monitor: EventLog? = nil) -> MemorySyncStore {
    SyncModelStore(
      local: MemoryModelStore(), remote: server.store(), types: [Tag.self], options: SyncOptions(monitor: monitor))
  }

  // MARK: States

  @Test func `The states of a model arrive as it is edited, sent, rejected and corrected`() async throws {
    let (store, tag) = (client(), Tag.labeled("a", "A"))
    try await store.save(tag)
    var states = store.syncStates(of: tag).makeAsyncIterator()
    #expect(try await states.next() == .pending)
    // The request of the first exchange has no answer, and its effect can't be read.
    server.plan(list, HTTPResponseData(status: 500))
    try await store.sync()
    #expect(try await states.next() == .uploading)
    try await store.sync()
    #expect(try await states.next() == .synced)
    tag.label.value = "poison"
    try await store.save(tag)
    #expect(try await states.next() == .pending)
    try await store.sync()
    guard case .parked(let error) = try await states.next() else { return #expect(Bool(false), "It is not parked.") }
    #expect(error.contains("is poison"))
    tag.label.value = "B"
    try await store.save(tag)
    #expect(try await states.next() == .pending)
  }

  @MainActor @Test func `A waiting iteration gets the state after the local records were removed`() async throws {
    let (store, tag) = (client(), Tag.labeled("a", "A"))
    try await store.save(tag)
    var seen: [SyncState] = []
    let watching = Task { for try await state in store.syncStates(of: tag) { seen.append(state) } }
    for _ in 0..<1_000 where seen.isEmpty { await Task.yield() }
    try await store.removeLocalRecords(discardUnsynced: true)
    for _ in 0..<1_000 where seen.count < 2 { await Task.yield() }
    #expect(seen == [.pending, .synced])
    watching.cancel()
    try await watching.value
  }

  @Test func `A waiting iteration gets a state that another task causes, and ends with its task`() async throws {
    let store = SharedStore(client())
    let states = AsyncStream.makeStream(of: SyncState.self)
    let watching = Task { try await store.watch { states.continuation.yield($0) } }
    var seen = states.stream.makeAsyncIterator()
    #expect(await seen.next() == .pending)
    try await store.sync()
    #expect(await seen.next() == .synced)
    watching.cancel()
    try await watching.value
  }

  @Test func `A record that waits for a decision is conflicted`() async throws {
    let (theirs, mine) = (shelf.client(), shelf.client())
    try await theirs.save(Tag.labeled("a", "Old"))
    try await theirs.sync()
    try await mine.sync()
    let (first, second) = (
      try await theirs.lookup(Tag.self, identifier: "a"), try await mine.lookup(Tag.self, identifier: "a")
    )
    first.label.value = "Theirs"
    try await theirs.save(first)
    try await theirs.sync()
    second.label.value = "Mine"
    try await mine.save(second)
    mine.resolve(Tag.self) { _ in .wait }
    try await mine.sync()
    guard case .conflicted(let conflict) = try await mine.syncState(of: second) else {
      return #expect(Bool(false), "It is not conflicted.")
    }
    #expect(conflict.keys == ["label"])
    #expect(conflict.merged(keepingLocal: ["label"])["label"] == "Mine")
    #expect(conflict.merged(keepingLocal: [])["label"] == "Theirs")
  }

  @Test func `A merge of a conflict by field keeps the values that only one side changed`() {
    let conflict = SyncConflict(
      "Book", "1", base: ["a": 1, "b": 1, "c": 1, "d": 1], local: ["a": 2, "b": 2, "c": 2, "d": 1],
      remote: ["a": 3, "b": 3, "c": 1, "d": 3], keys: ["a", "b"])
    #expect(conflict.merged(keepingLocal: ["a"]) == ["a": 2, "b": 3, "c": 2, "d": 3])
  }

  // MARK: Live queries

  @Test func `A live query follows a pull`() async throws {
    let store = shelf.client()
    var results = store.observe(Tag.self, where: { $0.label != "Hidden" }).makeAsyncIterator()
    #expect(await results.next()?.count == 0)
    try await shelf.store.createAll([Tag.labeled("a", "A"), Tag.labeled("b", "Hidden")])
    try await store.sync()
    #expect(await results.next()?.map(\.id.value) == ["a"])
    try await shelf.store.delete(try await shelf.store.lookup(Tag.self, identifier: "a"))
    try await store.sync()
    #expect(await results.next()?.count == 0)
  }

  @Test(arguments: [10_000, 1])
  func `A consumer of changes follows a record whose identifier the server replaced`(buffer: Int) async throws {
    let store = SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore(), types: [Note.self])
    let other = SyncModelStore(store.handle)
    let note = try await other.create(Note())
    var batches = other.changes(of: Note.self, buffer: buffer).makeAsyncIterator()
    try await store.sync()
    let same = try #require(try await store.list(Note.self).first)
    for text in ["a", "b", "c"] {
      same.text = text
      try await store.save(same)
    }
    _ = await batches.next()
    #expect(note.id == 1 && note.text == "c" && !note.isDirty)
    #expect(Note.with(identifier: "1", in: other.scope) === note)
    note.text = "d"
    try await other.save(note)
    #expect(try await SyncModelStore(store.handle).list(Note.self).map(\.text) == ["d"])
  }

  // MARK: Events

  @Test func `A monitor receives the names and keys of events, and no values`() async throws {
    let log = EventLog()
    let (store, other) = (client(log), client())
    try await store.save(Tag.labeled("a", "secret-1"))
    try await store.save(Tag.labeled("b", "poison"))
    try await store.sync()
    #expect(
      log.take() == [
        .began, .pulled(type: "Tag", changes: 0), .sent(type: "Tag", identifier: "a", kind: .creation),
        .parked(type: "Tag", identifier: "b", keys: ["label"]), .ended(waiting: 1),
      ])
    try await other.sync()
    for (client, label) in [(other, "secret-2"), (store, "secret-3")] {
      let tag = try await client.lookup(Tag.self, identifier: "a")
      tag.label.value = label
      try await client.save(tag)
    }
    try await other.sync()
    store.resolve(Tag.self) { _ in .wait }
    try await store.sync()
    #expect(log.take().contains(.conflicted(type: "Tag", identifier: "a", keys: ["label"])))
    try await store.resolve(try #require(try await store.conflicts().first), with: .local)
    try await store.sync()
    #expect(log.take().contains(.sent(type: "Tag", identifier: "a", kind: .update)))
    server.isDown = true
    await #expect(throws: ModelStoreError.self) { try await store.sync() }
    #expect(log.take().last == .failed(code: "offline"))
    #expect(log.all.contains("conflict of Tag a: label") && !log.all.contains("secret"))
  }
}

/// A monitor that keeps the events.
final class EventLog: SyncMonitor {
  private let state = Lock((new: [SyncEvent](), all: ""))

  /// All events so far, one on each line.
  var all: String { state.withLock { $0.all } }

  func record(_ event: SyncEvent) {
    state.withLock { state in
      state.new.append(event)
      state.all += "\(event)\n"
    }
  }

  /// Returns the events since the last call.
  func take() -> [SyncEvent] {
    state.withLock { state in
      defer { state.new = [] }
      return state.new
    }
  }
}

/// A store with one tag, in an isolation of its own.
private actor SharedStore {
  private let store: MemorySyncStore
  private let tag = Tag.labeled("a", "A")

  init(_ store: sending MemorySyncStore) { self.store = store }

  func watch(_ body: (SyncState) -> Void) async throws {
    try await store.save(tag)
    for try await state in store.syncStates(of: tag) { body(state) }
  }

  func sync() async throws { try await store.sync() }
}

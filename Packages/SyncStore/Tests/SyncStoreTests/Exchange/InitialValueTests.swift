import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import SyncStore
import Testing

/// A model whose fields have initial values.
private final class Task: Model {
  enum Priority: String, CaseIterable { case low, normal, high }

  @Field var id: String?
  @Required var title = "Untitled"
  @Required var count = 1
  @Required var isDone = false
  @Required var priority = Priority.normal
  @Field var note: String? = "None"
  override var identifierField: AnyField? { $id }
}

@Suite struct `Fields with initial values in a synchronised store` {
  let server = RESTFixture()

  private func client() -> MemorySyncStore {
    SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: [Task.self])
  }

  private func answer(_ json: String, status: Int = 200) -> HTTPResponseData {
    HTTPResponseData(status: status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
  }

  /// A client with a task that was sent, all of whose values differ from the initial ones.
  private func withTask() async throws -> (store: MemorySyncStore, task: Task) {
    let (store, task) = (client(), Task())
    (task.id, task.title, task.count, task.isDone) = ("a", "Read", 7, true)
    (task.priority, task.note) = (.high, "Soon")
    try await store.save(task)
    try await store.sync()
    return (store, task)
  }

  private func values(_ task: Task) -> [JSONValue] {
    [
      .string(task.title), .int(task.count), .bool(task.isDone), .string(task.priority.rawValue),
      task.note.map { .string($0) } ?? .null,
    ]
  }

  @Test func `The initial values of a new record are sent`() async throws {
    let (store, task) = (client(), Task())
    task.id = "a"
    try await store.save(task)
    try await store.sync()
    let theirs = try await server.store().lookup(Task.self, identifier: "a")
    #expect(values(theirs) == ["Untitled", 1, false, "normal", "None"])
    #expect(!task.isDirty)
  }

  @Test func `A list that lacks values changes none of them`() async throws {
    let (store, task) = try await withTask()
    server.plan(answer(#"[{"id": "a", "title": "Write"}]"#))
    try await store.sync()
    #expect(values(task) == ["Write", 7, true, "high", "Soon"])
    #expect(try await store.discardedValues().isEmpty)
  }

  @Test func `A list that lacks values conflicts with no local change`() async throws {
    let (store, task) = try await withTask()
    (task.count, task.isDone) = (8, false)
    try await store.save(task)
    server.plan(answer(#"[{"id": "a", "title": "Read"}]"#), answer(#"{"id": "a", "title": "Read"}"#))
    try await store.sync()
    #expect(values(task) == ["Read", 8, false, "high", "Soon"])
    #expect(try await store.discardedValues().isEmpty)
    #expect(try await store.outbox().isEmpty)
    let theirs = try await server.store().lookup(Task.self, identifier: "a")
    #expect(values(theirs) == ["Read", 8, false, "high", "Soon"])
  }

  @Test func `The answer to a creation that lacks values changes none of them`() async throws {
    let (store, task) = (client(), Task())
    (task.id, task.count, task.isDone) = ("a", 7, true)
    try await store.save(task)
    server.plan(answer("[]"), answer(#"{"id": "a"}"#, status: 201))
    try await store.sync()
    #expect(values(task) == ["Untitled", 7, true, "normal", "None"])
    #expect(!task.isDirty)
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `A change back to the initial value is sent, and wins`() async throws {
    let (store, task) = try await withTask()
    (task.count, task.isDone, task.priority) = (1, false, .normal)
    try await store.save(task)
    try await store.sync()
    let theirs = try await server.store().lookup(Task.self, identifier: "a")
    #expect(values(theirs) == ["Read", 1, false, "normal", "Soon"])
    #expect(try await store.outbox().isEmpty)
    #expect(try await store.discardedValues().isEmpty)
  }

  @Test func `A value of the server that equals the initial one arrives`() async throws {
    let (store, task) = try await withTask()
    let theirs = try await server.store().lookup(Task.self, identifier: "a")
    (theirs.count, theirs.isDone, theirs.priority) = (1, false, .normal)
    try await server.store().update(
      theirs, fields: [theirs.$count, theirs.$isDone, theirs.$priority], onConflict: .overwrite)
    try await store.sync()
    #expect(values(task) == ["Read", 1, false, "normal", "Soon"])
  }
}

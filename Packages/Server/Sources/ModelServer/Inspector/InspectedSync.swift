import Foundation
@_spi(ModelKitInternals) import ModelCore
public import StoreEngine
import StoreProtocol
public import SyncStore

/// A synchronised store whose state, outbox and conflicts an ``Inspector`` shows. A user can retry or discard an entry,
/// and resolve a conflict.
///
/// ```swift
/// let sync = InspectedSync(
///   SyncModelStore(engine, remote: remote, types: [Book.self]))
/// let inspector = Inspector(serving: [Book.self]).showing(sync)
/// let synchronization = Task { await sync.run() }
/// ```
///
/// A conflict waits for a user only if the store has a resolver that returns `.wait`.
public actor InspectedSync<Local: RecordEngine>: SyncInspecting {
  private let store: SyncModelStore<Local>

  /// Creates the inspected form of a store instance, which then belongs to this actor.
  public init(_ store: sending SyncModelStore<Local>) { self.store = store }

  /// Synchronises in the background until the task is cancelled.
  ///
  /// - Parameter interval: the time after which a type is pulled again.
  public func run(every interval: Duration = .seconds(300)) async { await store.keepSynchronized(every: interval) }

  /// Returns the status, the entries, and the conflicts that wait.
  func state(hiding isHidden: @Sendable (_ key: String, _ type: String) -> Bool) async throws -> AttributeDictionary {
    let entries = try await store.outbox()
    let conflicts = Dictionary(
      try await store.conflicts().map { (ExactText("\($0.type)/\($0.identifier)"), $0) },
      uniquingKeysWith: { first, _ in first })
    return [
      "status": Self.json(store.status.value),
      "discarded": .int(try await store.discardedValues().count),
      "entries": .array(
        entries.map { entry in
          Self.json(entry, conflicts[ExactText("\(entry.type)/\(entry.identifier)")]) { isHidden($0, entry.type) }
        }),
    ]
  }

  func perform(_ action: SyncAction) async throws {
    let find = { (type: String, identifier: String) in
      guard
        let entry = try await self.store.outbox().first(where: {
          $0.type == type && ExactText($0.identifier) == ExactText(identifier)
        })
      else { throw ServerProblem(404, "This record has no changes that wait. It was sent or discarded meanwhile.") }
      return entry
    }
    switch action {
    case .synchronize:
      // The status has the failure.
      _ = try? await store.sync()
    case .retry(let type, let identifier):
      try await store.retry(find(type, identifier))
      synchronizeSoon()
    case .discard(let type, let identifier): try await store.discardChanges(find(type, identifier))
    case .resolve(let type, let identifier, let local):
      let conflict = try await store.conflicts().first {
        $0.type == type && ExactText($0.identifier) == ExactText(identifier)
      }
      guard let conflict else { throw ServerProblem(404, "This conflict was resolved meanwhile.") }
      try await store.resolve(conflict, with: Self.resolution(of: conflict, keepingLocal: local))
      synchronizeSoon()
    }
  }

  /// Sends a decided change without making the user wait for the other server.
  private func synchronizeSoon() { Task { _ = try? await store.sync() } }

  private static func resolution(of conflict: SyncConflict, keepingLocal keys: [String]) -> SyncResolution {
    // One version lacks the record: no member can be chosen.
    if conflict.keys.isEmpty { return keys.isEmpty ? .remote : .local }
    return .record(conflict.merged(keepingLocal: keys))
  }

  // MARK: JSON

  private static func json(_ status: SyncStatus) -> JSONValue {
    func text(_ date: Date?) -> JSONValue { date.map { .string($0.formatted(.iso8601)) } ?? .null }
    return switch status {
    case .idle(let since): ["state": "idle", "since": text(since)]
    case .syncing(let done, let total): ["state": "syncing", "done": .int(done), "total": .int(total)]
    case .offline(let since, let retryAt): ["state": "offline", "since": text(since), "retryAt": text(retryAt)]
    case .unauthorized(let since): ["state": "unauthorized", "since": text(since)]
    case .needsAttention(let count): ["state": "needsAttention", "count": .int(count)]
    }
  }

  private static func json(
    _ entry: OutboxEntry, _ conflict: SyncConflict?, hiding isHidden: (String) -> Bool
  ) -> JSONValue {
    let changes = entry.changes.filter { !isHidden($0.key) }
    var object: AttributeDictionary = [
      "type": .string(entry.type), "identifier": .string(entry.identifier), "kind": .string(entry.kind.rawValue),
      "state": .string(entry.state.rawValue), "attempts": .int(entry.attempts),
      "error": entry.error.map { .string($0) } ?? .null, "since": .string(entry.since.formatted(.iso8601)),
      "fields": .object(entry.fields.mapValues { .array($0.map { .string($0) }) }),
      "waitsFor": .array(entry.waitsFor.map { ["type": .string($0.type), "identifier": .string($0.identifier)] }),
      "changes": .array(
        changes.map { change in
          var object: AttributeDictionary = ["key": .string(change.key), "isSensitive": .bool(change.isSensitive)]
          if !change.isSensitive { (object["old"], object["new"]) = (change.old ?? .null, change.new ?? .null) }
          return .object(object)
        }),
    ]
    if let conflict { object["conflict"] = json(conflict, Set(changes.filter { !$0.isSensitive }.map(\.key))) }
    return .object(object)
  }

  /// - Parameter shown: the keys whose values may be shown.
  private static func json(_ conflict: SyncConflict, _ shown: Set<String>) -> JSONValue {
    let values = conflict.keys.map { key in
      var object: AttributeDictionary = ["key": .string(key), "isSensitive": .bool(!shown.contains(key))]
      if shown.contains(key) {
        (object["base"], object["local"]) = (conflict.base?[key] ?? .null, conflict.local?[key] ?? .null)
        object["remote"] = conflict.remote?[key] ?? .null
      }
      return JSONValue.object(object)
    }
    return [
      "isDeletedHere": .bool(conflict.local == nil), "isDeletedThere": .bool(conflict.remote == nil),
      "values": .array(values),
    ]
  }
}

/// An action of a user on a synchronised store.
enum SyncAction: Sendable {
  case synchronize
  case retry(type: String, identifier: String)
  case discard(type: String, identifier: String)
  /// The members whose local values are kept. If one version lacks the record, any member keeps the local one.
  case resolve(type: String, identifier: String, local: [String])

  /// Reads the body of a request; nil for another action, or a body without its members.
  init?(_ name: Substring, _ body: JSONValue?) {
    if name == "now" {
      self = .synchronize
      return
    }
    guard let type = body?["type"]?.stringValue, let identifier = body?["identifier"]?.stringValue else { return nil }
    switch name {
    case "retry": self = .retry(type: type, identifier: identifier)
    case "discard": self = .discard(type: type, identifier: identifier)
    case "resolve":
      guard let keys = body?["local"]?.arrayValue else { return nil }
      self = .resolve(type: type, identifier: identifier, local: keys.compactMap(\.stringValue))
    default: return nil
    }
  }
}

/// A synchronised store over any local engine.
protocol SyncInspecting: Sendable {
  func state(hiding isHidden: @Sendable (_ key: String, _ type: String) -> Bool) async throws -> AttributeDictionary
  func perform(_ action: SyncAction) async throws
}

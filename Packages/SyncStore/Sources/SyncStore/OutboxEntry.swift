import FieldKit
public import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine

/// The state of one dirty record: its changes, the copy in flight, and the reason why it waits.
///
/// A record without entry is clean. The change to push is the difference between the base and the local record. So
/// later edits of a record need no second entry.
///
/// ```swift
/// for entry in try await store.outbox() { print(entry) }
/// // update of Book 7 (rating: 5 → 4), parked: is too low
/// ```
public struct OutboxEntry: Sendable, Hashable {
  /// The state of an entry.
  public enum State: String, Sendable {
    /// It waits to be sent.
    case queued
    /// A request is in progress, or its outcome is unknown.
    case inFlight
    /// It waits for a person: the server rejected it.
    case parked
  }

  /// A request whose bytes and key do not change until its outcome is known.
  struct Flight: Sendable, Hashable {
    /// The idempotency key.
    var key: String
    /// The local record when the request was made; nil for a deletion.
    var record: AttributeDictionary?
    /// The members to send: all of them for a creation, the changed ones for an update, none for a deletion.
    var body: AttributeDictionary
    /// Whether the request creates the record.
    var isCreation: Bool
    /// Whether the answer may be older than the server's record: the record was pulled since the request was made, or
    /// the creation is sent again.
    var isOutdated = false

    /// The kind of the change.
    var kind: SyncEvent.Kind { record == nil ? .deletion : isCreation ? .creation : .update }
  }

  /// A conflict that waits for a decision.
  struct Conflict: Sendable, Hashable {
    /// The server's version of the record; nil if it has none.
    var remote: AttributeDictionary?
  }

  /// The type name of the model.
  public let type: String
  /// The identifier of the record.
  public internal(set) var identifier: String
  /// The record that the server had when this one was last read or pushed; nil if the server has none.
  var base: AttributeDictionary?
  /// The request whose outcome is unknown; nil if there is none.
  var flight: Flight?
  /// Whether the server had the record and has it no more. If it is created again, the server may assign another
  /// identifier.
  var wasDeleted = false
  /// The bodies of abandoned requests with an unknown outcome, which may still arrive.
  var unsettled: [AttributeDictionary] = []
  /// The conflict that waits for a decision; nil if there is none.
  var conflict: Conflict?
  /// The last transactions whose writes are pushed together with this one.
  var groups: [String] = []
  /// The number of commits that changed the record since it was clean.
  var commits = 1
  /// Whether the local record is deleted, as far as the entry was read together with it.
  var isDeletion = false
  /// The bytes of the local record, as far as the entry was read together with it; nil if it is deleted, or can't be
  /// read. They are parsed where the changes are read: an outbox can be long.
  var localBytes: [UInt8]?
  /// The topmost keys of the sensitive values of the local record; nil if its class is unknown.
  var sensitiveKeys: Set<String>?
  /// The records whose entries have to be sent first.
  ///
  /// These are the records that this one references, those that reference a record to delete, and earlier ones of its
  /// transactions. A parked entry among them holds this one.
  public internal(set) var waitsFor: [Record] = []
  /// The number of failed attempts since the last success.
  public internal(set) var attempts = 0
  /// The error of the last attempt; nil if it succeeded, or there was none.
  public internal(set) var error: String?
  /// The server's messages about fields in its last answer, by their keys; empty if it sent none.
  public internal(set) var fields: [String: [String]] = [:]
  /// Whether the entry is parked: it is not sent until a person edits, retries or discards it.
  public internal(set) var isParked = false
  /// The time of the first change.
  public let since: Date

  /// Creates the entry of a record that was clean.
  init(_ type: String, _ identifier: String, base: AttributeDictionary?, since: Date) {
    (self.type, self.identifier, self.base, self.since) = (type, identifier, base, since)
  }

  /// The name of the record for comparisons.
  var name: ExactText { Self.recordName(type, identifier) }

  /// Whether the record is to be created again after a deletion.
  var isCreatedAgain: Bool { wasDeleted && base == nil }

  /// Whether the record is to be created, and nothing was sent yet.
  var isUnsentCreation: Bool {
    base == nil && flight == nil && attempts == 0 && !wasDeleted && !isParked && conflict == nil && unsettled.isEmpty
  }

  /// Whether other records that reference this one have to wait for it: the server does not have it, or a decision may
  /// create it again.
  var isAwaited: Bool { base == nil || conflict.map { $0.remote == nil } ?? false }

  /// The state of the entry.
  public var state: State { isParked ? .parked : flight == nil ? .queued : .inFlight }
}

extension OutboxEntry {
  /// The number of transactions that an entry names. Without a limit, an entry would grow with each transaction that
  /// writes its record.
  static let maximumGroupCount = 100

  /// Returns the entry after another local change; nil if the server never learned of the record and has not to.
  ///
  /// - Parameters:
  ///   - kind: the kind of the change.
  ///   - group: the transaction of the change; nil if it is of no other record.
  func changed(by kind: RecordOperation.Kind, in group: String?) -> OutboxEntry? {
    if kind == .delete, base == nil, flight == nil { return nil }
    var changed = self
    changed.commits += 1
    // The change may be the correction that the entry waits for.
    changed.isParked = false
    if let group { changed.groups = changed.groups.suffix(Self.maximumGroupCount - 1) + [group] }
    return changed
  }

  /// Notes a failed attempt, or that there is none.
  mutating func note(_ error: String?, _ fields: [String: [String]] = [:]) {
    (self.error, self.fields) = (error, fields)
  }

  /// Returns a conflict of the record.
  func conflict(
    base: AttributeDictionary?, local: AttributeDictionary?, remote: AttributeDictionary?, _ keys: [String]
  ) -> SyncConflict {
    SyncConflict(type, identifier, base: base, local: local, remote: remote, keys: keys)
  }

  /// Returns the conflict that waits for a decision; nil if there is none.
  ///
  /// - Parameter local: the local record.
  func conflict(with local: AttributeDictionary?) -> SyncConflict? {
    guard let conflict else { return nil }
    var found: SyncConflict?
    _ = RecordMerge(base: base, local: local, remote: conflict.remote) { keys in
      found = self.conflict(base: base, local: local, remote: conflict.remote, keys)
      return .wait
    }
    return found
  }

  /// The name of the type of the records that hold entries.
  static let recordType = OutboxRecord.typeName

  /// Returns the identifier of the record that holds the entry of a record.
  static func recordIdentifier(_ type: String, _ identifier: String) -> String { "\(type)/\(identifier)" }

  /// Returns the name of a record for comparisons: two identifiers that Swift calls equal are those of two records.
  static func recordName(_ type: String, _ identifier: String) -> ExactText {
    ExactText(recordIdentifier(type, identifier))
  }

  /// The members of the record that holds the entry.
  var members: AttributeDictionary {
    var members: AttributeDictionary = [
      "type": .string(type), "identifier": .string(identifier), "changes": .int(commits),
      "since": .int(since.milliseconds),
    ]
    if let base { members["base"] = .object(base) }
    if let flight {
      var frozen: AttributeDictionary = [
        "key": .string(flight.key), "body": .object(flight.body), "creates": .bool(flight.isCreation),
      ]
      frozen["record"] = flight.record.map { .object($0) }
      if flight.isOutdated { frozen["outdated"] = true }
      members["flight"] = .object(frozen)
    }
    if wasDeleted { members["deleted"] = true }
    if !unsettled.isEmpty { members["unsettled"] = .array(unsettled.map(JSONValue.object)) }
    if let conflict { members["conflict"] = conflict.remote.map { .object($0) } ?? .bool(true) }
    if !groups.isEmpty { members["groups"] = .array(groups.map { .string($0) }) }
    if attempts > 0 { members["attempts"] = .int(attempts) }
    if let error { members["error"] = .string(error) }
    if !fields.isEmpty { members["fields"] = .object(fields.mapValues { .array($0.map { .string($0) }) }) }
    if isParked { members["parked"] = true }
    return members
  }

  /// Reads an entry; nil if the members are not those of one.
  init?(members: AttributeDictionary) {
    guard let type = members["type"]?.stringValue, let identifier = members["identifier"]?.stringValue,
      let commits = members["changes"]?.intValue, let since = members["since"]?.intValue.map(Date.init(milliseconds:))
    else { return nil }
    self.init(type, identifier, base: nil, since: since)
    self.commits = commits
    if let value = members["base"] {
      guard let base = value.objectValue else { return nil }
      self.base = base
    }
    if let value = members["flight"] {
      guard let frozen = value.objectValue, let key = frozen["key"]?.stringValue,
        let body = frozen["body"]?.objectValue, let isCreation = frozen["creates"]?.boolValue
      else { return nil }
      flight = Flight(
        key: key, record: frozen["record"]?.objectValue, body: body, isCreation: isCreation,
        isOutdated: frozen["outdated"]?.boolValue ?? false)
    }
    wasDeleted = members["deleted"]?.boolValue ?? false
    unsettled = members["unsettled"]?.arrayValue?.compactMap(\.objectValue) ?? []
    conflict = members["conflict"].map { Conflict(remote: $0.objectValue) }
    groups = members["groups"]?.arrayValue?.compactMap(\.stringValue) ?? []
    attempts = members["attempts"]?.intValue ?? 0
    error = members["error"]?.stringValue
    fields = (members["fields"]?.objectValue ?? [:]).mapValues { ($0.arrayValue ?? []).compactMap(\.stringValue) }
    isParked = members["parked"]?.boolValue ?? false
  }
}

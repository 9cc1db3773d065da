public import FieldKit

/// The state of one dirty record: its base, the copy that is in flight, and the reason why it waits.
///
/// A record without entry is clean. The difference between the base and the local record is the change to push, so later edits of
/// an unsent record need no entry of their own.
///
/// ```swift
/// for entry in try await engine.outbox().entries { print(entry.type, entry.identifier, entry.state) }
/// ```
public struct OutboxEntry: Sendable, Hashable {
  /// The position of an entry on its way to the server.
  public enum State: String, Sendable {
    /// It waits to be sent.
    case queued
    /// A request is under way, or its outcome is unknown.
    case inFlight
    /// It waits for a person: the server rejected it.
    case parked
  }

  /// A request whose bytes and key do not change until its outcome is known.
  public struct Flight: Sendable, Hashable {
    /// The idempotency key.
    public var key: String
    /// The local record when the request was made; nil for a deletion.
    public var record: AttributeDictionary?

    /// Creates a frozen copy.
    public init(key: String, record: AttributeDictionary?) { (self.key, self.record) = (key, record) }
  }

  /// A local value that lost against the server's, until it is acknowledged.
  public struct Discarded: Sendable, Hashable {
    /// The key of the field; nil for the whole record.
    public var key: String?
    /// The local value.
    public var value: JSONValue

    /// Creates a note of a value.
    public init(key: String?, value: JSONValue) { (self.key, self.value) = (key, value) }
  }

  /// The name of the type of the model.
  public var type: String
  /// The identifier of the record.
  public var identifier: String
  /// The record that the server had when this one was last read or pushed; nil if the server has none.
  public var base: AttributeDictionary?
  /// The request whose outcome is not known; nil if there is none.
  public var flight: Flight?
  /// The transactions whose writes are pushed together with this one.
  public var groups: [String] = []
  /// The number of commits that changed the record since it was clean.
  public var changes = 1
  /// The number of failed attempts since the last success.
  public var attempts = 0
  /// The error of the last attempt; nil if it succeeded, or there was none.
  public var error: String?
  /// Whether the entry waits for a person.
  public var isParked = false
  /// The local values that lost against the server's.
  public var discarded: [Discarded] = []
  /// The time of the first change, in milliseconds since 1970.
  public var since: Int

  /// Creates the entry of a record that was clean.
  public init(_ type: String, _ identifier: String, base: AttributeDictionary?, since: Int) {
    (self.type, self.identifier, self.base, self.since) = (type, identifier, base, since)
  }

  /// The position of the entry on its way to the server.
  public var state: State { isParked ? .parked : flight == nil ? .queued : .inFlight }
}

extension OutboxEntry {
  /// The name of the type of the records that hold entries.
  public static let recordType = "sync.outbox"

  /// Returns the identifier of the record that holds the entry of a record.
  public static func recordIdentifier(_ type: String, _ identifier: String) -> String { "\(type)/\(identifier)" }

  /// The members of the record that holds the entry.
  var members: AttributeDictionary {
    var members: AttributeDictionary = [
      "type": .string(type), "identifier": .string(identifier), "changes": .int(changes), "since": .int(since),
    ]
    if let base { members["base"] = .object(base) }
    if let flight {
      members["flight"] = .object([
        "key": .string(flight.key), "record": flight.record.map { .object($0) } ?? .null,
      ])
    }
    if !groups.isEmpty { members["groups"] = .array(groups.map { .string($0) }) }
    if attempts > 0 { members["attempts"] = .int(attempts) }
    if let error { members["error"] = .string(error) }
    if isParked { members["parked"] = true }
    if !discarded.isEmpty {
      members["discarded"] = .array(
        discarded.map { .object(["key": $0.key.map { .string($0) } ?? .null, "value": $0.value]) })
    }
    return members
  }

  /// Reads an entry; nil if the members are not those of one.
  init?(members: AttributeDictionary) {
    guard let type = members["type"]?.stringValue, let identifier = members["identifier"]?.stringValue,
      let changes = members["changes"]?.intValue, let since = members["since"]?.intValue
    else { return nil }
    self.init(type, identifier, base: nil, since: since)
    self.changes = changes
    if let value = members["base"] {
      guard let base = value.objectValue else { return nil }
      self.base = base
    }
    if let value = members["flight"] {
      guard let flight = value.objectValue, let key = flight["key"]?.stringValue, let record = flight["record"],
        record.isNull || record.objectValue != nil
      else { return nil }
      self.flight = Flight(key: key, record: record.objectValue)
    }
    groups = members["groups"]?.arrayValue?.compactMap(\.stringValue) ?? []
    attempts = members["attempts"]?.intValue ?? 0
    error = members["error"]?.stringValue
    isParked = members["parked"]?.boolValue ?? false
    for each in members["discarded"]?.arrayValue ?? [] {
      guard let value = each.objectValue?["value"] else { return nil }
      discarded.append(Discarded(key: each.objectValue?["key"]?.stringValue, value: value))
    }
  }
}

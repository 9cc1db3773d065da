@_spi(ModelKitInternals) public import FieldKit

extension OutboxEntry {
  /// A record, by its type and identifier.
  public struct Record: Sendable, Hashable, CustomStringConvertible {
    /// The type name of the model.
    public let type: String
    /// The identifier of the record.
    public let identifier: String

    /// The type and the identifier, such as `Book 7`.
    public var description: String { "\(type) \(identifier)" }
  }

  /// A member of a record whose value is not the server's last one.
  ///
  /// ```swift
  /// for entry in try await store.outbox() {
  ///   for change in entry.changes { print(change) }  // rating: 5 → 4
  /// }
  /// ```
  public struct Change: Sendable, Hashable, CustomStringConvertible {
    /// The key of the member.
    public let key: String
    /// The value that the server had last; nil if it had none, or an empty one.
    public let old: JSONValue?
    /// The local value; nil if there is none.
    public let new: JSONValue?
    /// Whether the value is kept out of texts: the field is sensitive, or its class is unknown.
    public let isSensitive: Bool

    /// The key with both values, or without those of a sensitive field.
    public var description: String {
      if isSensitive { return "\(key): \(Redaction())" }
      func text(_ value: JSONValue?) -> String { value.map { "\($0)" } ?? "nothing" }
      return "\(key): \(text(old)) → \(text(new))"
    }
  }

  /// The kind of the change that waits.
  public var kind: SyncEvent.Kind { isDeletion ? .deletion : base == nil ? .creation : .update }

  /// The members of the local record that differ from those that the server had last, by their keys; empty for a
  /// deletion.
  ///
  /// - Complexity: O(*n*) in the number of members. They are compared by each call.
  public var changes: [Change] {
    guard let localBytes, let local = (try? JSONValue(json: localBytes))?.objectValue else { return [] }
    return RecordMerge.changes(from: base ?? [:], to: local).map { key in
      func value(_ record: AttributeDictionary?) -> JSONValue? { record?[key].flatMap { $0.isNull ? nil : $0 } }
      return Change(
        key: key, old: value(base), new: value(local), isSensitive: sensitiveKeys?.contains(key) ?? true)
    }
  }
}

extension OutboxEntry: CustomStringConvertible, CustomReflectable {
  /// The kind, the record, its changes, and the error on one line. Values of sensitive fields are left out.
  public var description: String {
    let changed = changes.isEmpty ? "" : " (\(changes.map(\.description).joined(separator: ", ")))"
    let state = state == .queued ? "" : ", \(state == .parked ? "parked" : "in flight")"
    return "\(kind.rawValue) of \(type) \(identifier)\(changed)\(state)" + (error.map { ": \($0)" } ?? "")
  }

  /// The parts that are public, so that a dump has no values of sensitive fields.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "kind": kind.rawValue, "type": type, "identifier": identifier, "state": state.rawValue,
        "changes": changes.map(\.description), "attempts": attempts, "error": error as Any, "since": since,
      ])
  }
}

extension OutboxEntry.Change: CustomReflectable {
  /// The key and both values, or without those of a sensitive field.
  public var customMirror: Mirror { Mirror(self, children: ["change": description]) }
}

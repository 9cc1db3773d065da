public import FieldKit
public import Foundation
import StoreEngine

/// A local value that a merge discarded in favour of the server's, kept until it is acknowledged.
///
/// A damaged outbox entry is kept as well when a local write replaces it. Its ``key`` is `sync.outbox`, and its
/// ``value`` is the text of the entry, or the reason why the local store can't read it. A pull that restores a
/// deleted record keeps it in the same way.
///
/// It may contain values of sensitive fields. Don't write it to a log.
///
/// ```swift
/// for value in try await store.discardedValues() {
///   print(value.type, value.identifier, value.key ?? "all", value.value)
/// }
/// ```
public struct DiscardedValue: Sendable, Hashable {
  /// The name of the type of the records that hold discarded values.
  static let recordType = "sync.discarded"
  /// The key of a damaged outbox entry.
  static let outboxEntryKey = OutboxEntry.recordType

  /// The identifier of the note.
  public let id: String
  /// The type name of the model.
  public let type: String
  /// The identifier of the record.
  public let identifier: String
  /// The key of the discarded member; nil for the whole record.
  public let key: String?
  /// The local value; null for a deletion.
  public let value: JSONValue
  /// The time of the loss.
  public let time: Date

  /// Returns the operation that adds the note.
  func creation() throws -> RecordOperation {
    var members: AttributeDictionary = [
      "type": .string(type), "identifier": .string(identifier), "value": value, "time": .int(time.milliseconds),
    ]
    members["key"] = key.map { .string($0) }
    return .create(Self.recordType, id, try StoredLane.bytes(members))
  }
}

extension DiscardedValue {
  /// Records a discarded value.
  init(_ discarded: RecordMerge.Discarded, of type: String, _ identifier: String, _ environment: SyncEnvironment) {
    self.init(
      id: environment.makeIdentifier(), type: type, identifier: identifier, key: discarded.key, value: discarded.value,
      time: environment.date)
  }

  /// Reads a note; nil if the bytes are not those of one.
  init?(_ id: String, bytes: [UInt8]) {
    guard let members = (try? JSONValue(json: bytes))?.objectValue, let type = members["type"]?.stringValue,
      let identifier = members["identifier"]?.stringValue, let value = members["value"],
      let time = members["time"]?.intValue.map(Date.init(milliseconds:))
    else { return nil }
    self.init(
      id: id, type: type, identifier: identifier, key: members["key"]?.stringValue, value: value, time: time)
  }
}

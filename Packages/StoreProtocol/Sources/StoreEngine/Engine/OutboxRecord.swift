@_spi(ModelKitInternals) public import StoreProtocol

/// A record of an outbox, as far as it holds copies of another record, which a migration of that record changes too.
///
/// The module SyncStore writes these records. A store that migrates its records applies the same steps to the copies.
/// Otherwise the edit and its base would have different keys.
@_spi(ModelKitInternals)
public struct OutboxRecord {
  /// The name of the type of the records of an outbox.
  public static let typeName = "sync.outbox"

  private var members: AttributeDictionary
  /// The type name of the record of which it holds copies.
  public let type: String
  /// The identifier of that record.
  public let identifier: String

  /// Reads a record of an outbox; nil if the bytes are not those of one.
  public init?(bytes: [UInt8]) {
    guard let members = (try? JSONValue(json: bytes))?.objectValue, let type = members["type"]?.stringValue,
      let identifier = members["identifier"]?.stringValue
    else { return nil }
    (self.members, self.type, self.identifier) = (members, type, identifier)
  }

  /// Returns the bytes of the record.
  public func bytes() throws -> [UInt8] {
    Array(try JSONValue.object(members).jsonData(JSONWritingOptions(sortedKeys: true)))
  }

  /// Changes each copy of the record.
  ///
  /// The members of a request are the differences between two copies, and are computed again. So a step that sets a
  /// default value in both sends nothing.
  ///
  /// - Parameter body: returns a changed copy.
  /// - Throws: the errors of `body`.
  public mutating func migrate(_ body: (AttributeDictionary) throws -> AttributeDictionary) throws {
    // Of a record without members only the existence is known.
    func migrated(_ copy: AttributeDictionary) throws -> AttributeDictionary { copy.isEmpty ? copy : try body(copy) }
    let old = members["base"]?.objectValue
    let new = try old.map(migrated)
    members["base"] = new.map { .object($0) }
    if let remote = members["conflict"]?.objectValue { members["conflict"] = .object(try migrated(remote)) }
    if let late = members["unsettled"]?.arrayValue {
      members["unsettled"] = .array(
        try late.map { body in
          let record = (old ?? [:]).merging(body.objectValue ?? [:]) { $1 }
          return .object(Self.changes(from: new, to: try migrated(record)))
        })
    }
    guard var flight = members["flight"]?.objectValue, let record = flight["record"]?.objectValue else { return }
    let sent = flight["body"]?.objectValue ?? [:]
    let omitted = Self.changes(from: old, to: record).filter { sent[$0.key] == nil }
    let changed = try migrated(record)
    flight["record"] = .object(changed)
    flight["body"] = .object(Self.changes(from: new, to: changed).filter { omitted[$0.key] == nil })
    members["flight"] = .object(flight)
  }

  /// Returns the members that differ, with their new values.
  private static func changes(
    from old: AttributeDictionary?, to new: AttributeDictionary
  ) -> AttributeDictionary {
    var changes = new.filter { (old?[$0.key] ?? .null) != $0.value }
    for (key, value) in old ?? [:] where new[key] == nil && value != .null { changes[key] = .null }
    return changes
  }
}

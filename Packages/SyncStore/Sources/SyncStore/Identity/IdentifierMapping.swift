import FieldKit
import StoreEngine

/// The server's identifier of a record that was created with a temporary one, or created again, as a record of the
/// local engine.
struct IdentifierMapping: Sendable {
  /// The name of the type of the records that hold mappings.
  static let recordType = "sync.identifier"

  var type: String
  var temporary: String
  var identifier: String

  /// Returns the identifier of the record that holds the mapping of a temporary identifier.
  static func recordIdentifier(_ type: String, _ temporary: String) -> String {
    OutboxEntry.recordIdentifier(type, temporary)
  }

  /// Returns the operation that stores the mapping. A temporary identifier may have been used again after a deletion.
  ///
  /// - Throws: the errors of the engine.
  func operation(in engine: some RecordEngine) async throws -> RecordOperation {
    let name = Self.recordIdentifier(type, temporary)
    let bytes = try StoredLane.bytes([
      "type": .string(type), "temporary": .string(temporary), "identifier": .string(identifier),
    ])
    guard let known = try await engine.read(Self.recordType, name) else { return .create(Self.recordType, name, bytes) }
    return .update(Self.recordType, name, bytes, ifRevision: known.revision)
  }

  /// Reads the server's identifier; nil if the bytes are not those of a mapping.
  static func identifier(in bytes: [UInt8]) -> String? {
    (try? JSONValue(json: bytes))?.objectValue?["identifier"]?.stringValue
  }
}

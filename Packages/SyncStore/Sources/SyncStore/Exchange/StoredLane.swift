import FieldKit
import StoreEngine
import StoreProtocol

/// A lane as the local engine has it, with the revisions that a commit of its next state expects.
struct StoredLane {
  let type: String
  let identifier: String
  let lane: Lane
  /// The bytes and the revision of the local record; nil if there is none.
  private let record: (bytes: [UInt8], revision: UInt64)?
  /// The revision of the record that holds the entry; nil if there is none.
  private let entryRevision: UInt64?

  /// Reads the lane of a record: the record and the entry that belongs to it.
  ///
  /// - Throws: the errors of the engine, or ``DamagedEntry``.
  init(_ type: String, _ identifier: String, in engine: some RecordEngine) async throws {
    (self.type, self.identifier) = (type, identifier)
    var (stored, found): (StoredRecord?, StoredRecord?)
    // A local write between the two reads changes the entry, too. Its record with the entry of before would count as
    // that of the server, and be overwritten.
    repeat {
      stored = try await Self.entry(type, identifier, in: engine)
      found = try await engine.read(type, identifier)
    } while try await Self.entry(type, identifier, in: engine)?.revision != stored?.revision
    var lane = Lane()
    if let stored {
      guard let entry = OutboxEntry(bytes: stored.bytes) else { throw DamagedEntry(type: type, identifier: identifier) }
      lane.entry = entry
    }
    lane.local = try found.map { try Self.members($0.bytes, type, identifier) }
    self.lane = lane
    record = found.map { ($0.bytes, $0.revision) }
    entryRevision = stored?.revision
  }

  private static func entry(
    _ type: String, _ identifier: String, in engine: some RecordEngine
  ) async throws -> StoredRecord? {
    do {
      return try await engine.read(OutboxEntry.recordType, OutboxEntry.recordIdentifier(type, identifier))
    } catch let error as ModelStoreError where error.code == .corrupt {
      throw DamagedEntry(type: type, identifier: identifier)
    }
  }

  /// Returns whether an engine has a clean record with some bytes. Nothing is parsed.
  ///
  /// - Throws: as ``init(_:_:in:)``.
  static func isClean(
    _ type: String, _ identifier: String, with bytes: [UInt8], in engine: some RecordEngine
  ) async throws -> Bool {
    // A local write between the reads adds an entry. A discarded change removes it, and restores the record.
    guard try await entry(type, identifier, in: engine) == nil,
      try await engine.read(type, identifier)?.bytes == bytes
    else { return false }
    return try await entry(type, identifier, in: engine) == nil
  }

  /// Whether the engine has neither the record nor an entry.
  var isUnknown: Bool { lane.entry == nil && lane.local == nil }

  private static func members(_ bytes: [UInt8], _ type: String, _ identifier: String) throws -> AttributeDictionary {
    guard let members = (try? JSONValue(json: bytes))?.objectValue else {
      throw ModelStoreError(
        .corrupt, "The stored \(type) \(identifier) is not a JSON object. It was not synchronised or changed.",
        identifier: identifier)
    }
    return members
  }

  /// Returns the operations that store the next state of the lane. They fail if a local write comes before them.
  ///
  /// - Parameters:
  ///   - next: the state after a step.
  ///   - makeNote: creates the operation that records a discarded local value.
  func operations(
    to next: Lane, _ makeNote: (RecordMerge.Discarded) throws -> RecordOperation? = { _ in nil }
  ) throws -> [RecordOperation] {
    var operations: [RecordOperation] = []
    if next.local != lane.local {
      var operation: RecordOperation
      switch (record, next.local) {
      case (let record?, let local?):
        operation = .update(type, identifier, try Self.bytes(local), ifRevision: record.revision)
      case (let record?, nil): operation = .delete(type, identifier, ifRevision: record.revision)
      case (nil, let local): operation = .create(type, identifier, try Self.bytes(local ?? [:]))
      }
      operation.previousValue = record?.bytes
      operations.append(operation)
    }
    if next.entry != lane.entry {
      let name = OutboxEntry.recordIdentifier(type, identifier)
      switch (entryRevision, next.entry) {
      case (let revision?, let entry?):
        operations.append(.update(OutboxEntry.recordType, name, try entry.bytes(), ifRevision: revision))
      case (let revision?, nil): operations.append(.delete(OutboxEntry.recordType, name, ifRevision: revision))
      case (nil, let entry?): operations.append(.create(OutboxEntry.recordType, name, try entry.bytes()))
      case (nil, nil): break
      }
    }
    return operations + (try next.discarded.compactMap(makeNote))
  }

  static func bytes(_ record: AttributeDictionary) throws -> [UInt8] {
    Array(try JSONValue.object(record).jsonData(JSONWritingOptions(sortedKeys: true)))
  }
}

/// An outbox entry that can't be read. Its record is left aside by the exchange.
struct DamagedEntry: Error {
  var type: String
  var identifier: String
}

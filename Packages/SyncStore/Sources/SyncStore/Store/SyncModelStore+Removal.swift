@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncModelStore {
  /// Removes the local records of all synchronised types, with the outbox and all metadata, such as when a person signs
  /// out.
  ///
  /// The server keeps its records. Live models stay as they are; none of them should be saved again.
  ///
  /// - Parameter discardUnsynced: whether unsynchronised changes are discarded.
  /// - Throws: `ModelStoreError` with the code `denied` and the records in its message, if there are such changes and
  ///   they are not to be discarded. Also errors of the local engine. After an error, call it again to remove the
  ///   remaining records.
  /// - Complexity: O(*n*) in the number of local records.
  public func removeLocalRecords(discardUnsynced: Bool = false) async throws {
    try await handle.beginExchange()
    defer { handle.endExchange() }
    let outbox = try await handle.outbox()
    if !discardUnsynced, !outbox.entries.isEmpty || !outbox.damaged.isEmpty {
      throw Self.unsynced(outbox.entries.map { "\($0.type) \($0.identifier)" } + outbox.damaged)
    }
    var names = types.map(\.name)
    for entry in outbox.entries where !names.contains(entry.type) { names.append(entry.type) }
    for name in names { try await removeRecords(of: name, discardUnsynced) }
    for name in [
      OutboxEntry.recordType, DiscardedValue.recordType, IdentifierMapping.recordType, PullMark.recordType,
      PullPosition.recordType,
    ] {
      if name == OutboxEntry.recordType, !discardUnsynced { continue }
      for identifiers in try await parts(of: name) {
        try await handle.local.commit(RecordBatch(identifiers.map { .delete(name, $0) }))
      }
    }
    lastPulls = [:]
  }

  private func removeRecords(of type: String, _ discardUnsynced: Bool) async throws {
    for identifiers in try await parts(of: type) {
      try await retryingMismatches {
        var operations: [RecordOperation] = []
        for identifier in identifiers {
          let stored: StoredLane
          do {
            stored = try await StoredLane(type, identifier, in: handle.local)
          } catch is DamagedEntry {
            operations.append(.delete(type, identifier))
            continue
          }
          if !discardUnsynced, stored.lane.entry != nil { throw Self.unsynced(["\(type) \(identifier)"]) }
          operations += try stored.operations(to: Lane())
        }
        if !operations.isEmpty { try await handle.local.commit(RecordBatch(operations)) }
      }
    }
  }

  /// The identifiers of the records of a type, in parts for one commit each.
  private func parts(of type: String) async throws -> [[String]] {
    var identifiers: [String] = []
    _ = try await handle.local.readRecords(of: type) { identifiers += $0.map(\.identifier) }
    return stride(from: 0, to: identifiers.count, by: 500).map {
      Array(identifiers[$0..<min($0 + 500, identifiers.count)])
    }
  }

  private static func unsynced(_ names: [String]) -> ModelStoreError {
    let list = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
    return ModelStoreError(
      .denied,
      """
      The local records were not removed: \(list) have unsynchronised changes. Synchronise first, or discard \
      these changes with discardUnsynced: true.
      """)
  }
}

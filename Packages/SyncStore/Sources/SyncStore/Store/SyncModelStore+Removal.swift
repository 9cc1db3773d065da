@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncModelStore {
  /// Removes the local records of all synchronised types, with the outbox and all metadata, such as when a person signs
  /// out.
  ///
  /// The server keeps its records. Live models stay as they are; none of them should be saved again. After the next
  /// synchronisation other objects have the records.
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
    let pulled = try await parts(of: PulledType.recordType).flatMap { $0 }
    let names = Set(types.map(\.name) + outbox.entries.map(\.type) + pulled)
    // First, so that nothing of it is sent for another person if this is interrupted.
    if discardUnsynced { try await removeAll(OutboxEntry.recordType) }
    // Then these, so that the next synchronisation compares all records.
    for name in [PullMark.recordType, PullPosition.recordType] { try await removeAll(name) }
    lastPulls = [:]
    for name in names.sorted() { try await removeRecords(of: name, discardUnsynced) }
    for name in [DiscardedValue.recordType, IdentifierMapping.recordType, PulledType.recordType] {
      try await removeAll(name)
    }
    handle.forgetOutcomes()
    let tasks = handle.signals.change { signals in
      signals.steps += 1
      signals.commits += 1
    }
    for task in tasks { task.resume() }
  }

  /// Removes all records of a type of metadata.
  private func removeAll(_ type: String) async throws {
    for identifiers in try await parts(of: type) {
      try await handle.local.commit(RecordBatch(identifiers.map { .delete(type, $0) }))
    }
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
          } catch let error as ModelStoreError where error.code == .corrupt && discardUnsynced {
            operations.append(.delete(type, identifier))
            continue
          }
          if !discardUnsynced, stored.lane.entry != nil { throw Self.unsynced(["\(type) \(identifier)"]) }
          operations += try stored.operations(to: Lane())
        }
        if !operations.isEmpty { try await handle.local.commit(RecordBatch(operations)) }
      }
      // A model of the next person's record is another object, without values of this one.
      if let modelClass = modelClass(named: type) {
        for identifier in identifiers { releaseLiveModel(modelClass, identifier) }
      }
    }
  }

  private func releaseLiveModel<M: Model>(_ type: M.Type, _ identifier: String) {
    if let model = scope.liveModel(type, identifier: identifier) { scope.remove(model) }
  }

  /// Returns the identifiers of the records of a type, in parts for one commit each.
  private func parts(of type: String) async throws -> [[String]] {
    var identifiers: [String] = []
    let snapshot = try await handle.local.snapshot(pinned: true)
    var next: UInt64? = 0
    while let order = next {
      let part = try await snapshot.records(type, after: order, atMost: 1_000)
      // Records that can't be read are removed as well.
      identifiers += part.records.map(\.identifier) + part.unreadable.map(\.identifier)
      next = part.next
    }
    return stride(from: 0, to: identifiers.count, by: 500).map {
      Array(identifiers[$0..<min($0 + 500, identifiers.count)])
    }
  }

  private static func unsynced(_ names: [String]) -> ModelStoreError {
    let list = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
    return ModelStoreError(
      .denied,
      """
      The local records were not removed, because of unsynchronised changes of \(list). Synchronise first, or discard \
      these changes with discardUnsynced: true.
      """)
  }
}

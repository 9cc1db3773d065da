import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncModelStore {
  // MARK: Entries

  /// Returns all entries of the outbox, in the order in which their records became dirty.
  ///
  /// Each has its changes, and the entries that it waits for.
  ///
  /// - Throws: the errors of the local engine.
  /// - Complexity: O(*n*) in the number of dirty records and of their references.
  public func outbox() async throws -> [OutboxEntry] {
    let entries = try await describedEntries()
    return PlantedFault.isPlanted(.hidesRejectedEntries) ? entries.filter { !$0.isParked } : entries
  }

  private func describedEntries() async throws -> [OutboxEntry] {
    var entries = try await handle.outbox().entries
    var (items, sensitive): ([Schedule.Item], SensitiveKeys) = ([], SensitiveKeys(scope.transformers))
    var records: [ExactText: OutboxEntry.Record] = [:]
    for (index, entry) in entries.enumerated() {
      var item = Schedule.Item(entry: entry, references: [])
      let (isDeleted, local) = try await localRecord(of: entry)
      // A record that can't be read is shown without changes.
      (entries[index].isDeletion, entries[index].localBytes) = (isDeleted, local)
      item.isDeletion = isDeleted
      if let modelClass = modelClass(named: entry.type) {
        let record = local.flatMap { references.members(in: $0, of: modelClass) }
        if let record { item.references = references.names(in: record, of: modelClass) }
        if let base = entry.base { item.formerReferences = references.names(in: base, of: modelClass) }
        entries[index].sensitiveKeys = sensitive.keys(of: modelClass.storedClass(for: record ?? entry.base ?? [:]))
      }
      records[item.name] = OutboxEntry.Record(type: entry.type, identifier: entry.identifier)
      items.append(item)
    }
    let steps = Dictionary(
      Schedule(items).steps.map { ($0.name, $0.waitsFor) }, uniquingKeysWith: { first, _ in first })
    for index in entries.indices {
      if let names = steps[items[index].name], !names.isEmpty {
        entries[index].waitsFor = names.compactMap { records[$0] }
      }
    }
    return entries
  }

  /// Returns whether the local record of an entry is deleted, and otherwise its bytes; nil if it can't be read.
  private func localRecord(of entry: OutboxEntry) async throws -> (isDeleted: Bool, bytes: [UInt8]?) {
    do {
      guard let stored = try await handle.local.read(entry.type, entry.identifier) else { return (true, nil) }
      return (false, stored.bytes)
    } catch let error as ModelStoreError where error.code == .corrupt {
      return (false, nil)
    }
  }

  /// Returns the entries that wait for a person, because the server rejected them.
  ///
  /// - Throws: the errors of the local engine.
  /// - Complexity: O(*n*) in the number of dirty records.
  public func failures() async throws -> [OutboxEntry] { try await outbox().filter(\.isParked) }

  /// Adds the server's messages about fields to a model, such as when a form shows a rejected record after a restart.
  ///
  /// A model that is live when the server rejects its record gets them automatically. They are among its
  /// `validationErrors`.
  ///
  /// - Parameters:
  ///   - entry: the entry of the record.
  ///   - model: the model of the record.
  public func addErrors<M: Model>(of entry: OutboxEntry, to model: M) {
    let texts = entry.fields.mapValues { JSONValue.array($0.map { .string($0) }) }
    model.addErrors(texts, in: remote?.scope.transformers ?? scope.transformers)
  }

  /// Adds the server's messages about fields to the live model of an entry.
  func showErrors(of entry: OutboxEntry) {
    func show<M: Model>(_ type: M.Type) {
      if let model = scope.liveModel(type, identifier: entry.identifier) { addErrors(of: entry, to: model) }
    }
    if !entry.fields.isEmpty, let modelClass = modelClass(named: entry.type) { show(modelClass) }
  }

  /// Returns the sync state of a model.
  ///
  /// - Throws: the errors of the local engine.
  public func syncState<M: Model>(of model: M) async throws -> SyncState {
    guard let identifier = model.identifier else { return .pending }
    let current = try await handle.replacement(of: identifier, M.typeName) ?? identifier
    let lane: Lane
    do {
      let stored = try await StoredLane(M.typeName, current, in: handle.local)
      if stored.isUnknown, !model.isPersisted { return .pending }
      lane = stored.lane
    } catch is DamagedEntry {
      return .parked("Its entry in the outbox is damaged: save it again.")
    }
    guard let entry = lane.entry else { return .synced }
    if let conflict = entry.conflict(with: lane.local) { return .conflicted(conflict) }
    return switch entry.state {
    case .queued: .pending
    case .inFlight: .uploading
    case .parked: .parked(entry.error ?? "")
    }
  }

  /// Queues a rejected entry again, such as after the server was corrected. An edit of its record does so, too.
  ///
  /// - Throws: the errors of the local engine.
  public func retry(_ entry: OutboxEntry) async throws {
    try await change(entry) { lane in
      lane.entry?.isParked = false
      lane.entry?.attempts = 0
    }
  }

  /// Discards a record's local changes: it gets the server's last version, and is removed if the server never had it.
  ///
  /// A request that was sent already may have taken effect. Then the next synchronisation brings its result. It also
  /// removes the references of local changes to a removed record.
  ///
  /// - Throws: the errors of the local engine.
  public func discardChanges(_ entry: OutboxEntry) async throws {
    var isRemoved = false
    try await change(entry) { lane in
      // The base is older than the version of a conflict that waits.
      if let conflict = lane.entry?.conflict {
        lane.local = conflict.remote
      } else if lane.entry?.base?.isEmpty != true {
        lane.local = lane.entry?.base
      }
      // After damage the base is not known: the next comparison brings the server's version.
      lane.entry = nil
      isRemoved = lane.local == nil
    }
    func markDeleted<M: Model>(_ type: M.Type) {
      scope.liveModel(type, identifier: entry.identifier)?.markDeleted(in: scope)
    }
    if isRemoved, let modelClass = modelClass(named: entry.type) { markDeleted(modelClass) }
  }

  /// Changes an entry, and wakes the background synchronisation.
  private func change(_ entry: OutboxEntry, _ body: (inout Lane) throws -> Void) async throws {
    do {
      try await retryingMismatches {
        let stored = try await StoredLane(entry.type, entry.identifier, in: handle.local)
        guard stored.lane.entry != nil else { return }
        var lane = stored.lane
        try body(&lane)
        let operations = try stored.operations(to: lane) { discarded in
          try DiscardedValue(discarded, of: entry.type, entry.identifier, handle.options.environment).creation()
        }
        try await commit(operations)
      }
    } catch is DamagedEntry {
      throw ModelStoreError(
        .corrupt,
        """
        The outbox entry of the \(entry.type) \(entry.identifier.quotedForMessage) is damaged, so it was not changed. Save \
        the record again to begin another entry.
        """, identifier: entry.identifier)
    }
    for task in handle.signals.change({ $0.commits += 1 }) { task.resume() }
  }

  // MARK: Conflicts

  /// Sets the function that decides about the conflicts of a type. Without one each conflict is merged.
  ///
  /// It runs in the isolation of this instance during ``sync(comparingAll:)``, and may be called more than once for one conflict.
  /// The last call for a class counts.
  ///
  /// - Parameters:
  ///   - type: the class of the models. Derived classes without a function of their own have the same.
  ///   - decide: returns the decision.
  public func resolve<M: Model>(_ type: M.Type, _ decide: @escaping (SyncConflict) -> SyncResolution) {
    resolvers[ObjectIdentifier(type)] = decide
  }

  /// Returns the conflicts that wait for a decision, because ``SyncResolution/wait`` was returned for them.
  ///
  /// - Throws: the errors of the local engine.
  /// - Complexity: O(*n*) in the number of dirty records.
  public func conflicts() async throws -> [SyncConflict] {
    var conflicts: [SyncConflict] = []
    for entry in try await handle.outbox().entries where entry.conflict != nil {
      do {
        let lane = try await StoredLane(entry.type, entry.identifier, in: handle.local).lane
        if let conflict = lane.entry?.conflict(with: lane.local) { conflicts.append(conflict) }
      } catch is DamagedEntry {
        continue
      }
    }
    return conflicts
  }

  /// Resolves a conflict. Local edits since the conflict was read are included.
  ///
  /// The next synchronisation sends the remaining changes.
  ///
  /// - Throws: the errors of the local engine. Also `ModelStoreError` with the code `conflict` for
  ///   ``SyncResolution/record(_:)`` if the record was changed since the conflict was read: here, or on the server. Read it
  ///   again. A conflict that is already resolved is ignored.
  public func resolve(_ conflict: SyncConflict, with resolution: SyncResolution) async throws {
    let entry = OutboxEntry(conflict.type, conflict.identifier, base: nil, since: Date(milliseconds: 0))
    try await change(entry) { lane in
      guard let waiting = lane.entry?.conflict else { return }
      if case .record = resolution, lane.entry?.conflict(with: lane.local) != conflict {
        throw ModelStoreError(
          .conflict,
          """
          The conflict of the \(conflict.type) \(conflict.identifier.quotedForMessage) was not resolved: the record was \
          changed since the conflict was read. Read the conflict again.
          """, identifier: conflict.identifier)
      }
      lane.rebase(on: waiting.remote) { _ in resolution }
    }
  }

  // MARK: Discarded values

  /// Returns the discarded local values that were not acknowledged yet, the oldest first.
  ///
  /// - Throws: the errors of the local engine.
  public func discardedValues() async throws -> [DiscardedValue] {
    var values: [DiscardedValue] = []
    _ = try await handle.local.readRecords(of: DiscardedValue.recordType) { records in
      values += records.compactMap { DiscardedValue($0.identifier, bytes: $0.bytes) }
    }
    return values
  }

  /// Removes values from the list of discarded values.
  ///
  /// - Throws: the errors of the local engine. Values that are already acknowledged are ignored.
  public func acknowledge(_ values: [DiscardedValue]) async throws {
    for value in values {
      do {
        try await handle.local.commit(RecordBatch([.delete(DiscardedValue.recordType, value.id)]))
      } catch is RecordMismatch {
        continue
      }
    }
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncExchange {
  /// Gives a record the identifier that the server assigned. Record, entry, references and the mapping change in one
  /// commit.
  ///
  /// - Parameters:
  ///   - type: the class of the model.
  ///   - temporary: the identifier that the record has.
  ///   - identifier: the identifier that the server assigned.
  ///   - remote: returns the server's record, completed by values of another version.
  ///   - body: takes the step of the lane, with the server's record.
  /// - Throws: ``LocalFailure``, or ``DamagedEntry``.
  func assign<M: Model>(
    _ type: M.Type, _ temporary: String, _ identifier: String,
    _ remote: (AttributeDictionary?) throws -> AttributeDictionary,
    _ body: (inout Lane, AttributeDictionary) -> Void
  ) async throws {
    let live = store.scope.liveModel(type, identifier: temporary)
    // Until the live model has its identifier, no reader makes another object for the new record.
    let creation = store.scope.creations.begin(live.map { [$0] } ?? [], [M.typeName])
    defer { store.scope.creations.end(creation) }
    let isDone = try await locally {
      try await retryingMismatches {
        guard let operations = try await assignment(type, temporary, identifier, remote, body) else { return false }
        // Before the commit: each reader of the new record has to know it.
        engine.replacementListeners.notify(
          IdentifierMapping(type: M.typeName, temporary: temporary, identifier: identifier))
        // First: an unloaded reference would become the object for the identifier otherwise.
        try await store.commit(operations) { store.adopt(type, temporary, identifier) }
        return true
      }
    }
    if !isDone { return }
    if let stored = try await locally({ try await engine.local.read(M.typeName, identifier) }) {
      store.follow(type, identifier, stored.bytes)
    }
  }

  /// Returns the operations that give a record its identifier; nil if it has no request in flight any more.
  private func assignment<M: Model>(
    _ type: M.Type, _ temporary: String, _ identifier: String,
    _ remote: (AttributeDictionary?) throws -> AttributeDictionary,
    _ body: (inout Lane, AttributeDictionary) -> Void
  ) async throws -> [RecordOperation]? {
    let name = M.typeName
    let old = try await StoredLane(name, temporary, in: engine.local)
    guard let flight = old.lane.entry?.flight else { return nil }
    var lane = old.lane
    body(&lane, try remote(flight.record))
    lane.entry?.identifier = identifier
    var operations = try old.operations(to: Lane()) { try note($0, name, identifier) }
    let target = try await StoredLane(name, identifier, in: engine.local)
    if let known = target.lane.entry {
      // The record was pulled before, and edited here.
      if let entry = lane.entry {
        let merge = RecordMerge(base: entry.base, local: lane.local, remote: target.lane.local)
        lane.discarded += merge.discarded
        lane.local = merge.record
      } else {
        lane.local = target.lane.local
      }
      lane.entry = known
    }
    let value = type.init().storedValue(ofIdentifier: identifier, in: store.scope.transformers)?.value
    func replaced(_ record: AttributeDictionary, _ modelClass: ModelObject.Type) -> AttributeDictionary {
      store.references.replacing(in: record, of: modelClass, includingEmbedded: true) { type, referenced in
        type == name && ExactText(referenced) == ExactText(temporary) ? value : nil
      }
    }
    lane.local = lane.local.map { replaced($0, type) }
    operations += try target.operations(to: lane) { try note($0, name, identifier) }
    let mapping = IdentifierMapping(type: name, temporary: temporary, identifier: identifier)
    operations.append(try await mapping.operation(in: engine.local))
    for referrer in try await referrers(of: name, temporary, besides: identifier)
    where !PlantedFault.isPlanted(.keepsTemporaryReferences) {
      guard let modelClass = store.modelClass(named: referrer.type) else { continue }
      var next = referrer.lane
      next.local = next.local.map { replaced($0, modelClass) }
      operations += try referrer.operations(to: next) { try note($0, referrer.type, referrer.identifier) }
    }
    return operations
  }

  /// Returns the dirty records that reference a record, other than the record itself. Clean ones are as the server has
  /// them, and don't.
  ///
  /// - Parameters:
  ///   - type: the type of the record.
  ///   - identifier: the temporary identifier of the record.
  ///   - assigned: the identifier that the server assigned to it.
  private func referrers(
    of type: String, _ identifier: String, besides assigned: String
  ) async throws -> [StoredLane] {
    var found: [StoredLane] = []
    let own = [identifier, assigned].map { OutboxEntry.recordName(type, $0) }
    for (type, identifier) in try await referrers(of: OutboxEntry.recordName(type, identifier), besides: own) {
      found.append(try await StoredLane(type, identifier, in: engine.local))
    }
    return found
  }

  /// Returns the types and identifiers of the dirty records that reference a record, each once.
  ///
  /// - Parameters:
  ///   - name: the name of the record.
  ///   - others: the names of records that are left out.
  func referrers(
    of name: ExactText, besides others: [ExactText] = []
  ) async throws -> [(type: String, identifier: String)] {
    var found: [(type: String, identifier: String)] = []
    // A server may assign one identifier to several records, and a batch can write a record once.
    var seen = Set(others)
    for name in (referrers[name] ?? []).sorted(by: { $0.text < $1.text }) where !seen.contains(name) {
      let parts = name.text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { continue }
      let current = try await engine.replacement(of: parts[1], parts[0]) ?? parts[1]
      guard seen.insert(OutboxEntry.recordName(parts[0], current)).inserted else { continue }
      found.append((parts[0], current))
    }
    return found
  }

  /// Replaces references to temporary identifiers of which the server's are known: a record may have been written with
  /// one that was read before.
  ///
  /// - Returns: the lane after that.
  func replaceMappedReferences<M: Model>(of lane: Lane, _ type: M.Type, _ identifier: String) async throws -> Lane {
    var values: [ExactText: JSONValue] = [:]
    var temporary: [(type: String, identifier: String)] = []
    _ = store.references.replacing(in: lane.local ?? [:], of: type, includingEmbedded: true) { type, identifier in
      if engine.options.isTemporary(type, identifier) { temporary.append((type, identifier)) }
      return nil
    }
    for (type, identifier) in temporary {
      guard let current = try await locally({ try await engine.replacement(of: identifier, type) }),
        let modelClass = store.modelClass(named: type)
      else { continue }
      values[OutboxEntry.recordName(type, identifier)] =
        modelClass.init().storedValue(ofIdentifier: current, in: store.scope.transformers)?.value
    }
    if values.isEmpty || PlantedFault.isPlanted(.keepsTemporaryReferences) { return lane }
    return try await step(M.typeName, identifier) { lane in
      lane.local = lane.local.map { record in
        store.references.replacing(in: record, of: type, includingEmbedded: true) {
          values[OutboxEntry.recordName($0, $1)]
        }
      }
    }
  }

  /// Replaces such references of all entries, even of those that have to wait. A record may be written while
  /// the one that it references gets its identifier. Requests in flight stay as they are.
  ///
  /// - Complexity: O(*n*) in the number of references.
  func replaceMappedReferences(of items: [Schedule.Item]) async throws {
    let waiting = Set(items.map(\.name))
    for item in items where item.entry.flight == nil {
      let isMapped = item.references.contains { !waiting.contains($0) && isTemporary($0) }
      guard isMapped, let modelClass = store.modelClass(named: item.entry.type) else { continue }
      do {
        let lane = try await step(item.entry.type, item.entry.identifier) { _ in }
        _ = try await replaceMappedReferences(of: lane, modelClass, item.entry.identifier)
      } catch is DamagedEntry {
        continue
      }
    }
  }

  /// Returns whether the name of a record has a temporary identifier.
  private func isTemporary(_ name: ExactText) -> Bool {
    let parts = name.text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return parts.count == 2 && engine.options.isTemporary(parts[0], parts[1])
  }

  /// Removes references to records that neither this store nor the server has any more, and notes them: the server
  /// would reject them. Also removes a reference to a new record whose changes were discarded: it would wait for ever.
  /// References that the server's version has stay: this client may not see their records.
  ///
  /// - Throws: the errors of the remote store, ``LocalFailure``, or ``DamagedEntry``.
  func cutDanglingReferences<M: Model>(of lane: Lane, _ type: M.Type, _ identifier: String) async throws {
    guard let local = lane.local else { return }
    let known = store.references.names(in: lane.entry?.base ?? [:], of: type)
    var referenced: [(type: String, identifier: String)] = []
    _ = store.references.replacing(in: local, of: type) { type, identifier in
      let isChecked = pulledTypes.contains(type) || engine.options.isTemporary(type, identifier)
      if isChecked, !known.contains(OutboxEntry.recordName(type, identifier)) { referenced.append((type, identifier)) }
      return nil
    }
    var gone: Set<ExactText> = []
    for (type, identifier) in referenced {
      guard let modelClass = store.modelClass(named: type),
        try await locally({ try await engine.read(type, identifier) }) == nil
      else { continue }
      // The server never had a record with a temporary identifier. One with an entry may still get the server's.
      let isThere =
        if engine.options.isTemporary(type, identifier) {
          try await !locally { try await StoredLane(type, identifier, in: engine.local).isUnknown }
        } else {
          try await isThere(modelClass, identifier)
        }
      if !isThere { gone.insert(OutboxEntry.recordName(type, identifier)) }
    }
    if gone.isEmpty { return }
    try await step(M.typeName, identifier) { $0.cutReferences(to: gone, of: type, store.references) }
  }

  /// Removes such references from parked records, which the server may have rejected because of one, and from those
  /// that wait for them. None of them is sent now. Each is checked once in an exchange.
  ///
  /// - Throws: `ModelStoreError` if no request can succeed now, or ``LocalFailure``.
  func cutDanglingReferencesOfHeldRecords() async throws {
    if try await !locally({ try await engine.outbox().entries }).contains(where: \.isParked) { return }
    let items = try await items()
    var held: Set<ExactText> = []
    for step in Schedule(items).steps where step.isParked || step.waitsFor.contains(where: held.contains) {
      held.insert(step.name)
    }
    for entry in items.map(\.entry)
    where held.contains(entry.name) && entry.conflict == nil && entry.flight == nil
      && heldRecords.insert(entry.name).inserted
    {
      guard let modelClass = store.modelClass(named: entry.type) else { continue }
      do {
        let lane = try await step(entry.type, entry.identifier) { _ in }
        try await cutDanglingReferences(of: lane, modelClass, entry.identifier)
      } catch is DamagedEntry {
        continue
      } catch let error as ModelStoreError where !RemoteFault.endsExchange(error) {
        noteFault(error)
        if isUnanswered { return }
      }
    }
  }

  /// Returns whether the server has a record, even one that this client may not read.
  private func isThere<M: Model>(_ type: M.Type, _ identifier: String) async throws -> Bool {
    do {
      return try await remote.find(type, identifier) != nil
    } catch {
      let error = RemoteFault.storeError(error)
      if case .refused(403, _, _, _) = RemoteFault.answer(error) { return true }
      throw error
    }
  }

  /// Returns the names of the records that a locally deleted record references, and that are not here either.
  func deletedReferences(of lane: Lane, _ modelClass: ModelObject.Type) async throws -> Set<ExactText> {
    guard lane.local == nil, let base = lane.entry?.base else { return [] }
    var referenced: [(type: String, identifier: String)] = []
    _ = store.references.replacing(in: base, of: modelClass) { type, identifier in
      referenced.append((type, identifier))
      return nil
    }
    var deleted: Set<ExactText> = []
    for (type, identifier) in referenced
    where try await locally({ try await engine.read(type, identifier) }) == nil {
      deleted.insert(OutboxEntry.recordName(type, identifier))
    }
    return deleted
  }

  /// Returns a record without references to records that the server does not have yet.
  ///
  /// Copies of the record in embedded models have its temporary identifier, and are left out, too.
  func withoutAwaitedReferences<M: Model>(
    _ record: AttributeDictionary, _ type: M.Type, _ identifier: String, besides known: Set<ExactText>
  ) -> AttributeDictionary {
    let own = OutboxEntry.recordName(M.typeName, identifier)
    var record = record
    if engine.options.isTemporary(M.typeName, identifier) {
      record = store.references.replacing(in: record, of: type, includingEmbedded: true) {
        OutboxEntry.recordName($0, $1) == own ? .null : nil
      }
    }
    return store.references.replacing(in: record, of: type) { type, identifier in
      let name = OutboxEntry.recordName(type, identifier)
      if known.contains(name) { return nil }
      return engine.options.isTemporary(type, identifier) || awaited.contains(name) && name != own ? .null : nil
    }
  }

  /// Returns the topmost key of the identifier in records.
  func identifierKey<M: Model>(of type: M.Type) -> String? {
    // A field has its key from its model.
    let prototype = type.init()
    return withExtendedLifetime(prototype) {
      prototype.identifierField?.key.map { key in String(store.scope.transformers.key(key).prefix { $0 != "." }) }
    }
  }
}

extension Lane {
  /// Makes the server's version the base of a local deletion if it only lacks references to deleted records. The server
  /// removed them with these records, which is not a change by another client.
  ///
  /// - Parameters:
  ///   - remote: the server's record; nil if there is none.
  ///   - names: the names of the deleted records.
  ///   - modelClass: the class of the model.
  ///   - references: the foreign keys of records.
  mutating func accept(
    _ remote: AttributeDictionary?, without names: Set<ExactText>, of modelClass: ModelObject.Type,
    _ references: RecordReferences
  ) {
    guard local == nil, !names.isEmpty, let remote, let base = entry?.base else { return }
    func cut(_ record: AttributeDictionary) -> AttributeDictionary {
      references.replacing(in: record, of: modelClass) { type, identifier in
        names.contains(OutboxEntry.recordName(type, identifier)) ? .null : nil
      }
    }
    if RecordMerge.areEqual(cut(base), cut(remote)) { entry?.base = remote }
  }

  /// Removes references from the local record, and notes them. Those that the server's version has are not changes of
  /// this client, and stay.
  ///
  /// - Parameters:
  ///   - names: the names of the records that are not there any more.
  ///   - modelClass: the class of the model.
  ///   - references: the foreign keys of records.
  mutating func cutReferences(
    to names: Set<ExactText>, of modelClass: ModelObject.Type, _ references: RecordReferences
  ) {
    guard let local else { return }
    let names = names.subtracting(references.names(in: entry?.base ?? [:], of: modelClass))
    let cut = references.replacing(in: local, of: modelClass) { type, identifier in
      names.contains(OutboxEntry.recordName(type, identifier)) ? .null : nil
    }
    let keys = RecordMerge.changes(from: local, to: cut)
    if keys.isEmpty { return }
    self.local = cut
    discarded += keys.map { RecordMerge.Discarded(key: $0, value: local[$0] ?? .null) }
    // The server may have rejected the record because of it.
    if entry?.conflict == nil { entry?.isParked = false }
  }
}

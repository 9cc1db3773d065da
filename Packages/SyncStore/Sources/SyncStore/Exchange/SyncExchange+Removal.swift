@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncExchange {
  /// Removes the local records that the server had and has no more.
  func removeMissing<M: Model>(_ query: ModelQuery<M>, _ seen: Set<ExactText>) async throws {
    let missing = try await locally { try await known(M.typeName) }.filter { !seen.contains(ExactText($0)) }
    if missing.isEmpty { return }
    // While a list is read page by page, a record can move to a page that was read already.
    let present = Set(try await remote.store.identifiers(query).map(ExactText.init))
    var (gone, confirmed): ([String], Set<ExactText>) = ([], [])
    for identifier in missing where !present.contains(ExactText(identifier)) {
      do {
        let isDirty = try await locally {
          try await StoredLane(M.typeName, identifier, in: engine.local).lane.entry != nil
        }
        if isDirty {
          if try await remote.find(M.self, identifier) != nil { continue }
          confirmed.insert(ExactText(identifier))
        }
        gone.append(identifier)
      } catch is DamagedEntry {
        continue
      } catch let failure as LocalFailure {
        throw failure
      } catch {
        // Whether the server has it is not known. One that this client may not read is there.
        let error = RemoteFault.storeError(error)
        if RemoteFault.endsExchange(error) { throw error }
      }
    }
    let removed = try await remove(M.typeName, gone, confirmed: confirmed)
    // Of records that are not kept, the server may have more.
    if query.filter == nil { try await cutReferences(to: removed) }
  }

  /// Removes the local records that the server deleted, unless they are kept by a decision. One commit removes many.
  ///
  /// - Parameters:
  ///   - type: the type name of the records.
  ///   - identifiers: the identifiers of the records.
  ///   - confirmed: the identifiers of dirty records that were requested one by one; nil if the server named all records. Records
  ///     that became dirty since stay.
  /// - Returns: the names of the removed records.
  func remove(
    _ type: String, _ identifiers: [String], confirmed: Set<ExactText>? = nil
  ) async throws -> Set<ExactText> {
    var seen: Set<ExactText> = []
    let identifiers = identifiers.filter { seen.insert(ExactText($0)).inserted }
    for name in seen { rejected[name] = nil }
    var removed: Set<ExactText> = []
    for start in stride(from: 0, to: identifiers.count, by: 500) {
      let part = identifiers[start..<min(start + 500, identifiers.count)]
      try await locally {
        removed.formUnion(try await retryingMismatches { try await removeTogether(type, part, confirmed) })
      }
    }
    report.pulled += removed.count
    return removed
  }

  private func removeTogether(
    _ type: String, _ identifiers: ArraySlice<String>, _ confirmed: Set<ExactText>?
  ) async throws -> Set<ExactText> {
    var operations: [RecordOperation] = []
    var steps: [(before: StoredLane, after: Lane)] = []
    for identifier in identifiers {
      do {
        let stored = try await StoredLane(type, identifier, in: engine.local)
        var lane = stored.lane
        if let entry = lane.entry {
          // A record that was created meanwhile is not missing, and one that was changed meanwhile may not be.
          if entry.base == nil || confirmed?.contains(ExactText(identifier)) == false { continue }
        }
        lane.rebase(on: nil, resolve: resolver(type))
        operations += try stored.operations(to: lane) { try note($0, type, identifier) }
        steps.append((stored, lane))
      } catch is DamagedEntry {
        continue
      }
    }
    try await store.commit(operations)
    for (before, after) in steps { noteOutcome(before, after) }
    let gone = steps.filter { $0.before.lane.local != nil && $0.after.local == nil }
    return Set(gone.map { OutboxEntry.recordName(type, $0.before.identifier) })
  }

  /// Removes the references of dirty records to records that the server deleted, and notes them. Those of clean records
  /// are as the server has them.
  func cutReferences(to removed: Set<ExactText>) async throws {
    if removed.isEmpty { return }
    for entry in try await locally({ try await engine.outbox().entries }) {
      guard let modelClass = store.modelClass(named: entry.type) else { continue }
      do {
        try await step(entry.type, entry.identifier) {
          $0.cutReferences(to: removed, of: modelClass, store.references)
        }
      } catch is DamagedEntry {
        continue
      }
    }
  }

  /// Removes the references of dirty records to a record that the server does not have, unless it is kept here.
  ///
  /// - Parameter lane: the lane of the record after it was compared with the server.
  func cutReferences(toRemoved identifier: String, _ type: String, _ lane: Lane) async throws {
    if lane.local != nil { return }
    let removed = OutboxEntry.recordName(type, identifier)
    for (type, identifier) in try await locally({ try await referrers(of: removed) }) {
      guard let modelClass = store.modelClass(named: type) else { continue }
      do {
        try await step(type, identifier) { $0.cutReferences(to: [removed], of: modelClass, store.references) }
      } catch is DamagedEntry {
        continue
      }
    }
  }

  /// Returns the identifiers of the records of a type that the server had when they were last read.
  private func known(_ type: String) async throws -> [String] {
    var created: Set<ExactText> = []
    var known: [String] = []
    for entry in try await engine.outbox().entries where entry.type == type {
      if entry.base == nil {
        created.insert(ExactText(entry.identifier))
      } else {
        known.append(entry.identifier)
      }
    }
    let dirty = Set(known.map(ExactText.init))
    _ = try await engine.local.readRecords(of: type) { records in
      for record in records {
        let identifier = ExactText(record.identifier)
        if !created.contains(identifier), !dirty.contains(identifier) { known.append(record.identifier) }
      }
    }
    return known
  }
}

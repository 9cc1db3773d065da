@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncExchange {
  /// Reads the server's records of a type, and merges them into the local ones.
  ///
  /// - Throws: `ModelStoreError` if no request can succeed now, or ``LocalFailure``.
  func pull<M: Model>(_ type: M.Type) async throws {
    let before = report.pulled
    defer {
      for (record, error) in sortedRejected { fail(M.typeName, record.identifier, error) }
      rejected = [:]
    }
    do {
      if store.lastPulls[M.typeName] == nil {
        try await locally { try await PulledType.note(M.typeName, in: engine.local) }
      }
      if try await !pullLog(type), try await !pullChanges(type) { try await pullAll(type) }
      emit(.pulled(type: M.typeName, changes: report.pulled - before))
      pulledTypes.insert(M.typeName)
      store.lastPulls[M.typeName] = environment.uptime()
      engine.retryTimes.withLock { $0.end(M.typeName) }
      noteAnswer()
    } catch let failure as LocalFailure {
      throw failure
    } catch {
      let error = RemoteFault.storeError(error)
      if RemoteFault.endsExchange(error) { throw error }
      noteFault(error)
      fail(M.typeName, nil, error)
      let now = environment.uptime()
      if RemoteFault.isTemporary(error) {
        engine.retryTimes.withLock { times in times.delay(M.typeName, by: { delay($0, after: error) }, at: now) }
      } else {
        // Without this, the background synchronisation would repeat it at once.
        store.lastPulls[M.typeName] = now
        engine.retryTimes.withLock { $0.end(M.typeName) }
      }
    }
  }

  /// Reads the records that changed since the high-water mark, if the policy of the type has one.
  ///
  /// - Returns: false if all records have to be compared.
  private func pullChanges<M: Model>(_ type: M.Type) async throws -> Bool {
    let name = M.typeName
    guard !comparesAll, let reading = store.policies[name]?.incremental as? IncrementalReading<M>,
      var mark = try await locally({ try await PullMark.read(name, in: engine.local) }),
      (0..<reading.interval).contains(environment.now() - mark.compared)
        || PlantedFault.isPlanted(.neverComparesAgain)
    else { return false }
    let known = mark
    let kept = store.query(type)
    do {
      try await remote.listInOrder(reading, since: mark.time, atMost: 500) { model, record in
        mark.time = max(mark.time, reading.time(of: model) ?? mark.time)
        if kept.filter != nil { record.isKept = try kept.matches(model) }
      } _: { records in
        try await take(type, records)
      }
    } catch let error as ModelStoreError where error.code == .unsupported {
      return false
    }
    if try await takeRejected(type), mark != known {
      try await locally { try await mark.write(name, in: engine.local) }
    }
    return true
  }

  /// Reads all records, and compares them with the local ones.
  func pullAll<M: Model>(_ type: M.Type) async throws {
    var query = store.query(type)
    let reading = store.policies[M.typeName]?.incremental as? IncrementalReading<M>
    if PlantedFault.isPlanted(.dropsOutboxAtComparison), store.lastPulls[M.typeName] != nil {
      for entry in try await engine.outbox().entries { try await step(entry.type, entry.identifier) { $0.entry = nil } }
    }
    let began = environment.now()
    var time: Date?
    do {
      time = try await compare(query, reading)
    } catch let error as ModelStoreError where error.code == .unsupported && query.filter != nil {
      // The server can't evaluate which records are to be kept.
      query.evaluation = .inMemory
      time = try await compare(query, reading)
    }
    if try await takeRejected(type), let time {
      try await locally { try await PullMark(time: time, compared: began).write(M.typeName, in: engine.local) }
    }
  }

  /// - Returns: the time of the last change, if there is a field for it.
  private func compare<M: Model>(_ query: ModelQuery<M>, _ reading: IncrementalReading<M>?) async throws -> Date? {
    var seen: Set<ExactText> = []
    var last: Date?
    try await remote.list(query, atMost: 500) { model, _ in
      guard let time = reading?.time(of: model) else { return }
      last = last.map { max($0, time) } ?? time
    } _: { records in
      for record in records { seen.insert(ExactText(record.identifier)) }
      try await take(M.self, records)
    }
    try await removeMissing(query, seen)
    return last
  }

  /// Merges records of the server into the local ones, with one commit if no record is rejected.
  func take<M: Model>(_ type: M.Type, _ records: [RemoteRecord]) async throws {
    do {
      // A server may list a record twice, as a join does. Its last version is kept.
      var seen: Set<ExactText> = []
      var records = Array(records.reversed().filter { seen.insert(ExactText($0.identifier)).inserted }.reversed())
      for name in seen { rejected[name] = nil }
      if unansweredCreations[M.typeName]?.isEmpty == false {
        for (index, record) in records.enumerated().reversed() {
          if try await isAnswered(type, record) { records.remove(at: index) }
        }
      }
      if store.references.hasExclusiveLinks(type) { records = try await withExclusiveLinks(type, records) }
      try await locally { try await merge(M.typeName, records) }
    } catch let failure as LocalFailure {
      guard let error = failure.error as? ModelStoreError, [.conflict, .invalid].contains(error.code) else {
        throw failure
      }
      // One of them breaks a local rule, such as that about unique values.
      if records.count > 1 {
        for record in records { try await take(type, [record]) }
      } else if let record = records.first {
        rejected[ExactText(record.identifier)] = (record, error)
      }
    }
  }

  /// Reads records alone that seem to have lost a one-to-one link.
  ///
  /// If two records of the server have the same link, only the model that was read last has it.
  private func withExclusiveLinks<M: Model>(
    _ type: M.Type, _ records: [RemoteRecord]
  ) async throws -> [RemoteRecord] {
    var complete = records
    for (index, record) in records.enumerated() {
      let stored: StoredLane
      do {
        stored = try await locally { try await StoredLane(M.typeName, record.identifier, in: engine.local) }
      } catch is DamagedEntry {
        continue
      }
      guard let known = stored.lane.entry?.base ?? stored.lane.local,
        store.references.lacksExclusiveLink(in: try record.record(over: nil), of: type, comparedTo: known)
      else { continue }
      do {
        guard var alone = try await remote.find(type, record.identifier) else { continue }
        alone.isKept = record.isKept
        complete[index] = alone
      } catch {
        if RemoteFault.endsExchange(RemoteFault.storeError(error)) { throw error }
      }
    }
    return complete
  }

  /// Takes the rejected records of a type again, after all others. A unique value may have moved from a record that was
  /// changed or removed since.
  ///
  /// - Returns: whether none is left. Otherwise the next exchange has to read them again, so that the mark or the
  ///   position stays before them.
  func takeRejected<M: Model>(_ type: M.Type) async throws -> Bool {
    var count = Int.max
    while !rejected.isEmpty, rejected.count < count {
      count = rejected.count
      try await take(type, sortedRejected.map(\.record))
    }
    return rejected.isEmpty
  }

  /// The rejected records, in an order that is the same each time.
  private var sortedRejected: [(record: RemoteRecord, error: ModelStoreError)] {
    rejected.sorted { $0.key.text < $1.key.text }.map(\.value)
  }

  private func merge(_ type: String, _ records: [RemoteRecord]) async throws {
    try await retryingMismatches {
      var operations: [RecordOperation] = []
      var steps: [(before: StoredLane, after: Lane)] = []
      var created = 0
      for record in records {
        let stored: StoredLane
        do {
          if record.isKept, case .bytes(let bytes) = record.content,
            try await StoredLane.isClean(type, record.identifier, with: bytes, in: engine.local)
          {
            continue
          }
          stored = try await StoredLane(type, record.identifier, in: engine.local)
        } catch is DamagedEntry {
          continue
        }
        var lane = stored.lane
        if !record.isKept, lane.entry == nil {
          lane.local = nil
          operations += try stored.operations(to: lane)
          steps.append((stored, lane))
          continue
        }
        if stored.isUnknown {
          operations.append(.create(type, record.identifier, try record.bytes()))
          created += 1
          continue
        }
        // The mark of the deletion is about the deleted record.
        if !record.isKept, lane.entry?.isCreatedAgain == true { continue }
        let values: RemoteRecord.Values
        do throws(ModelStoreError) {
          values = try record.parsed()
        } catch {
          rejected[ExactText(record.identifier)] = (record, error)
          continue
        }
        let remote =
          lane.entry.map { values.record(over: $0.base ?? [:]) }
          ?? values.record(over: lane.local, keepsSpelling: false)
        if PlantedFault.isPlanted(.pullRevertsPendingEdits)
          || lane.local == nil && PlantedFault.isPlanted(.revivesDeletedRecord)
        {
          lane = Lane(entry: nil, local: remote)
        } else {
          if let modelClass = store.modelClass(named: type) {
            let deleted = try await deletedReferences(of: lane, modelClass)
            lane.accept(remote, without: deleted, of: modelClass, store.references)
          }
          if !record.isKept, !self.remote.hasKeys, let flight = lane.entry?.flight, flight.isCreation,
            flight.isReflected(in: remote)
          {
            // Only the mark shows that the creation took effect: the server may not return the record any more.
            lane.read(remote, after: .success, resolve: resolver(type))
          } else {
            lane.rebase(on: remote, resolve: resolver(type))
          }
          // The local changes lost, so nothing is left of what had to be kept.
          if !record.isKept, lane.entry == nil { lane.local = nil }
        }
        operations += try stored.operations(to: lane) { try note($0, type, record.identifier) }
        steps.append((stored, lane))
      }
      try await store.commit(operations)
      for (before, after) in steps { noteOutcome(before, after) }
      report.pulled += created + steps.count { $0.before.lane.local != $0.after.local }
    }
  }

  /// Treats an unknown record as the result of a creation whose answer was lost, if it has all values that were sent.
  ///
  /// With idempotency keys it is skipped, because the repeated request returns the created record.
  ///
  /// - Returns: whether there is such a creation.
  private func isAnswered<M: Model>(_ type: M.Type, _ record: RemoteRecord) async throws -> Bool {
    let candidates = unansweredCreations[M.typeName] ?? []
    if candidates.isEmpty { return false }
    let isUnknown = try await locally {
      try await StoredLane(M.typeName, record.identifier, in: engine.local).isUnknown
    }
    guard isUnknown else { return false }
    for temporary in candidates {
      let stored = try await locally { try await StoredLane(M.typeName, temporary, in: engine.local) }
      guard let flight = stored.lane.entry?.flight, flight.isReflected(in: try record.record(over: nil)) else {
        continue
      }
      if remote.hasKeys { return true }
      try await assign(type, temporary, record.identifier, { try record.record(over: $0) }) {
        $0.read($1, after: .success, resolve: resolver(M.typeName))
      }
      unansweredCreations[M.typeName]?.removeAll { $0 == temporary }
      return true
    }
    return false
  }

  /// Removes the local records that the server had and has no more.
  private func removeMissing<M: Model>(_ query: ModelQuery<M>, _ seen: Set<ExactText>) async throws {
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
    if lane.local == nil { try await cutReferences(to: [OutboxEntry.recordName(type, identifier)]) }
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

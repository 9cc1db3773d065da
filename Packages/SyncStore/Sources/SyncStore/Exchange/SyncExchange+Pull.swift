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
    isIncomplete = false
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
    var complete: [RemoteRecord] = []
    for record in records {
      let stored: StoredLane
      do {
        stored = try await locally { try await StoredLane(M.typeName, record.identifier, in: engine.local) }
      } catch is DamagedEntry {
        complete.append(record)
        continue
      }
      guard let known = stored.lane.entry?.base ?? stored.lane.local,
        store.references.lacksExclusiveLink(in: try record.record(over: nil), of: type, comparedTo: known)
      else {
        complete.append(record)
        continue
      }
      do {
        var alone = try await remote.find(type, record.identifier) ?? record
        alone.isKept = record.isKept
        complete.append(alone)
      } catch {
        let error = RemoteFault.storeError(error)
        if RemoteFault.endsExchange(error) { throw error }
        rejected[ExactText(record.identifier)] = (record, error)
      }
    }
    return complete
  }

  /// Takes the rejected records of a type again, after all others. A unique value may have moved from a record that was
  /// changed or removed since.
  ///
  /// - Returns: whether none is left, and none was skipped. Otherwise the next exchange has to read them again, so that
  ///   the mark or the position stays before them.
  func takeRejected<M: Model>(_ type: M.Type) async throws -> Bool {
    var count = Int.max
    while !rejected.isEmpty, rejected.count < count {
      count = rejected.count
      try await take(type, sortedRejected.map(\.record))
    }
    return rejected.isEmpty && !isIncomplete
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
      var restored: [String] = []
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
          if record.isKept {
            let restoration = try await engine.restoration(type, record.identifier, try record.bytes())
            operations += restoration
            if !restoration.isEmpty { restored.append(record.identifier) }
          }
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
      for identifier in restored { noteRestoration(type, identifier) }
      report.pulled += created + restored.count + steps.count { $0.before.lane.local != $0.after.local }
    }
  }

  /// Treats an unknown record as the result of a creation whose answer was lost, if it has all values that were sent.
  ///
  /// With idempotency keys it is skipped, because the repeated request returns the created record. It may also be an equal
  /// record of another client, so the next exchange reads it again.
  ///
  /// - Returns: whether there is such a creation.
  private func isAnswered<M: Model>(_ type: M.Type, _ record: RemoteRecord) async throws -> Bool {
    let candidates = unansweredCreations[M.typeName] ?? []
    if candidates.isEmpty { return false }
    func stored(_ identifier: String) async throws -> StoredLane? {
      do {
        return try await locally { try await StoredLane(M.typeName, identifier, in: engine.local) }
      } catch is DamagedEntry {
        return nil
      }
    }
    guard try await stored(record.identifier)?.isUnknown == true else { return false }
    for temporary in candidates {
      guard let stored = try await stored(temporary), let flight = stored.lane.entry?.flight,
        flight.isReflected(in: try record.record(over: nil))
      else { continue }
      if remote.hasKeys {
        isIncomplete = true
        return true
      }
      try await assign(type, temporary, record.identifier, { try record.record(over: $0) }) {
        $0.read($1, after: .success, resolve: resolver(M.typeName))
      }
      unansweredCreations[M.typeName]?.removeAll { $0 == temporary }
      return true
    }
    return false
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncExchange {
  /// Sends the entries of the outbox, each after those that it waits for.
  ///
  /// - Throws: `ModelStoreError` if no request can succeed now, or ``LocalFailure``.
  func push() async throws {
    try await cutDanglingReferencesOfHeldRecords()
    var held: Set<ExactText> = []
    // Entries added during the pass are sent in another pass.
    for _ in 0..<100 {
      let items = try await items()
      try await replaceMappedReferences(of: items)
      let entries = Dictionary(items.map { ($0.name, $0.entry) }, uniquingKeysWith: { first, _ in first })
      var isDone = true
      // Entries that failed before come last: an exchange may end at one of them.
      var postponed: Set<ExactText> = []
      let steps = Schedule(items).steps.filter { !held.contains($0.name) }
      for isLast in [false, true] {
        // The creations that follow each other and do not wait for each other.
        var (group, names): ([OutboxEntry], Set<ExactText>) = ([], [])
        for step in steps where !isLast || postponed.contains(step.name) {
          guard let entry = entries[step.name] else { continue }
          if !group.isEmpty, !entry.isUnsentCreation || step.waitsFor.contains(where: names.contains) {
            if try await !sendTogether(group, &held), PlantedFault.isPlanted(.stopsAtFailingHead) { return }
            (group, names) = ([], [])
          }
          if isUnanswered { return }
          let isReady = !step.waitsFor.contains { held.contains($0) || postponed.contains($0) }
          if !isLast, isReady, entry.isUnsentCreation {
            isDone = false
            group.append(entry)
            names.insert(step.name)
            continue
          }
          if step.isParked || isDelayed(entry) || step.waitsFor.contains(where: held.contains) {
            held.insert(step.name)
            // A request was sent before the record had to wait, and the pull leaves its record to the answer.
            if !step.isParked, !isDelayed(entry), entry.flight != nil { _ = try await send(entry, atMost: 1) }
            if !step.isParked, PlantedFault.isPlanted(.dropsDependantsOfHeldRecord) {
              try await self.step(entry.type, entry.identifier) { $0.entry = nil }
            }
          } else if !isLast, entry.attempts > 0 || step.waitsFor.contains(where: postponed.contains) {
            postponed.insert(step.name)
          } else {
            isDone = false
            if try await !send(entry) {
              held.insert(step.name)
              if PlantedFault.isPlanted(.stopsAtFailingHead) { return }
            }
            advance()
          }
        }
        if !group.isEmpty, try await !sendTogether(group, &held), PlantedFault.isPlanted(.stopsAtFailingHead) {
          return
        }
        if isUnanswered { return }
      }
      // One of them may have been rejected in this exchange.
      if isDone { return try await cutDanglingReferencesOfHeldRecords() }
    }
  }

  /// Returns the entries with the references of their records.
  func items() async throws -> [Schedule.Item] {
    try await locally {
      referrers = [:]
      awaited = []
      scheduledDeletions = []
      var items: [Schedule.Item] = []
      for entry in try await engine.outbox().entries {
        var item = Schedule.Item(entry: entry, references: [])
        if entry.base == nil { awaited.insert(item.name) }
        let stored = try await engine.local.read(entry.type, entry.identifier)
        item.isDeletion = stored == nil
        if item.isDeletion { scheduledDeletions.insert(item.name) }
        if let modelClass = store.modelClass(named: entry.type) {
          if let stored, let record = store.references.members(in: stored.bytes, of: modelClass) {
            item.references = store.references.names(in: record, of: modelClass)
            for reference in item.references { referrers[reference, default: []].insert(item.name) }
          }
          // A request without an answer may have taken effect.
          for record in [entry.base, entry.flight?.record] {
            if let record { item.formerReferences.formUnion(store.references.names(in: record, of: modelClass)) }
          }
        }
        items.append(item)
      }
      return items
    }
  }

  /// Sends an entry, and again if it was edited during the request.
  ///
  /// - Parameters:
  ///   - entry: the entry.
  ///   - limit: the number of requests. An entry that is edited continuously does not delay the others.
  ///   - first: stores the outcome of the first attempt; nil if there was none.
  /// - Returns: whether it needs nothing more.
  func send(
    _ entry: OutboxEntry, atMost limit: Int = 5, after first: (() async throws -> SendOutcome)? = nil
  ) async throws -> Bool {
    guard let modelClass = store.modelClass(named: entry.type) else {
      fail(
        entry.type, entry.identifier,
        ModelStoreError(
          .unsupported,
          "The \(entry.type) was not sent, because its class is unknown: call synchronize(_:) with it.",
          identifier: entry.identifier))
      return false
    }
    func attempt<M: Model>(_ type: M.Type) async throws -> SendOutcome {
      try await self.attempt(type, entry.identifier)
    }
    do {
      for number in 0..<limit {
        let outcome: SendOutcome
        if number == 0, let first { outcome = try await first() } else { outcome = try await attempt(modelClass) }
        switch outcome {
        case .finished, .later: return true
        case .held:
          // A record that only has to wait for others is there for those that wait for its creation.
          let rest = try await step(entry.type, entry.identifier) { _ in }.entry
          return entry.base == nil && rest.map { $0.base != nil && !$0.isParked } ?? true
        case .again: continue
        }
      }
      if let message = try await step(entry.type, entry.identifier, { _ in }).entry?.error {
        fail(entry.type, entry.identifier, ModelStoreError(.server, message, identifier: entry.identifier))
      }
    } catch let damaged as DamagedEntry {
      report.damaged.append(OutboxEntry.recordIdentifier(damaged.type, damaged.identifier))
    }
    return false
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// One exchange of a store with its remote store: the loop around the decisions of lanes.
///
/// It belongs to the isolation of the store. Each step is committed before the next one begins, so that it can end
/// anywhere.
final class SyncExchange<Local: RecordEngine> {
  let store: SyncModelStore<Local>
  let remote: RemoteRecords
  var report = SyncReport()
  /// The types of which all records of the server were read in this exchange.
  var pulledTypes: Set<String> = []
  /// Whether all records are compared, whatever changed since the last time.
  var comparesAll = false
  /// Whether entries that failed wait for their time.
  var obeysDelays = false
  /// The number of requests in a row that had no answer in time.
  private var timeouts = 0
  /// Whether the pull ended because lists had no answer in time.
  private var hasUnansweredLists = false
  /// The records of the type being pulled that a local rule rejects, such as that about unique values.
  var rejected: [ExactText: (record: RemoteRecord, error: ModelStoreError)] = [:]
  /// Whether a record of the type being pulled was skipped, and has to be read again.
  var isIncomplete = false
  /// The temporary identifiers of records whose creation was sent without an answer, by type.
  var unansweredCreations: [String: [String]] = [:]
  /// The names of the records that are not sent and whose references were checked.
  var heldRecords: Set<ExactText> = []
  /// The names of the records that the server does not have yet.
  var awaited: Set<ExactText> = []
  /// The names of the records whose deletion the current pass of the push has in its order.
  var scheduledDeletions: Set<ExactText> = []
  /// The names of records by the names of records with temporary identifiers that they reference.
  var referrers: [ExactText: Set<ExactText>] = [:]

  init(_ store: SyncModelStore<Local>, _ remote: RemoteRecords) {
    self.store = store
    self.remote = remote
  }

  var engine: SyncEngine<Local> { store.handle }

  /// Returns the function that decides about conflicts of a type: that of the class of each record.
  func resolver(_ type: String) -> Lane.Resolver {
    guard let modelClass = store.modelClass(named: type), !store.resolvers.isEmpty else { return Lane.merging }
    return { [store] conflict in
      var current: AnyClass? = modelClass.storedClass(for: conflict.local ?? conflict.remote ?? [:])
      while let known = current {
        if let decide = store.resolvers[ObjectIdentifier(known)] { return decide(conflict) }
        current = _getSuperclass(known)
      }
      return .merge
    }
  }

  var environment: SyncEnvironment { engine.options.environment }

  /// The number of types and entries that are done, and of all.
  private var progress = (done: 0, count: 0)

  /// Pulls types, then sends the outbox.
  ///
  /// - Parameter isDue: returns whether a type is to be pulled. One with an unanswered creation that is to be sent again
  ///   is, too.
  /// - Throws: `ModelStoreError` if no request can succeed now, or an error of the local engine.
  func run(where isDue: (String) -> Bool) async throws {
    let outbox = try await engine.outbox()
    report.damaged = outbox.damaged
    // The types with a creation whose record may be found among those of the server.
    var awaitedTypes: Set<String> = []
    for entry in outbox.entries {
      if let modelClass = store.modelClass(named: entry.type) { store.synchronize(modelClass) }
      if entry.flight?.isCreation == true, engine.options.isTemporary(entry.type, entry.identifier) {
        unansweredCreations[entry.type, default: []].append(entry.identifier)
        if !isDelayed(entry) { awaitedTypes.insert(entry.type) }
      }
    }
    do {
      // A pull that finds the record of such a creation replaces the references to it.
      if !unansweredCreations.isEmpty { _ = try await items() }
      let types = store.types.filter { isDue($0.name) || awaitedTypes.contains($0.name) }
      expect(types.count + outbox.entries.count)
      for (_, modelClass) in types where !isUnanswered {
        try await pull(modelClass)
        advance()
      }
      // A server that does not list records in time may store one: the next timeout ends the exchange.
      hasUnansweredLists = isUnanswered
      if hasUnansweredLists { timeouts = Self.maximumTimeouts - 1 }
      try await push()
    } catch let failure as LocalFailure {
      throw failure.error
    }
    let (rest, damaged) = try await engine.outbox()
    report.waiting = rest.count
    report.waitingSince = rest.map(\.since).min()
    let (now, random) = (environment.uptime(), environment.random())
    engine.retryTimes.withLock { $0.keep(rest, at: now) { Lane.delay($0, random) } }
    report.isUnanswered = isUnanswered || hasUnansweredLists && timeouts > 0
    if report.isUnanswered { return store.noteUnreachable() }
    if report.failures.isEmpty { store.lastCompletion = environment.date }
    store.unreachableSince = nil
    let held = rest.count(where: \.isParked) + damaged.count
    store.status.value = held > 0 ? .needsAttention(held) : .idle(since: store.lastCompletion)
  }

  // MARK: Failures

  /// Whether so many requests in a row had no answer that others would not have one either. Each takes a minute or so.
  var isUnanswered: Bool { timeouts >= Self.maximumTimeouts }

  private static var maximumTimeouts: Int { 3 }

  /// Records that the server answered a request.
  func noteAnswer() { timeouts = 0 }

  /// Records that a request failed.
  func noteFault(_ error: ModelStoreError) { timeouts = error.code == .timeout ? timeouts + 1 : 0 }

  /// Returns whether an entry has to wait for its time.
  func isDelayed(_ entry: OutboxEntry) -> Bool {
    let now = environment.uptime()
    return obeysDelays && engine.retryTimes.withLock { $0.isDelayed(entry, at: now) }
  }

  /// Delays the next attempt of a background synchronisation at an entry.
  func delay(_ type: String, _ identifier: String, by milliseconds: Int) {
    let time = environment.uptime() + milliseconds
    engine.retryTimes.withLock { $0.delay(OutboxEntry.recordName(type, identifier), until: time) }
  }

  /// Returns the milliseconds before another attempt, at least those that the server requires.
  func delay(_ attempts: Int, after error: ModelStoreError) -> Int {
    let required = error.refusal?.retryAfter.map { min($0.milliseconds, Lane.longestDelay) }
    return max(Lane.delay(attempts, environment.random()), required ?? 0)
  }

  /// Publishes the amount of work.
  private func expect(_ count: Int) {
    progress = (0, count)
    store.status.value = .syncing(done: 0, of: count)
  }

  /// Records that a type or an entry is done.
  func advance() {
    progress.done += 1
    progress.count = max(progress.count, progress.done)
    store.status.value = .syncing(done: progress.done, of: progress.count)
  }

  // MARK: Steps

  /// Performs a step of a lane and commits it. The step is repeated after a concurrent local write.
  ///
  /// - Returns: the state after the step.
  /// - Throws: ``LocalFailure``, or ``DamagedEntry``.
  @discardableResult
  func step(_ type: String, _ identifier: String, _ body: (inout Lane) -> Void) async throws -> Lane {
    try await locally {
      try await retryingMismatches {
        let stored = try await StoredLane(type, identifier, in: engine.local)
        var lane = stored.lane
        body(&lane)
        try await store.commit(try stored.operations(to: lane) { try note($0, type, identifier) })
        noteOutcome(stored, lane)
        return lane
      }
    }
  }

  /// Counts the outcome of a step in the report, and shows the messages of a rejection on the live model.
  func noteOutcome(_ stored: StoredLane, _ next: Lane) {
    report.discarded += next.discarded.count
    if !next.discarded.isEmpty {
      let keys = next.discarded.compactMap(\.key)
      emit(.discarded(type: stored.type, identifier: stored.identifier, keys: keys))
    }
    if let entry = next.entry, entry.isParked, stored.lane.entry?.isParked != true {
      store.showErrors(of: entry)
      if let conflict = entry.conflict(with: next.local) {
        emit(.conflicted(type: entry.type, identifier: entry.identifier, keys: conflict.keys))
      } else {
        emit(.parked(type: entry.type, identifier: entry.identifier, keys: entry.fields.keys.sorted()))
      }
    }
    guard let entry = next.entry, entry.conflict != nil, stored.lane.entry?.conflict == nil else { return }
    fail(entry.type, entry.identifier, ModelStoreError(.conflict, entry.error ?? "", identifier: entry.identifier))
  }

  /// Records that a damaged entry was discarded with the deletion that it had.
  func noteRestoration(_ type: String, _ identifier: String) {
    report.discarded += 1
    report.damaged.removeAll { $0 == OutboxEntry.recordIdentifier(type, identifier) }
    emit(.discarded(type: type, identifier: identifier, keys: [DiscardedValue.outboxEntryKey]))
  }

  /// Returns the operation that records a discarded local value.
  func note(
    _ discarded: RecordMerge.Discarded, _ type: String, _ identifier: String
  ) throws -> RecordOperation {
    try DiscardedValue(discarded, of: type, identifier, environment).creation()
  }

  /// Reports an event to the monitor.
  func emit(_ event: @autoclosure () -> SyncEvent) {
    if let monitor = engine.options.monitor { monitor.record(event()) }
  }

  /// Runs calls of the local engine, and marks their errors.
  ///
  /// - Throws: ``LocalFailure``, or ``DamagedEntry``.
  func locally<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error where !(error is DamagedEntry || error is LocalFailure) {
      throw LocalFailure(error: error)
    }
  }

  /// Records that a record or a type could not be synchronised.
  func fail(_ type: String, _ identifier: String?, _ error: ModelStoreError) {
    report.failures.append(SyncReport.Failure(type: type, identifier: identifier, error: error))
  }
}

/// An error of the local engine, which ends an exchange.
struct LocalFailure: Error {
  let error: any Error
}

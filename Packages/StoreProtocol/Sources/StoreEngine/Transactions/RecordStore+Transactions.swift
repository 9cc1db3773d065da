@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

extension RecordStore {
  /// The transaction of the running task.
  @_spi(ModelKitInternals)
  @inline(__always)
  public final var transaction: StoreTransaction? {
    transactions.isEmpty ? nil : transactions.last { $0.mark.isEntered }
  }

  /// Runs a closure as a transaction: see `transaction(_:)`.
  public final func runTransaction<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await runTransaction(isRecorded: true, body)
  }

  /// - Parameter isRecorded: whether the transaction is a call of the app, which has an event.
  final func runTransaction<Result>(
    isRecorded: Bool, _ body: () async throws -> Result
  ) async throws -> Result {
    guard IndependentWrites.areTogether else {
      return try await runTransaction(areIndependent: false, isRecorded: isRecorded, body)
    }
    return try await IndependentWrites.$areTogether.withValue(false, in: #isolation) {
      try await runTransaction(areIndependent: true, isRecorded: isRecorded, body)
    }
  }

  private func runTransaction<Result>(
    areIndependent: Bool, isRecorded: Bool, _ body: () async throws -> Result
  ) async throws -> Result {
    try checkCancellation()
    // A nested transaction is a part of the event of the outer one.
    if !isRecorded || transaction != nil { return try await runInTurn(areIndependent: areIndependent, body) }
    return try await ModelStoreEvent.recording(.transaction, of: Self.self, nil) { _ in
      try await runInTurn(areIndependent: areIndependent, body)
    }
  }

  private func runInTurn<Result>(areIndependent: Bool, _ body: () async throws -> Result) async throws -> Result {
    while true {
      try checkCancellation()
      try parts.check()
      // A task has the turn of the scope already if it is in a transaction of one of its stores.
      guard let outer = TransactionMark.innermost(of: scope) else { break }
      let turns = scope.innerTransactionTurns, id = ObjectIdentifier(outer)
      try await begin(turns, id, for: outer)
      defer { turns.end(id) }
      // The outer one may have ended while the task waited.
      guard outer.isOpen else { continue }
      guard let transaction else { return try await runOutermost(areIndependent: areIndependent, body) }
      do {
        return try await parts.runNested(in: scope, transaction.log, body)
      } catch {
        await readOutdated(of: transaction)
        throw error
      }
    }
    try await begin(scope.transactionTurns, true, for: scope)
    defer { scope.transactionTurns.end(true) }
    return try await runOutermost(areIndependent: areIndependent, body)
  }

  /// Waits for a turn, unless that would never end.
  private func begin<Key>(_ turns: Turns<Key>, _ key: Key, for owner: AnyObject) async throws {
    if turns.beginImmediately(key) { return }
    let wait = try TransactionWaits.begin(for: owner)
    defer { TransactionWaits.end(wait) }
    try await turns.begin(key)
  }

  private func runOutermost<Result>(areIndependent: Bool, _ body: () async throws -> Result) async throws -> Result {
    // Queries would find records under previous identifiers of live models, too.
    scope.prepareToRead()
    let trackers = try await handle.conflictTrackers
    let current = StoreTransaction(trackers.begin(), of: scope, parts)
    transactions.append(current)
    let edits = TransactionEdits(
      in: scope, onFailure: current.log.onFailure, wasInside: { current.mark.wasEntered }
    ) { current.mark.isEntered }
    defer { trackers.end(current.tracker) }
    let result: Result
    let completed: [RecordOperation]
    var start: PendingReads.Moment?
    defer { if start != nil { scope.pendingReads.end() } }
    do {
      result = try await current.mark.enter {
        defer { end(current) }
        return try await body()
      }
      try checkCancellation()
      let reads = current.dependencies
      // As for a single save: a feed or a read may bring later values of others before the commit returns.
      if !handle.readsImmediately { start = scope.pendingReads.begin() }
      completed = try await commit(
        RecordBatch(
          current.operations, after: reads.isEmpty ? nil : TrackedReads(tracker: current.tracker, reads: reads),
          areIndependent: areIndependent))
    } catch {
      current.noteRollback()
      await readAgain(edits.revert { current.log.rollBack() }.union(parts.takeRestored()), after: current.tracker)
      await readOutdated(of: current)
      throw (error as? RecordMismatch)?.transactionError ?? error
    }
    let overtaken = start.map { start in edits.savedModels.filter { scope.pendingReads.isNewer($0, than: start) } }
    edits.commit { current.log.commit() }
    for operation in completed { current.readers[operation.type]?(operation) }
    await readAgain(parts.takeRestored(), after: current.tracker)
    for case let model as any ModelObject & ModelIsolation in overtaken ?? [] {
      if model.isKnownToStore, let identifier = model.storedIdentifier { await readAgain(model, identifier) }
    }
    await readOutdated(of: current)
    return result
  }

  /// Reads the records that others changed during a transaction into models whose fields it restored: reads of other
  /// tasks left these fields as they were.
  private func readAgain(_ models: Set<ModelObject>, after tracker: ConflictTracker) async {
    for case let model as any ModelObject & ModelIsolation in models {
      guard model.isKnownToStore, let identifier = model.storedIdentifier,
        tracker.saw(model.storedTypeName, identifier)
      else { continue }
      await readAgain(model, identifier)
    }
  }

  /// Reads models again that a transaction had read from its own writes, which were rolled back. Also reads models
  /// again that other tasks had read before the commit, which cut their links. No earlier state of these models has the
  /// stored values.
  private func readOutdated(of transaction: StoreTransaction) async {
    for (name, outdated) in transaction.takeOutdated() {
      let identifier = name.identifier.text
      guard
        let model = scope.liveModel(of: outdated.modelClass, identifier: identifier)
          as? any ModelObject & ModelIsolation,
        model.isKnownToStore
      else { continue }
      await readAgain(model, identifier, isCreated: outdated.isCreated)
    }
  }

  /// Reads the record of a model again, unless the model is saved or read meanwhile.
  ///
  /// - Parameter isCreated: whether a transaction that failed created the record. Without one, the model becomes an
  ///   unloaded reference again.
  final func readAgain<M: Model>(_ model: M, _ identifier: String, isCreated: Bool = false) async {
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    let found: (bytes: [UInt8], revision: UInt64)?
    // The next read reports a record that can't be read.
    do { found = try await currentRecord(model.storedTypeName, identifier) } catch { return }
    let answer = scope.pendingReads.answer(since: start)
    // A model that was saved or read meanwhile is newer.
    guard model.isKnownToStore, !scope.pendingReads.isNewer(model, than: start) else { return }
    guard let record = found else {
      guard isCreated, !model.isDirty else { return }
      model.unload()
      model.markWithoutRecord()
      return
    }
    guard let read = try? models(M.self, fromBytes: [record.bytes], identifier: { _ in identifier }) else { return }
    scope.pendingReads.noteRead(of: read, at: answer)
    noteModels(M.self, of: CollectionOfOne(identifier))
  }

  /// Returns a record as ``record(_:_:at:)`` does, even in a cancelled task: the cancellation may have ended the
  /// transaction.
  private func currentRecord(
    _ type: String, _ identifier: String
  ) async throws -> (bytes: [UInt8], revision: UInt64)? {
    guard Task.isCancelled, transaction?.entry(type, identifier) == nil else {
      return try await record(type, identifier)
    }
    return try await Task { [handle] in try await handle.read(type, identifier) }.value.map { ($0.bytes, $0.revision) }
  }

  /// Ends a transaction for the tasks that outlive its body.
  private func end(_ transaction: StoreTransaction) {
    parts.endParts(inside: transaction.log)
    transactions.removeAll { $0 === transaction }
    transaction.mark.end()
  }

  /// Runs a call of the store again if the transaction in which it began has ended meanwhile.
  final func repeating(_ call: () async throws -> Void) async throws {
    // A record may have another identifier since its model was read.
    scope.prepareToRead()
    while true {
      do { return try await call() } catch is TransactionEnded { try checkCancellation() }
    }
  }

  /// Throws if a call can't write any more because the transaction in which it began has ended.
  ///
  /// - Parameter log: the log of the transaction in which it began; nil for none.
  /// - Throws: ``TransactionEnded``; `ModelStoreError` with the code `conflict` in a nested transaction that goes on.
  private func checkTransaction(is log: StoreTransactionLog?) throws {
    try parts.check()
    if transaction?.log !== log { throw TransactionEnded() }
  }

  /// Commits a batch, at once if the engine can, and returns the operations whose records have other values than were
  /// written.
  final func commit(_ batch: RecordBatch) async throws -> [RecordOperation] {
    if try handle.commitImmediately(batch) { return [] }
    return try await handle.commitCompleting(batch)
  }

  /// Reads the values that the engine gave records when they were written, once they are committed.
  final func readCompleted<M: Model>(_ operations: [RecordOperation], as type: M.Type) {
    if !handle.readsImmediately, let transaction, transaction.readers[M.typeName] == nil {
      transaction.readers[M.typeName] = { [unowned self] in self.readCompleted([$0], as: type) }
    }
    for operation in operations where operation.type == M.typeName {
      // The write is committed: a value that no field can hold is reported by the next read.
      _ = try? models(type, fromBytes: [Array(operation.value)]) { _ in operation.identifier }
    }
  }

  /// Commits operations at once, or adds them to the open transaction.
  ///
  /// - Parameters:
  ///   - operations: the operations.
  ///   - log: the log of the transaction in which the call began; nil for none.
  /// - Returns: the operations whose records have other values than were written.
  /// - Throws: ``RecordMismatch`` for a record that was changed; ``TransactionEnded`` if the task outlives the
  ///   transaction; and otherwise `ModelStoreError`.
  @discardableResult
  final func write(_ operations: [RecordOperation], in log: StoreTransactionLog?) async throws -> [RecordOperation] {
    try checkTransaction(is: log)
    if let transaction {
      try await note(operations, in: transaction, log)
      return []
    }
    do {
      return try await commit(RecordBatch(operations))
    } catch let mismatch as RecordMismatch {
      if mismatch.reason == .wasChanged { throw mismatch }
      throw mismatch.storeError
    }
  }

  /// Adds operations to the open transaction, atomically.
  private func note(
    _ operations: [RecordOperation], in transaction: StoreTransaction, _ log: StoreTransactionLog?
  ) async throws {
    var stored: [(bytes: [UInt8], revision: UInt64)?] = []
    var added: Set<RecordName> = []
    var unreadable: Set<RecordName> = []
    var written: Set<RecordName> = []
    for operation in operations {
      if transaction.entry(operation.type, operation.identifier) != nil {
        written.insert(RecordName(operation.type, operation.identifier))
      }
      let record: (bytes: [UInt8], revision: UInt64)?
      do {
        record = try await self.record(operation.type, operation.identifier)
      } catch let error as ModelStoreError where error.code == .corrupt && operation.operation == .delete {
        // A record that can't be read any more can be removed nevertheless.
        unreadable.insert(RecordName(operation.type, operation.identifier))
        record = ([], 0)
      }
      stored.append(record)
      if operation.operation == .create {
        if record != nil || !added.insert(RecordName(operation.type, operation.identifier)).inserted {
          throw ModelStoreError.conflict(operation.type, identifier: operation.identifier)
        }
      } else if record == nil {
        throw ModelStoreError.notFound(operation.type, identifier: operation.identifier)
      }
      // A nested transaction whose record it was may have failed since.
      if operation.operation == .update, let previous = operation.previousValue, previous != record?.bytes {
        throw RecordMismatch(.wasChanged, operation.type, operation.identifier)
      }
    }
    try await followCommits()
    try checkTransaction(is: log)
    for name in written where transaction.entry(name.type.text, name.identifier.text) == nil {
      throw RecordMismatch(.wasChanged, name.type.text, name.identifier.text)
    }
    for operation in operations { try transaction.checkWriter(of: operation.type, operation.identifier) }
    for operation in operations { try check(operation, in: transaction) }
    for (operation, record) in zip(operations, stored) {
      transaction.put(
        operation.operation == .delete ? nil : Array(operation.value), operation.type, operation.identifier,
        stored: record, isUnreadable: unreadable.contains(RecordName(operation.type, operation.identifier)))
    }
  }

  /// Throws if another task of the transaction has written the record of an operation since that was made.
  private func check(_ operation: RecordOperation, in transaction: StoreTransaction) throws {
    let (type, identifier) = (operation.type, operation.identifier)
    guard let entry = transaction.entry(type, identifier) else { return }
    guard let content = entry.content else {
      if operation.operation == .create { return }
      throw ModelStoreError.notFound(type, identifier: identifier)
    }
    if operation.operation == .create { throw ModelStoreError.conflict(type, identifier: identifier) }
    if let previous = operation.previousValue, previous != content {
      throw RecordMismatch(.wasChanged, type, identifier)
    }
  }

  /// Records the commits of other processes if a transaction is open.
  final func followCommits() async throws {
    if transaction != nil { try await handle.followCommits() }
  }

  /// Returns a record as this instance sees it, including the open transaction; nil if there is none.
  ///
  /// - Parameter snapshot: the snapshot to read; nil for the current record.
  final func record(
    _ type: String, _ identifier: String, at snapshot: Engine.Snapshot? = nil
  ) async throws -> (bytes: [UInt8], revision: UInt64)? {
    if let entry = transaction?.entry(type, identifier) { return entry.content.map { ($0, entry.revision ?? 0) } }
    if let snapshot { return try await snapshot.record(type, identifier).map { ($0.bytes, $0.revision) } }
    if case .answer(let record) = try handle.readImmediately(type, identifier) {
      return record.map { ($0.bytes, $0.revision) }
    }
    return try await handle.read(type, identifier).map { ($0.bytes, $0.revision) }
  }

  /// Throws if the running task was cancelled.
  @_spi(ModelKitInternals)
  public final func checkCancellation() throws {
    if Task.isCancelled { throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.") }
  }
}

/// The error for a call that is to be repeated, because the transaction in which it began has ended.
private struct TransactionEnded: Error {}

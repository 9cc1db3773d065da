@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// A read of records of a type that waits for the engine.
@_spi(ModelKitInternals)
public struct PendingRead {
  /// The beginning of the read.
  public let start: PendingReads.Moment
  let state: WriteState?
  /// The last write to the type before the read.
  let lastWrite: UInt64?
  /// Whether it began in a transaction, whose writes it sees.
  let isInTransaction: Bool
}

@_spi(ModelKitInternals)
extension RecordStore {
  /// Returns the live model of an identifier if no record of its type was written since it was read. An open
  /// transaction of another task matters only if it wrote records of the type.
  final func unchangedModel<M: Model>(_ type: M.Type, _ identifier: String) -> M? {
    guard transactions.isEmpty || canIgnoreTransactions(M.typeName), let known = knownContext(type) else { return nil }
    return known._withUnsafeGuaranteedRef { context in
      guard context.remembersReading,
        let model = scope.liveModel(type, identifier: identifier), Swift.type(of: model) == type,
        let revision = model.revisionRead(from: context.source), context.isUnchanged(since: revision), !isRefreshing
      else { return nil }
      return model
    }
  }

  /// Returns whether the running task is in no transaction, and no open transaction wrote records of a type. Then a
  /// live model of the type has the stored values, or unsaved edits.
  @inline(never)
  public final func canIgnoreTransactions(_ type: String) -> Bool {
    transactions.allSatisfy { !$0.mark.isEntered && !$0.touches(type) }
  }

  final func find<M: Model>(_ type: M.Type, _ identifier: String) async throws -> M {
    let context = try await context(of: type)
    try await followCommits()
    try transaction?.noteRead(context.name, identifier)
    let remembers = context.remembersReading && transaction?.touches(context.name) != true
    // A write from here on may be read or not.
    let lastWrite = context.state?.lastWrite ?? 0
    let read = beginRead(context)
    defer { scope.pendingReads.end() }
    guard let stored = try await record(context.name, identifier) else {
      throw ModelStoreError.notFound(context.name, identifier: identifier)
    }
    let answer = scope.pendingReads.answer(since: read.start)
    try await scope.creations.waitForCreations(of: context.name)
    if isRefreshing, let model = scope.liveModel(type, identifier: identifier) {
      // A save has captured values that the refresh discards, but stores them all the same.
      try await saveTurns.waitUntilFree(ObjectIdentifier(model))
    }
    if mayBeOutdated(read), scope.isOutdated(type, identifier: identifier, readSince: read.start) {
      return try await lookup(type, identifier: identifier)
    }
    let model = try model(type, identifier, stored.bytes, context, asOf: remembers ? lastWrite : nil)
    scope.pendingReads.noteRead(of: CollectionOfOne(model), at: answer)
    return model
  }

  /// Creates or updates the model of a record.
  ///
  /// - Parameter lastWrite: the last write to the type before the record was read; nil to read the record again next
  ///   time.
  /// - Throws: `ModelStoreError` with the code `notFound` if the record is one of another class.
  public final func model<M: Model>(
    _ type: M.Type, _ identifier: String, _ bytes: [UInt8], _ context: TypeContext, asOf lastWrite: UInt64?
  ) throws -> M {
    guard try isRecord(bytes, identifier, of: type, context) else {
      throw ModelStoreError.notFound(context.name, identifier: identifier)
    }
    let model = try models(type, fromBytes: [bytes]) { _ in identifier }[0]
    noteModels(type, of: CollectionOfOne(identifier))
    if let lastWrite, Swift.type(of: model) == type {
      model.markRead(from: context.source, asOf: lastWrite, .next())
    }
    return model
  }

  /// Records that models were read from records, in case the open transaction wrote these and fails.
  public final func noteModels<M: Model>(_ type: M.Type, of identifiers: some Sequence<String>) {
    guard let transaction, transaction.touches(M.typeName) else { return }
    for identifier in identifiers { transaction.noteModel(type, M.typeName, identifier) }
  }

  /// Returns whether a record belongs to a class, and not to another class that is stored with it.
  final func isRecord<M: Model>(
    _ bytes: [UInt8], _ identifier: String, of type: M.Type, _ context: TypeContext
  ) throws -> Bool {
    context.choosesClasses ? M.includes(try object(bytes, context.name, identifier)) : context.isTopOfHierarchy
  }

  /// Returns the class of a record for a reference to it; nil if there is none, or it can't be read at once.
  final func classOfRecord(_ type: ModelObject.Type, _ identifier: String) -> ModelObject.Type? {
    let name = type.typeName
    let entry = transaction?.entry(name, identifier)
    let bytes = entry == nil ? try? handle.readBlocking(name, identifier)?.bytes : entry?.content
    return bytes.flatMap { try? object($0, name, identifier) }.map(type.storedClass)
  }

  private func object(_ bytes: [UInt8], _ type: String, _ identifier: String) throws -> AttributeDictionary {
    do {
      if case .object(let record) = try JSONValue(json: bytes) { return record }
      throw ModelStoreError(.corrupt, "it is not a JSON object", identifier: identifier)
    } catch {
      throw ModelStoreError.unreadable(type, identifier: identifier, error)
    }
  }

  /// Begins a read of records of a type.
  public final func beginRead(_ context: TypeContext) -> PendingRead {
    PendingRead(
      start: scope.pendingReads.begin(), state: context.state, lastWrite: context.state?.lastWrite,
      isInTransaction: transaction != nil)
  }

  /// Returns whether a record may be outdated: its type was written since a read began, or a transaction around the read
  /// was rolled back.
  public final func mayBeOutdated(_ read: PendingRead) -> Bool {
    guard let state = read.state, transactions.isEmpty, !read.isInTransaction else { return true }
    return state.lastWrite != read.lastWrite
  }

  /// Creates or updates models from records that were read before. Omits unreadable records if the store skips them.
  public final func readableModels<M: Model>(
    _ type: M.Type, _ records: [FoundRecord], _ read: PendingRead, answeredAt answer: PendingReads.Moment
  ) async throws -> [M] {
    var (records, answer) = (records, answer)
    if mayBeOutdated(read) {
      let current = try await currentRecords(
        type, records.map { (identifier: $0.identifier, bytes: $0.value) }, readSince: read.start, answeredAt: &answer
      ) { try await self.record(M.typeName, $0)?.bytes }
      records = zip(records, current).compactMap { record, bytes in bytes.map { (record.identifier, $0) } }
    }
    noteModels(type, of: records.lazy.map(\.identifier))
    if !skipsUnreadableRecords {
      let models = try models(type, fromBytes: records.map(\.value)) { records[$0].identifier }
      scope.pendingReads.noteRead(of: models, at: answer)
      return models
    }
    let made = try readableModels(type, fromBytes: records.map(\.value)) { records[$0].identifier }
    let models = made.models.compactMap(\.self)
    scope.pendingReads.noteRead(of: models, at: answer)
    for (number, error) in made.unreadable { try await skip(error, M.typeName, records[number].identifier) }
    return models
  }
}

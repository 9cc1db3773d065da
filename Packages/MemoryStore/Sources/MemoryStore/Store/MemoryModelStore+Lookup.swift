@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryModelStore {
  /// Finds a model by its identifier, without suspending.
  ///
  /// A live model whose record is unchanged is not read again.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  /// - Complexity: O(1), and O(*n*) in the size of a record that has to be read.
  public func lookupImmediately<M: Model>(_ type: M.Type, identifier: String) throws -> M {
    // Without the call of a generic function of another module, which takes as long as the lookup.
    if !ModelStoreEvent.isObserved { return try found(type, identifier) }
    return try ModelStoreEvent.recordingImmediately(.lookup, of: Self.self, M.typeName) { event in
      event?.count = 1
      return try found(type, identifier)
    }
  }

  @inline(__always)
  private func found<M: Model>(_ type: M.Type, _ identifier: String) throws -> M {
    if transactions.isEmpty || canIgnoreTransactions(M.typeName), let model = unchangedModel(type, identifier) {
      return model
    }
    return try read(type, identifier)
  }

  /// Returns the live model if its record is unchanged.
  @inline(__always)
  private func unchangedModel<M: Model>(_ type: M.Type, _ identifier: String) -> M? {
    unretainedContext(of: type)._withUnsafeGuaranteedRef { known in
      guard known.remembersReading, let model = scope.liveModel(type, identifier: identifier),
        Swift.type(of: model) == type, let revision = model.revisionRead(from: known.source)
      else { return nil }
      if known.isUnchanged(since: revision) { return model }
      guard let (row, lastWrite) = handle.read(known.name, identifier), row.revision <= revision else { return nil }
      model.markUnchanged(asOf: lastWrite)
      return model
    }
  }

  /// Reads a model whose record may have changed, or inside a transaction.
  func read<M: Model>(_ type: M.Type, _ identifier: String) throws -> M {
    let context = context(of: type)
    if let transaction {
      try transaction.noteRead(context.name, identifier)
      if let entry = transaction.entry(context.name, identifier) {
        guard let bytes = entry.content else { throw ModelStoreError.notFound(context.name, identifier: identifier) }
        let model = try model(type, identifier, bytes, context, asOf: nil)
        scope.pendingReads.noteImmediateRead(of: CollectionOfOne(model))
        return model
      }
    }
    guard let (row, lastWrite) = handle.read(context.name, identifier) else {
      throw ModelStoreError.notFound(context.name, identifier: identifier)
    }
    let isRemembered = context.remembersReading && transaction?.touches(context.name) != true
    let model = try model(type, identifier, row.bytes, context, asOf: isRemembered ? lastWrite : nil)
    scope.pendingReads.noteImmediateRead(of: CollectionOfOne(model))
    return model
  }

  // MARK: Many

  /// Returns the models of records at the last write of their type. Live models that were read from these records are
  /// not read again.
  func models<M: Model>(_ type: M.Type, of rows: [MemoryRow], asOf lastWrite: UInt64?) throws -> [M] {
    noteModels(type, of: rows.lazy.map(\.identifier))
    let known = context(of: type)
    let remembered = known.remembersReading && !isRefreshing ? lastWrite : nil
    guard let lastWrite = remembered, !scope.hasNoModel(of: type) else {
      let models = try models(type, fromBytes: rows.map(\.bytes)) { rows[$0].identifier }
      scope.pendingReads.noteImmediateRead(of: models)
      if let remembered { models.markRead(as: type, from: known.source, asOf: remembered) }
      return models
    }
    var live: [M] = []
    live.reserveCapacity(rows.count)
    var missing: [Int] = []
    for (number, row) in rows.enumerated() {
      if let model = scope.liveModel(type, identifier: row.identifier), Swift.type(of: model) == type,
        let revision = model.revisionRead(from: known.source), row.revision <= revision
      {
        live.append(model)
      } else {
        missing.append(number)
      }
    }
    if missing.isEmpty { return live }
    let read = try models(type, fromBytes: missing.map { rows[$0].bytes }) { rows[missing[$0]].identifier }
    scope.pendingReads.noteImmediateRead(of: read)
    read.markRead(as: type, from: known.source, asOf: lastWrite)
    if live.isEmpty { return read }
    var all: [M] = []
    all.reserveCapacity(rows.count)
    var (nextRead, nextLive) = (0, 0)
    for number in rows.indices {
      if nextRead < missing.count, missing[nextRead] == number {
        all.append(read[nextRead])
        nextRead += 1
      } else {
        all.append(live[nextLive])
        nextLive += 1
      }
    }
    return all
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryModelStore {
  /// Finds a model by its identifier.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try checkCancellation()
    if isRefreshing { return try read(known(type), type, identifier) }
    return try lookupImmediately(type, identifier: identifier)
  }

  /// Finds a model by its identifier, without suspending.
  ///
  /// A live model whose record is the one that it was read from is not read again.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  /// - Complexity: O(1), and what it takes to read the record.
  public func lookupImmediately<M: Model>(_ type: M.Type, identifier: String) throws -> M {
    if transactions.isEmpty, let model = unchangedModel(type, identifier) { return model }
    return try read(known(type), type, identifier)
  }

  /// The live model, if its record is the one that it was read from.
  @inline(__always)
  private func unchangedModel<M: Model>(_ type: M.Type, _ identifier: String) -> M? {
    knownUnretained(type)._withUnsafeGuaranteedRef { known in
      guard known.remembersReading, let model = scope.liveModel(type, identifier: identifier),
        Swift.type(of: model) == type, let revision = model.revisionRead(from: known.source)
      else { return nil }
      if known.state.lastWrite <= revision { return model }
      guard let (row, lastWrite) = handle.read(known.name, identifier), row.revision <= revision else { return nil }
      model.markUnchanged(asOf: lastWrite)
      return model
    }
  }

  private func read<M: Model>(_ known: MemoryFrontType, _ type: M.Type, _ identifier: String) throws -> M {
    if let transaction {
      try transaction.noteRead(known.name, identifier, revision: handle.row(known.name, identifier)?.revision)
    }
    if let transaction, transaction.touches(known.name) {
      guard let row = row(known.name, identifier), try isOfType(row, known, type) else {
        throw ModelStoreError.notFound(known.name, identifier: identifier)
      }
      return try models(type, fromBytes: [row.bytes]) { _ in identifier }[0]
    }
    guard let (row, lastWrite) = handle.read(known.name, identifier), try isOfType(row, known, type) else {
      throw ModelStoreError.notFound(known.name, identifier: identifier)
    }
    let model = try models(type, fromBytes: [row.bytes]) { _ in identifier }[0]
    if known.remembersReading, Swift.type(of: model) == type {
      model.markRead(from: known.source, asOf: lastWrite, .next())
    }
    return model
  }

  private func isOfType<M: Model>(_ row: MemoryRow, _ known: MemoryFrontType, _ type: M.Type) throws -> Bool {
    if !known.choosesClasses { return known.isTopOfHierarchy }
    return M.includes(try record(row, known.name))
  }

  private func record(_ row: MemoryRow, _ type: String) throws -> AttributeDictionary {
    do {
      guard case .object(let record) = try JSONValue(json: row.bytes) else {
        throw ModelStoreError(.corrupt, "it is no JSON object", identifier: row.identifier)
      }
      return record
    } catch {
      throw ModelStoreError.unreadable(type, identifier: row.identifier, error)
    }
  }

  func bytes(of record: AttributeDictionary, _ type: String) throws -> [UInt8] {
    do {
      return Array(try JSONValue.object(record).jsonData(JSONWritingOptions(sortedKeys: true)))
    } catch {
      throw ModelStoreError(.invalid, "This \(type.nameForMessage) was not written: \(error)", cause: error)
    }
  }

  // MARK: Many

  /// The models of records as they were when their type was last written. Those that are live, and were read from just
  /// these, are not read again.
  func models<M: Model>(_ type: M.Type, of rows: [MemoryRow], asOf lastWrite: UInt64?) throws -> [M] {
    let known = known(type)
    guard known.remembersReading, let lastWrite, !isRefreshing else {
      return try models(type, fromBytes: rows.map(\.bytes)) { rows[$0].identifier }
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
    let stamp = ChangeStamp.next()
    for model in read where Swift.type(of: model) == type {
      model.markRead(from: known.source, asOf: lastWrite, stamp)
    }
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

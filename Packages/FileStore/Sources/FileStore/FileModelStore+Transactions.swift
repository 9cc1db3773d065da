@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreProtocol

extension FileModelStore {
  /// Runs `body`, and writes all that it did at its end, at once, as one batch of the journal; or, if it throws, nothing.
  ///
  /// See `TransactionalModelStore`. What another task does meanwhile is not part of it, also through the same store.
  /// A transaction is whole or absent after a crash too, whatever types are in it.
  ///
  /// - Throws: what the body throws; `ModelStoreError` with the code `conflict` if another front changed the same models
  ///   meanwhile, or what the disk says.
  @discardableResult
  public func transaction<Result>(_ body: (FileModelStore) async throws -> Result) async throws -> Result {
    if let transaction { return try await transaction.parts.runNested { try await body(self) } }
    let contents = try await translating { try await handle.engine.contents() }
    let current = FileTransaction(watch: contents.beginWatch())
    transactions.append(current)
    defer { contents.end(current.watch) }
    let result: Result
    do {
      defer { transactions.removeAll { $0 === current } }
      result = try await current.mark.enter { try await body(self) }
    } catch {
      current.log.rollBack()
      throw error
    }
    do {
      let reads = current.reads.isEmpty ? nil : WatchedReads(watch: current.watch, reads: current.reads)
      try await translating {
        try await handle.engine.write(current.changes, durability: handle.options.durability, after: reads)
      }
    } catch {
      current.log.rollBack()
      guard let reason = (error as? ModelStoreError)?.cause as? FileEngineError, let place = reason.changedMeanwhile
      else { throw error }
      throw ModelStoreError(
        .conflict,
        """
        The transaction was not written: somebody else changed \(place.type.nameForMessage) \
        \(place.identifier.quotedForMessage) meanwhile.
        """,
        identifier: place.identifier, cause: reason)
    }
    try current.log.commit()
    return result
  }

  /// Notes changes for the end of the transaction under way, all or none.
  func note(_ changes: [Change], in transaction: FileTransaction) async throws {
    var stored: [(bytes: [UInt8], revision: UInt64)?] = []
    var added: Set<RecordName> = []
    for change in changes {
      let row = try await row(change.type, change.identifier)
      stored.append(row)
      if change.operation == .create {
        if row != nil || !added.insert(RecordName(change.type, change.identifier)).inserted {
          throw ModelStoreError.conflict(change.type, identifier: change.identifier)
        }
      } else if row == nil {
        throw ModelStoreError.notFound(change.type, identifier: change.identifier)
      }
    }
    for (change, row) in zip(changes, stored) {
      transaction.put(
        change.operation == .delete ? nil : Array(change.value), change.type, change.identifier, stored: row)
    }
  }
}

extension FileEngineError {
  /// The model that was not as it was expected to be.
  fileprivate var changedMeanwhile: (type: String, identifier: String)? {
    switch self {
    case .conflict(let type, let identifier), .notFound(let type, let identifier),
      .staleRevision(let type, let identifier):
      (type, identifier)
    default: nil
    }
  }
}

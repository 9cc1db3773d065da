@_spi(ModelKitInternals) import StoreProtocol

extension FileModelStore {
  /// Finds a model by its identifier.
  ///
  /// A live model is not read again as long as nothing of its type was written.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, or `corrupt` if its record can't be read.
  /// - Complexity: O(1), one read of the file.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    let known = try await known(type)
    try transaction?.noteRead(known.name, identifier)
    let isInTransaction = transaction?.touches(known.name) == true
    let remembers = known.remembersReading && !isInTransaction && handle.options.mode == .readWrite
    // What is written from here on may be read or not.
    let lastWrite = known.state.lastWrite
    if remembers, transaction == nil, !isRefreshing, let model = scope.liveModel(type, identifier: identifier),
      Swift.type(of: model) == type, let revision = model.revisionRead(from: known.source), lastWrite <= revision
    {
      try checkCancellation()
      return model
    }
    let reads = scope.pendingReads
    let start = reads.begin()
    defer { reads.end() }
    guard let stored = try await row(known.name, identifier) else {
      throw ModelStoreError.notFound(known.name, identifier: identifier)
    }
    let isOfType =
      known.choosesClasses
      ? M.includes(try record(stored.bytes, known.name, identifier)) : known.isTopOfHierarchy
    guard isOfType else { throw ModelStoreError.notFound(known.name, identifier: identifier) }
    try await scope.creations.settled(of: known.name)
    if let model = scope.liveModel(type, identifier: identifier), reads.isNewer(model, than: start) {
      // The record may be older than the model by now.
      return try await lookup(type, identifier: identifier)
    }
    let model = try models(type, fromBytes: [stored.bytes]) { _ in identifier }[0]
    if remembers, Swift.type(of: model) == type { model.markRead(from: known.source, asOf: lastWrite, .next()) }
    return model
  }

  private func record(_ bytes: [UInt8], _ type: String, _ identifier: String) throws -> AttributeDictionary {
    do {
      if case .object(let record) = try JSONValue(json: bytes) { return record }
      throw ModelStoreError(.corrupt, "it is no JSON object", identifier: identifier)
    } catch {
      throw ModelStoreError.unreadable(type, identifier: identifier, error)
    }
  }

  func checkCancellation() throws {
    if Task.isCancelled { throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.") }
  }
}

@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

extension RecordStore {
  /// Deletes a model by its delete rules.
  ///
  /// Another instance may write a reference between the search for references and the removal. The live models of this
  /// one may have links of an open transaction. So a deletion is a transaction, which is repeated after a conflict.
  final func remove<M: Model>(_ model: M) async throws {
    try parts.check()
    // Not inside of the transaction: the creation may wait for a turn, too.
    if transaction == nil { try await scope.creations.waitForCreation(of: model) }
    // A cascade may have to wait for others, in which time a transaction may begin.
    let isImmediate =
      handle.readsImmediately && !scope.creations.areUnderWay && scope.transactionTurns.isFree(true)
    if transaction != nil || isImmediate {
      return try await remove(model, amongEverything: false)
    }
    for _ in 1..<Self.deletionAttempts {
      do {
        return try await runTransaction(isRecorded: false) { try await remove(model, amongEverything: false) }
      } catch let error as ModelStoreError where error.code == .conflict && !(error.cause is TransactionWaits.Cycle) {
        try checkCancellation()
      }
    }
    try await runTransaction(isRecorded: false) { try await remove(model, amongEverything: false) }
  }

  private static var deletionAttempts: Int { 1_000 }

  /// Deletes a model by its delete rules, inside a transaction or without suspension.
  ///
  /// - Parameter amongEverything: whether all models are deleted. Then no rule is followed, and no link is cut in
  ///   records.
  final func remove<M: Model>(_ model: M, amongEverything: Bool) async throws {
    try checkCancellation()
    let log = transaction?.log
    // The lists in its record may have changed.
    if !amongEverything, !model.isNew, let identifier = model.storedIdentifier,
      model.relationFields.contains(where: { $0.deleteRule != .nullify })
    {
      do {
        _ = try await ModelStoreEvent.withoutEvents {
          try await lookup(ModelType(type(of: model)), identifier: identifier)
        }
      } catch let error as ModelStoreError where error.code == .notFound || error.code == .corrupt {
        // The removal reports a missing record. One that can't be read can be removed.
      }
    }
    // An undo restores the references of live models, which a step retains.
    let completion: PendingDeletion.Completion =
      amongEverything ? .withoutRules : scope.hasHistory ? .everything : .rules
    let deletion = try await ModelStoreEvent.withoutEvents {
      try await PendingDeletion(of: model, in: self, completing: completion) { reference in
        try await self.ensureIndex(for: reference)
      }
    }
    var records = deletion.records
    var cut: [(type: ModelObject.Type, identifier: String)] = []
    while true {
      do {
        let cuts = amongEverything ? [] : try await ModelStoreEvent.withoutEvents { try await self.cuts(of: deletion) }
        cut = cuts.map { ($0.modelClass, $0.operation.identifier) }
        try await write(cuts.map(\.operation) + (await removals(of: records)), in: log)
        break
      } catch is RecordMismatch {
        // Another instance changed a record that refers to the model, or the model itself.
        try checkCancellation()
      } catch let error as ModelStoreError where error.code == .notFound {
        // Records of the cascade, or referencing records, may already be deleted.
        try checkCancellation()
        var present: [PendingDeletion.Record] = []
        for each in records where try await record(each.typeName, each.identifier) != nil { present.append(each) }
        guard present.contains(where: \.isRequested) else { throw error }
        records = present
      }
    }
    readAfterCommit(cut)
    try await deletion.finish(in: transaction?.log, others: .wereCut, cutting: cut)
  }

  /// Reads models again after the commit of the open transaction, if they were read from their records of before: these
  /// have links to deleted models. Those that are live already get them cut at once.
  private func readAfterCommit(_ cut: [(type: ModelObject.Type, identifier: String)]) {
    guard let transaction else { return }
    for (type, identifier) in cut {
      func loaded() -> ModelObject? {
        scope.liveModel(of: type, identifier: identifier).flatMap { $0.isUnloadedReference ? nil : $0 }
      }
      transaction.log.atEnd { [weak known = loaded(), weak transaction] in
        if let model = loaded(), model !== known { transaction?.noteOutdated(type, type.typeName, identifier) }
      }
    }
  }

  /// Returns the operations that remove records. They contain the old bytes, so that only affected observers read
  /// again.
  private func removals(of records: [PendingDeletion.Record]) async -> [RecordOperation] {
    let isObserved = transaction == nil && changeFeed.isObserved
    var operations: [RecordOperation] = []
    for each in records {
      var operation = RecordOperation.delete(each.typeName, each.identifier)
      // One that can't be read any more can be removed nevertheless.
      if isObserved, let stored = try? await record(each.typeName, each.identifier) {
        operation.previousValue = stored.bytes
        operation.expectedRevision = stored.revision
      }
      operations.append(operation)
    }
    return operations
  }

  /// Returns the records of remaining models without their links to deleted ones.
  private func cuts(of deletion: PendingDeletion) async throws -> [(
    modelClass: ModelObject.Type, operation: RecordOperation
  )] {
    var operations: [RecordName: RecordOperation] = [:]
    var order: [(name: RecordName, modelClass: ModelObject.Type)] = []
    let gone = Set(deletion.records.map { RecordName($0.typeName, $0.identifier) })
    for reference in deletion.references {
      guard let modelClass = reference.relatedClass as? any (ModelObject & ModelIsolation).Type else { continue }
      let type = modelClass.typeName
      let cut = reference.cutter(in: scope.transformers)
      for identifier in try await identifiers(modelClass, reference) {
        let name = RecordName(type, identifier)
        if gone.contains(name) { continue }
        guard let stored = try await record(type, identifier) else { continue }
        // A record may refer to the model by several fields, or only by the inverse that the model itself stores.
        let known = operations[name]
        let present = known.map { Array($0.value) } ?? stored.bytes
        let bytes = try cut(present, identifier)
        if bytes == present { continue }
        if known == nil { order.append((name, modelClass)) }
        var operation = RecordOperation.update(
          type, identifier, bytes, ifRevision: known?.expectedRevision ?? stored.revision)
        operation.previousValue = known?.previousValue ?? stored.bytes
        operations[name] = operation
      }
    }
    return order.compactMap { entry in operations[entry.name].map { (entry.modelClass, $0) } }
  }

  /// Creates an index of a foreign key if it is worth its cost.
  private func ensureIndex(for reference: BackReference) async throws {
    guard let modelClass = reference.relatedClass as? any (ModelObject & ModelIsolation).Type else { return }
    try await ensureIndex(modelClass, reference)
  }

  private func ensureIndex<M: Model>(_ type: M.Type, _ reference: BackReference) async throws {
    if reference.isToMany { return }
    let count = try await handle.current().count(M.typeName) + (transaction?.count(M.typeName) ?? 0)
    if let field = indexDemand.field(of: reference, M.self, among: count, in: scope.transformers) {
      try await handle.ensureIndex(M.typeName, field)
    }
  }

  /// Returns the identifiers of the records that reference the model.
  private func identifiers<M: Model>(_ type: M.Type, _ reference: BackReference) async throws -> [String] {
    try await ensureIndex(M.self, reference)
    var query = ModelQuery(type, evaluation: .inMemory)
    query.filter = reference.condition
    return try await identifiers(query)
  }
}

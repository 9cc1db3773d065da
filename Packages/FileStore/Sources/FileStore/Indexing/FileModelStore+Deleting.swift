@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore {
  /// Removes a model, what goes with it by the delete rules of its relations, and the links to them in the records of
  /// models that stay: all or none, with one write to the disk. Models need not be live for that.
  ///
  /// Live models that stay and led to a deleted one lead to nothing then; that is stored, and `afterUpdate` runs.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, `denied` if a rule denies it, or what the disk
  ///   says.
  /// - Complexity: O(*n*) in the number of records that could lead to the model, or O(log *n*) with an index of the foreign
  ///   key. Where there are more than a thousand, or several deletions have looked at as many, the store makes an index by
  ///   itself. Inside a transaction that goes for what it wrote, too. A foreign key that is a list has no index.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    let deletion = try await PendingDeletion(of: model, in: self, completing: .rules) { reference in
      try await self.keepIndex(for: reference)
    }
    var records = deletion.records
    var cut: [(type: ModelObject.Type, identifier: String)] = []
    while true {
      do {
        let cuts = try await cuts(of: deletion)
        cut = cuts.map { ($0.modelClass, $0.identifier) }
        try await write(cuts.map(\.change) + (await removals(of: records)))
        break
      } catch let error as ModelStoreError where (error.cause as? FileEngineError)?.isStaleRevision == true {
        // Another front changed what leads there meanwhile.
        continue
      } catch let error as ModelStoreError where error.code == .notFound {
        // What goes with the model, or led to it, may be gone already.
        var present: [PendingDeletion.Record] = []
        for record in records where try await row(record.typeName, record.identifier) != nil { present.append(record) }
        guard present.contains(where: \.isRequested) else { throw error }
        records = present
      }
    }
    try await deletion.finish(in: transaction?.log, others: .wereCut, cutting: cut)
    return model
  }

  /// What removes records. Where somebody listens he is told what they were, so that only those look again whom it concerns.
  private func removals(of records: [PendingDeletion.Record]) async -> [Change] {
    let isTold = transaction == nil && changeFeed.isObserved
    var changes: [Change] = []
    for record in records {
      var change = Change.delete(record.typeName, record.identifier)
      // One that can't be read any more can be removed nevertheless.
      if isTold, let stored = try? await row(record.typeName, record.identifier) {
        change.previousValue = stored.bytes
        change.expectedRevision = stored.revision
      }
      changes.append(change)
    }
    return changes
  }

  /// The records of models that stay, without their links to those that go.
  private func cuts(of deletion: PendingDeletion) async throws -> [(
    modelClass: ModelObject.Type, identifier: String, change: Change
  )] {
    var changes: [RecordName: Change] = [:]
    var order: [(name: RecordName, modelClass: ModelObject.Type, identifier: String)] = []
    let gone = Set(deletion.records.map { RecordName($0.typeName, $0.identifier) })
    for reference in deletion.references {
      guard let modelClass = reference.relatedClass as? any (ModelObject & ModelIsolation).Type else { continue }
      for found in try await records(modelClass, reference) {
        let name = RecordName(modelClass.typeName, found)
        if gone.contains(name) { continue }
        guard let stored = try await row(modelClass.typeName, found) else { continue }
        // A record may lead there by several fields.
        if changes[name] == nil { order.append((name, modelClass, found)) }
        let known = changes[name]
        let bytes = try reference.cut(
          known.map { Array($0.value) } ?? stored.bytes, of: found, in: scope.transformers)
        var change = Change.update(
          modelClass.typeName, found, bytes, ifRevision: known?.expectedRevision ?? stored.revision)
        change.previousValue = known?.previousValue ?? stored.bytes
        changes[name] = change
      }
    }
    return order.compactMap { entry in changes[entry.name].map { (entry.modelClass, entry.identifier, $0) } }
  }

  /// Makes an index of a foreign key if it is worth it.
  private func keepIndex(for reference: BackReference) async throws {
    guard let modelClass = reference.relatedClass as? any (ModelObject & ModelIsolation).Type else { return }
    try await keepIndex(modelClass, reference)
  }

  private func keepIndex<M: Model>(_ type: M.Type, _ reference: BackReference) async throws {
    if reference.isToMany || handle.options.mode != .readWrite { return }
    let engine = handle.engine
    let count = try await translating { try await engine.count(M.typeName) } + (transaction?.count(M.typeName) ?? 0)
    if let field = indexDemand.field(of: reference, M.self, among: count, in: scope.transformers) {
      try await translating { try await engine.keepIndex(M.typeName, field) }
    }
  }

  /// The identifiers of the records that lead there.
  private func records<M: Model>(_ type: M.Type, _ reference: BackReference) async throws -> [String] {
    try await keepIndex(M.self, reference)
    var query = ModelQuery(type)
    query.filter = reference.condition
    return try await run(query).records.map(\.identifier)
  }
}

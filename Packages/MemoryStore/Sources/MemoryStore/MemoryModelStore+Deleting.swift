@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryModelStore {
  /// Removes a model, what goes with it by the delete rules of its relations, and the links to them in the records of
  /// models that stay: all or none. Models need not be live for that.
  ///
  /// Live models that stay and led to a deleted one lead to nothing then; that is stored, and `afterUpdate` runs.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, or `denied` if a rule denies it.
  /// - Complexity: O(*n*) in the number of records that could lead to the model, or O(log *n*) with an index of the foreign
  ///   key. Where there are more than a thousand, or several deletions have looked at as many, the store makes an index by
  ///   itself. Inside a transaction that goes for what it wrote, too. A foreign key that is a list has no index.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    try checkCancellation()
    let deletion = try await PendingDeletion(of: model, in: self, completing: .rules) { reference in
      try self.keepIndex(for: reference)
    }
    let removals = deletion.records.map { record in
      MemoryEngine.Change(
        type: record.typeName, identifier: record.identifier,
        operation: .remove(revision: nil, mustBeThere: record.isRequested))
    }
    var cut: [(type: ModelObject.Type, identifier: String)] = []
    while true {
      do {
        let cuts = try cuts(of: deletion)
        cut = cuts.map { ($0.modelClass, $0.change.identifier) }
        try write(cuts.map(\.change) + removals)
        break
      } catch is StaleRevision {
        // Another front changed what leads there meanwhile.
        continue
      }
    }
    try await deletion.finish(in: transaction?.log, others: .wereCut, cutting: cut)
    return model
  }

  /// The records of models that stay, without their links to those that go.
  private func cuts(of deletion: PendingDeletion) throws -> [(
    modelClass: ModelObject.Type, change: MemoryEngine.Change
  )] {
    var rows: [RecordName: MemoryRow] = [:]
    var classes: [RecordName: ModelObject.Type] = [:]
    var order: [RecordName] = []
    let gone = Set(deletion.records.map { RecordName(type: $0.typeName, identifier: ExactText($0.identifier)) })
    for reference in deletion.references {
      guard let modelClass = reference.relatedClass as? any (ModelObject & ModelIsolation).Type else { continue }
      for row in try self.rows(modelClass, reference) {
        let name = RecordName(type: modelClass.typeName, identifier: ExactText(row.identifier))
        if gone.contains(name) { continue }
        // A record may lead there by several fields.
        if rows[name] == nil { order.append(name) }
        classes[name] = modelClass
        let bytes = try reference.cut((rows[name] ?? row).bytes, of: row.identifier, in: scope.transformers)
        rows[name] = MemoryRow(identifier: row.identifier, bytes: bytes, revision: row.revision)
      }
    }
    return order.compactMap { name in
      guard let row = rows[name], let modelClass = classes[name] else { return nil }
      let change = MemoryEngine.Change(
        type: name.type, identifier: row.identifier, operation: .replace(row.bytes, revision: row.revision))
      return (modelClass, change)
    }
  }

  /// Makes an index of a foreign key if it is worth it.
  private func keepIndex(for reference: BackReference) throws {
    guard let modelClass = reference.relatedClass as? any (ModelObject & ModelIsolation).Type else { return }
    try keepIndex(modelClass, reference)
  }

  private func keepIndex<M: Model>(_ type: M.Type, _ reference: BackReference) throws {
    let count = handle.count(M.typeName) + (transaction?.count(M.typeName) ?? 0)
    if let field = indexDemand.field(of: reference, M.self, among: count, in: scope.transformers) {
      try handle.keepIndex(M.typeName, field)
    }
  }

  private func rows<M: Model>(_ type: M.Type, _ reference: BackReference) throws -> [MemoryRow] {
    try keepIndex(M.self, reference)
    var query = ModelQuery(type)
    query.filter = reference.condition
    return try run(query).rows
  }
}

/// Which record it is.
private struct RecordName: Hashable {
  let type: String
  let identifier: ExactText
}

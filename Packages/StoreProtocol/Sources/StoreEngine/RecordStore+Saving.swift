import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

extension RecordStore {
  final func createTogether<M: Model>(_ models: [M]) async throws {
    try checkCancellation()
    guard !models.isEmpty else { return }
    let log = transaction?.log
    // A key path in a generic function would be created by each call.
    let hasChecks = models.contains { $0.hasChecksForSaving }
    // With an engine that does not suspend, no task reads between the write and the registration of the models.
    let creation = hasChecks || !handle.readsImmediately ? try await scope.creations.begin(models) : nil
    defer { if let creation { scope.creations.end(creation) } }
    if hasChecks {
      for model in models { await model.finishChecksForSaving() }
      try checkCancellation()
    }
    var creations = try PendingCreations(
      models, in: scope, explicitNull: true, isUndoable: transaction != nil)
    if transaction == nil { creation?.willWrite(creations.typeNames) }
    for number in creations.withoutIdentifier {
      try creations.assign(
        identifier: try await newIdentifier(for: models[number], creations.typeName(at: number)), at: number)
    }
    let identifiers = StoreTransactionLog()
    let areJoined = creations.mayReferenceEachOther
    if areJoined {
      for (type, identifier) in creations.identified where try await record(type, identifier) != nil {
        throw ModelStoreError.conflict(type, identifier: identifier)
      }
    }
    let completed: [RecordOperation]
    do {
      if areJoined { try creations.join(in: identifiers) }
      var operations: [RecordOperation] = []
      operations.reserveCapacity(models.count)
      try creations.forEachRecord { operations.append(.create($0, $1, $2)) }
      completed = try await write(operations, in: log)
    } catch {
      identifiers.rollBack()
      throw error
    }
    transaction?.log.adopt(identifiers)
    try creations.finish(in: transaction?.log)
    readCompleted(completed, as: M.self)
  }

  private func newIdentifier<M: Model>(for model: M, _ type: String) async throws -> String {
    guard model.identifierField?.valueType is any FixedWidthInteger.Type else { return UUID().uuidString }
    while let integer = try await handle.nextInteger(for: type) {
      let identifier = String(integer)
      if !scope.isReserved(identifier, of: type) { return identifier }
    }
    throw ModelStoreError(.noIdentifier, "There is no integer left for another \(type.nameForMessage).")
  }

  final func write<M: Model>(
    changesOf model: M, _ fields: [AnyField]?, _ policy: ConflictPolicy
  ) async throws {
    try checkCancellation()
    let log = transaction?.log
    let hasWaited = try await saveTurns.begin(ObjectIdentifier(model))
    defer { saveTurns.end(ObjectIdentifier(model)) }
    // The save before has written everything.
    if hasWaited, fields == nil, scope.fieldsToSave(of: model).isEmpty, !model.hasUnsavedRemainder { return }
    // Others may change the written record before the write returns. A read or a feed may bring their values by then,
    // and can't replace those that are being saved.
    let start = transaction == nil && !handle.readsImmediately ? scope.pendingReads.begin() : nil
    defer { if start != nil { scope.pendingReads.end() } }
    let save = try await SaveOperation(updating: model, fields: fields, in: scope)
    let (type, identifier) = (save.typeName, save.identifier ?? "")
    let completed: [RecordOperation]
    while true {
      guard let stored = try await record(type, identifier) else {
        throw ModelStoreError.notFound(type, identifier: identifier)
      }
      if let entry = transaction?.entry(type, identifier) {
        // The transaction's own writes are not a conflict.
        let original = entry.original.map { [$0] } ?? []
        if !entry.isOwn { try save.checkConflicts(withBytes: [stored.bytes] + original, policy) }
      } else {
        try save.checkConflicts(withBytes: [stored.bytes], policy)
      }
      var operation = RecordOperation.update(
        type, identifier, try save.merged(intoBytes: stored.bytes), ifRevision: stored.revision)
      operation.previousValue = stored.bytes
      do {
        completed = try await write([operation], in: log)
        break
      } catch is RecordMismatch {
        // Another instance changed the record since it was read: its changes must not be undone by this write.
        try checkCancellation()
      }
    }
    let wasRead = start.map { scope.pendingReads.isNewer(model, than: $0) } ?? false
    try save.finish(in: transaction?.log)
    readCompleted(completed, as: M.self)
    if wasRead, let identifier = model.storedIdentifier { await readAgain(model, identifier) }
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) public import StoreProtocol

@_spi(ModelKitInternals)
extension RecordStore: BatchReadingModelStore {
  /// Returns the models with the identifiers, all from one snapshot. Missing models are omitted.
  public final func read<M: Model>(_ type: M.Type, identifiers: [String]) async throws -> [M] {
    try checkCancellation()
    let context = try await context(of: type)
    try await followCommits()
    let transaction = transaction
    let remembers = context.remembersReading && transaction?.touches(context.name) != true
    let lastWrite = context.state?.lastWrite ?? 0
    let beginning = beginRead(context)
    defer { scope.pendingReads.end() }
    let tracked = transaction?.position
    var models: [M] = []
    var missing: [String] = []
    for identifier in identifiers {
      try transaction?.noteRead(context.name, identifier, at: tracked)
      if let model = unchangedModel(type, identifier) { models.append(model) } else { missing.append(identifier) }
    }
    if missing.isEmpty { return models }
    var records = try await withSnapshot { snapshot in
      var (records, stored) = ([FoundRecord](), [String]())
      for identifier in missing {
        guard let entry = transaction?.entry(context.name, identifier) else {
          stored.append(identifier)
          continue
        }
        if let content = entry.content { records.append((identifier, content)) }
      }
      let part = try await snapshot.records(context.name, identifiers: stored)
      for (identifier, error) in part.unreadable { try await skip(error, context.name, identifier) }
      return records + part.records.map { ($0.identifier, $0.bytes) }
    }
    if !context.hasAllRecords { records = try await self.records(records, of: type, context) }
    let answer = scope.pendingReads.answer(since: beginning.start)
    try await scope.creations.waitForCreations(of: context.name)
    let read = try await readableModels(type, records, beginning, answeredAt: answer)
    if remembers { read.markRead(as: type, from: context.source, asOf: lastWrite) }
    return models + read
  }

  /// Returns the records of a class among those of all classes that are stored together.
  private func records<M: Model>(
    _ records: [FoundRecord], of type: M.Type, _ context: TypeContext
  ) async throws -> [FoundRecord] {
    var found: [FoundRecord] = []
    for record in records {
      do {
        if try isRecord(record.value, record.identifier, of: type, context) { found.append(record) }
      } catch let error as ModelStoreError where error.code == .corrupt {
        try await skip(error, context.name, record.identifier)
      }
    }
    return found
  }
}

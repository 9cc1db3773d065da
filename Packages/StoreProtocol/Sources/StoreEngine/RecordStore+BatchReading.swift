@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) public import StoreProtocol

@_spi(ModelKitInternals)
extension RecordStore: BatchReadingModelStore {
  /// Returns the models with the identifiers, all from one snapshot. Missing models are omitted.
  public final func read<M: Model>(_ type: M.Type, identifiers: [String]) async throws -> [M] {
    try checkCancellation()
    let context = try await context(of: type)
    if !context.hasAllRecords {
      // A record names its class, which may be another one.
      return try await readOneByOne(type, identifiers)
    }
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
    let records = try await withSnapshot { snapshot in
      var records: [FoundRecord] = []
      records.reserveCapacity(missing.count)
      for identifier in missing {
        do {
          guard let record = try await record(context.name, identifier, at: snapshot) else { continue }
          records.append((identifier, record.bytes))
        } catch let error as ModelStoreError where error.code == .corrupt {
          try await skip(error, context.name, identifier)
        }
      }
      return records
    }
    let answer = scope.pendingReads.answer(since: beginning.start)
    try await scope.creations.settled(of: context.name)
    let read = try await readableModels(type, records, beginning, answeredAt: answer)
    if remembers {
      let stamp = ChangeStamp.next()
      for model in read where Swift.type(of: model) == type {
        model.markRead(from: context.source, asOf: lastWrite, stamp)
      }
    }
    return models + read
  }

  private func readOneByOne<M: Model>(_ type: M.Type, _ identifiers: [String]) async throws -> [M] {
    var models: [M] = []
    for identifier in identifiers {
      do {
        models.append(try await lookup(type, identifier: identifier))
      } catch let error as ModelStoreError where error.code == .notFound {
        continue
      }
    }
    return models
  }
}

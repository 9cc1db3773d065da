import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore {
  /// Finds models: those for which the condition holds, in the order asked for, or else of their creation.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense, `corrupt` if a record can't be
  ///   read.
  /// - Complexity: O(*n*) in the number of stored models of the type, up to the end of the list if it is not sorted; with
  ///   indexes of fields that the condition is about, in the number of models that they lead to; sorted by an indexed field
  ///   and with a limit, in the number of models that are passed before the limit is reached. Only records that are found
  ///   are kept in memory.
  /// - Note: All models, and the records that conditions about relations read, are of one moment.
  public func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    if try await isAboutAll(query) { return try await listAll() }
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    let records = try await run(query).records
    try await scope.creations.settled(of: M.typeName)
    return try await readableModels(M.self, records, readSince: start)
  }

  /// How many models ``list(_:)`` would find. No model is made for that.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  /// - Complexity: O(1) for all models of a type; with a condition that indexes answer by themselves, as many steps as it
  ///   takes to find the ends of its ranges; otherwise as ``list(_:)``.
  public func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    if try await isAboutAll(query) { return try await translating { try await handle.engine.count(M.typeName) } }
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true)
    let (engine, name) = (handle.engine, M.typeName)
    if transaction?.touches(name) != true {
      let planner = QueryPlanner(program, fields: try await translating { try await engine.indexedFields(name) })
      if let count = try await translating({ try await engine.count(name, planner) }) {
        return query.pageCount(of: count)
      }
    } else if let transaction, let count = try await count(query, in: transaction) {
      return query.pageCount(of: count)
    }
    // Nothing has to be sorted to be counted.
    var query = query
    query.sort = []
    return try await run(query).records.count
  }

  /// The identifiers of the models that ``list(_:)`` would find. No model is made for that, and no file is read for those
  /// of all models.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  public func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    if try await isAboutAll(query) {
      return try await translating { try await handle.engine.identifiers(M.typeName) }
    }
    return try await run(query).records.map(\.identifier)
  }

  /// Whether a query asks for all records of a type as they are in the files.
  private func isAboutAll<M: Model>(_ query: ModelQuery<M>) async throws -> Bool {
    try transaction?.noteQuery(M.typeName)
    let known = try await known(M.self)
    guard query.isPlain, query.limit == nil, query.offset == 0, known.hasAllRecords else { return false }
    return transaction?.touches(M.typeName) != true
  }

  /// All models of a type, as of one moment.
  private func listAll<M: Model>() async throws -> [M] { try await atOneMoment { try await listParts(at: $0) } }

  /// The same part by part: while models are made of one part, the next is read from the files.
  private func listParts<M: Model>(at moment: JournalContents) async throws -> [M] {
    let (engine, type) = (handle.engine, M.typeName)
    var all: [M] = []
    all.reserveCapacity(moment.count(of: type))
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    var cursor = CreationCursor.start
    var list = try await translating { try await engine.readList(type, after: .start, at: moment) }
    while let next = list.next {
      async let following = engine.readList(type, after: next, at: moment)
      all += try await models(of: list, after: cursor, at: moment, readSince: start)
      cursor = next
      do { list = try await following } catch { list = try await translating { throw error } }
    }
    all += try await models(of: list, after: cursor, at: moment, readSince: start)
    return all
  }

  /// The models of a part of a list that was read after a cursor.
  private func models<M: Model>(
    of list: RecordList, after cursor: CreationCursor, at moment: JournalContents, readSince start: PendingReads.Start
  ) async throws -> [M] {
    try await scope.creations.settled(of: M.typeName)
    if list.damages.isEmpty, !scope.pendingReads.hasUpdates(of: M.typeName, since: start) {
      do {
        return try scope.models(M.self, fromJSON: Data(list.bytes), keepsLocalChanges: !isRefreshing)
      } catch {}
    }
    // Which of them is wrong, or older than its model, is looked for only now.
    let count = list.count + list.damages.count
    let chunk = try await translating {
      try await handle.engine.readChunk(M.typeName, after: cursor, limit: count, byteLimit: .max, at: moment)
    }
    try skipDamage(in: chunk, of: M.typeName)
    return try await readableModels(
      M.self, chunk.rows.map { ($0.identifier, Array(chunk.value($0))) }, readSince: start)
  }
}

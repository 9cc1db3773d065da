import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension FileModelStore {
  /// Returns whether a query is for all stored records of a type.
  func selectsAllRecords<M: Model>(_ query: ModelQuery<M>) async throws -> Bool {
    try transaction?.noteQuery(M.typeName)
    let known = try await context(of: M.self)
    guard query.isPlain, query.limit == nil, query.offset == 0, known.hasAllRecords else { return false }
    return transaction?.touches(M.typeName) != true
  }

  /// Returns all models of a type from one snapshot.
  func listAll<M: Model>() async throws -> [M] {
    let context = try await context(of: M.self)
    let read = beginRead(context)
    defer { scope.pendingReads.end() }
    return try await withSnapshot { snapshot in
      try snapshot.admit(M.typeName)
      return try await listParts(at: snapshot.contents, read)
    }
  }

  /// Lists all models in parts: while models are created from one part, the next is read from the files.
  private func listParts<M: Model>(at moment: JournalContents, _ read: PendingRead) async throws -> [M] {
    let answer = scope.pendingReads.answer(since: read.start)
    let (engine, type) = (handle.engine, M.typeName)
    var all: [M] = []
    all.reserveCapacity(moment.count(of: type))
    var cursor = CreationCursor.start
    var list = try await translating { try await engine.readList(type, after: .start, at: moment) }
    while let next = list.next {
      async let following = engine.readList(type, after: next, at: moment)
      all += try await models(of: list, after: cursor, at: moment, read, answeredAt: answer)
      cursor = next
      do { list = try await following } catch { list = try await translating { throw error } }
    }
    all += try await models(of: list, after: cursor, at: moment, read, answeredAt: answer)
    return all
  }

  /// Returns the models of the part of a list after a cursor.
  private func models<M: Model>(
    of list: RecordList, after cursor: CreationCursor, at moment: JournalContents, _ read: PendingRead,
    answeredAt answer: PendingReads.Moment
  ) async throws -> [M] {
    try await scope.creations.waitForCreations(of: M.typeName)
    if list.damages.isEmpty, !mayBeOutdated(read) || !scope.pendingReads.hasUpdates(of: M.typeName, since: read.start) {
      do {
        let models = try readingRecords {
          try scope.models(
            M.self, fromJSON: Data(list.bytes), identifiers: list.selection?.identifier, localChanges: $0)
        }
        scope.pendingReads.noteRead(of: models, at: answer)
        return models
      } catch {}
    }
    // Only now the unreadable record, or one older than its model, is searched.
    let count = list.count + list.damages.count
    let chunk = try await translating {
      try await handle.engine.readChunk(M.typeName, after: cursor, limit: count, byteLimit: .max, at: moment)
    }
    try handle.options.unreadable.skipDamage(in: chunk, of: M.typeName)
    return try await readableModels(
      M.self, chunk.rows.map { ($0.identifier, Array(chunk.value($0))) }, read, answeredAt: answer)
  }
}

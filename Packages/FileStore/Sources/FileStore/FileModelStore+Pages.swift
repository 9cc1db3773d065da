@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore {
  /// Finds one page of the models that ``list(_:)`` would find, in its order.
  ///
  /// - Parameters:
  ///   - query: the query. Its limit is the size of the page, 100 without one. The offset is passed over once, before the
  ///     first page.
  ///   - mark: `next` of the page before; nil for the first page. It may be of an earlier process.
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense, for a mark of another query, or if
  ///   the store was opened anew and the last record of the page before is not there any more; `corrupt` if a record can't be
  ///   read.
  /// - Complexity: without order, or in that of an index, in the number of models that are passed before the page is full;
  ///   otherwise as ``list(_:)`` without limit.
  public func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try checkCancellation()
    try query.validate()
    let position = try mark.map { try QueryPosition($0, in: query) }
    if query.limit == 0 { return ModelPage(models: [], next: nil) }
    let program = try QueryProgram(query.onePage(isFirst: mark == nil), in: scope.transformers, canJoin: true)
    let watched = transaction?.watch.position
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    let (records, end) = try await atOneMoment { try await part(of: program, after: position, at: $0, watched) }
    try await scope.creations.settled(of: M.typeName)
    let models = try await readableModels(M.self, records, readSince: start)
    return ModelPage(models: models, next: try end?.mark(in: query))
  }

  /// The records of a page, and the position of the last one; nil if there is no record after it.
  private func part<M: Model>(
    of program: QueryProgram<M>, after position: QueryPosition?, at moment: JournalContents, _ watched: UInt64?
  ) async throws -> (records: [FoundRecord], end: QueryPosition?) {
    let page = try FilePage(position, M.self, at: moment, transaction?.epoch)
    let found = try await run(program, at: moment, after: watched, page: page)
    let all = found.sorted()
    let end = try page.end(of: all, program.query, found.run)
    return (all.prefix(end == nil ? all.count : all.count - 1).map(\.record), end)
  }
}

/// A page that is asked for.
struct FilePage {
  /// The position after which it begins; nil for the first page.
  let start: QueryPosition?
  /// The list in which ordinals are numbers.
  private let epoch: Int
  /// The same for the ordinals of records that are new in the transaction under way.
  private let newEpoch: Int?

  init<M: Model>(_ position: QueryPosition?, _ type: M.Type, at moment: JournalContents, _ newEpoch: Int?) throws {
    let epoch = moment.epoch
    start = try position.map { position in
      if position.epoch == newEpoch { return position }
      return try position.resolved(
        in: type, epoch: epoch, order: moment.entry(M.typeName, position.identifier).map { Int($0.ordinal) })
    }
    (self.epoch, self.newEpoch) = (epoch, newEpoch)
  }

  /// The position of the last record of the page; nil if there is no record after it.
  func end<M: Model>(
    of records: [(record: FoundRecord, order: Int)], _ query: ModelQuery<M>, _ run: QueryRun<M>
  ) throws -> QueryPosition? {
    guard let limit = query.limit, limit > 1, records.count == limit else { return nil }
    let (record, order) = records[limit - 2]
    let isNew = order >= Int(FileTransaction.firstNewOrdinal)
    return QueryPosition(
      values: try run.sortValues(of: record.value), identifier: record.identifier, order: order,
      epoch: isNew ? newEpoch ?? epoch : epoch)
  }
}

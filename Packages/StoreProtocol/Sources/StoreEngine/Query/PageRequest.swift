@_spi(ModelKitInternals) public import StoreProtocol

/// The request of a page.
@_spi(ModelKitInternals)
public struct PageRequest: Sendable {
  /// The position after which it begins; nil for the first page.
  public let start: QueryPosition?
  /// The epoch of the numbers of positions.
  private let epoch: Int
  /// The epoch of the numbers of records that are new in the open transaction.
  private let newEpoch: Int?

  /// Resolves the beginning of a page.
  ///
  /// - Parameters:
  ///   - start: the position after which it begins; nil for the first page.
  ///   - epoch: the current epoch of the numbers.
  ///   - transaction: the open transaction.
  ///   - order: returns the number of the position's record in that epoch; nil if the record does not exist.
  /// - Throws: `ModelStoreError` with the code `invalid` if the epoch differs, and the record does not exist.
  public init<M: Model>(
    _ start: QueryPosition?, _ type: M.Type, epoch: Int, in transaction: StoreTransaction?, order: UInt64?
  ) throws {
    let newEpoch = transaction?.epoch
    self.start = try start.map { start in
      start.epoch == newEpoch ? start : try start.resolved(in: type, epoch: epoch, order: order.map { Int($0) })
    }
    (self.epoch, self.newEpoch) = (epoch, newEpoch)
  }

  /// Returns the position of the last record of the page; nil if there is no record after it.
  ///
  /// - Parameters:
  ///   - count: the number of records found for the page and one more.
  ///   - query: the query of the page and one more record.
  ///   - run: the finished query.
  ///   - record: returns a record by its number.
  public func end<M: Model>(
    of count: Int, _ query: ModelQuery<M>, _ run: QueryRun<M>,
    _ record: (Int) -> (identifier: String, value: [UInt8], order: Int)
  ) throws -> QueryPosition? {
    guard let limit = query.limit, limit > 1, count == limit else { return nil }
    let (identifier, value, order) = record(limit - 2)
    let isNew = order >= Int(StoreTransaction.firstNewOrder)
    return QueryPosition(
      values: try run.sortValues(of: value), identifier: identifier, order: order,
      epoch: isNew ? newEpoch ?? epoch : epoch)
  }
}

extension RecordStore {
  final func readPage<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try checkCancellation()
    try query.validate()
    let position = try mark.map { try QueryPosition($0, in: query) }
    if query.limit == 0 { return ModelPage(models: [], next: nil) }
    let program = try QueryProgram(query.onePage(isFirst: mark == nil), in: scope.transformers, canJoin: true)
    try await followCommits()
    let tracked = transaction?.position
    let read = beginRead(try await context(of: M.self))
    defer { scope.pendingReads.end() }
    let (records, end) = try await withSnapshot { try await part(of: program, after: position, at: $0, tracked) }
    let answer = scope.pendingReads.answer(since: read.start)
    try await scope.creations.waitForCreations(of: M.typeName)
    let models = try await readableModels(M.self, records, read, answeredAt: answer)
    return ModelPage(models: models, next: try end?.mark(in: query))
  }

  /// Returns the records of a page, and the position of the last one; nil if there is no record after it.
  private func part<M: Model>(
    of program: QueryProgram<M>, after position: QueryPosition?, at snapshot: Engine.Snapshot, _ tracked: UInt64?
  ) async throws -> (records: [FoundRecord], end: QueryPosition?) {
    let epoch = snapshot.epoch
    var order: UInt64?
    if let position, position.epoch != epoch { order = try await snapshot.order(of: position.identifier, M.typeName) }
    let page = try PageRequest(position, M.self, epoch: epoch, in: transaction, order: order)
    let found = try await execute(program, at: snapshot, isSnapshot: true, after: tracked, page: page)
    let all = found.sorted()
    let end = try page.end(of: all.count, program.query, found.run) { number in
      (all[number].record.identifier, all[number].record.value, all[number].order)
    }
    return (all.prefix(end == nil ? all.count : all.count - 1).map(\.record), end)
  }
}

@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryModelStore {
  /// Finds one page of the models that ``list(_:)`` would find, in its order.
  ///
  /// - Parameters:
  ///   - query: the query. Its limit is the size of the page, 100 without one. The offset is passed over once, before the
  ///     first page.
  ///   - mark: `next` of the page before; nil for the first page.
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense, for a mark of another query, or if
  ///   the store was restored and the last record of the page before is not there any more.
  /// - Complexity: without order, or in that of an index, in the number of models that are passed before the page is full;
  ///   otherwise as ``list(_:)`` without limit.
  public func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try checkCancellation()
    try query.validate()
    let position = try mark.map { try QueryPosition($0, in: query) }
    if query.limit == 0 { return ModelPage(models: [], next: nil) }
    let known = known(M.self)
    let lastWrite = transaction?.touches(known.name) == true ? nil : known.state.lastWrite
    let moment = handle.moment()
    let (epoch, place) = moment.place(known.name, of: position?.identifier)
    let page = MemoryPage(
      start: try position.map { position in
        position.epoch == transaction?.epoch ? position : try position.resolved(in: M.self, epoch: epoch, order: place)
      }, moment: moment, epoch: epoch, newEpoch: transaction?.epoch)
    var (rows, _, _, end) = try run(query.onePage(isFirst: mark == nil), page: page)
    if end != nil { rows.removeLast() }
    return ModelPage(models: try models(M.self, of: rows, asOf: lastWrite), next: try end?.mark(in: query))
  }
}

/// A page that is asked for.
struct MemoryPage {
  /// The position after which it begins; nil for the first page.
  let start: QueryPosition?
  /// The moment of which all records are.
  let moment: MemoryEngine
  /// The list in which places are numbers.
  let epoch: Int
  /// The same for the places of records that are new in the transaction under way.
  let newEpoch: Int?

  /// The position of the last record of the page; nil if there is no record after it.
  func end<M: Model>(
    of rows: [MemoryRow], _ orders: [Int], _ query: ModelQuery<M>, _ values: ([UInt8]) throws -> [JSONValue]
  ) throws -> QueryPosition? {
    guard let limit = query.limit, limit > 1, rows.count == limit else { return nil }
    let (row, order) = (rows[limit - 2], orders[limit - 2])
    let isNew = order >= MemoryTransaction.firstNewPlace
    return QueryPosition(
      values: try values(row.bytes), identifier: row.identifier, order: order, epoch: isNew ? newEpoch ?? epoch : epoch)
  }
}

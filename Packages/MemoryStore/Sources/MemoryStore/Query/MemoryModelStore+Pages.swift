@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension MemoryModelStore {
  /// Finds one page of models, without suspending.
  func pageImmediately<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) throws -> ModelPage<M> {
    try ModelStoreEvent.recordingImmediately(.page, of: Self.self, M.typeName, query: "\(query)") { event in
      let page = try readPage(query, from: mark)
      event?.count = page.models.count
      return page
    }
  }

  private func readPage<M: Model>(_ query: ModelQuery<M>, from mark: ModelPageMark?) throws -> ModelPage<M> {
    try query.validate()
    let position = try mark.map { try QueryPosition($0, in: query) }
    if query.limit == 0 { return ModelPage(models: [], next: nil) }
    let context = context(of: M.self)
    let lastWrite = transaction?.touches(context.name) == true ? nil : context.state?.lastWrite
    let tracked = transaction?.position
    let moment = handle.moment()
    let (epoch, place) = moment.place(context.name, of: position?.identifier)
    let page = try PageRequest(
      position, M.self, epoch: epoch, in: transaction, order: place.map { UInt64($0) })
    var (rows, _, _, end) = try run(query.onePage(isFirst: mark == nil), page, at: moment, after: tracked)
    if end != nil { rows.removeLast() }
    return ModelPage(models: try models(M.self, of: rows, asOf: lastWrite), next: try end?.mark(in: query))
  }
}

@_spi(ModelKitInternals) public import StoreProtocol

// Streams fetch one page after the other, and keep no more than one.
extension RESTModelStore: PagedModelStore {
  /// Fetches one page of models by the paging of the dialect: by links of the server, by offset or by page number.
  ///
  /// A limit is the size of the page, and is sent to servers that have a parameter for it. If pages of the server are
  /// smaller, several are fetched. If they are larger, the next call fetches the same one again. Without a limit, the
  /// server chooses the size of a page. If the server counts records, those that are created or deleted before the mark
  /// shift the rest.
  ///
  /// With `evaluation: .inMemory`, conditions are tested page by page. If there is an order, too, every page needs all
  /// records.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - mark: `next` of the page before; nil for the first page.
  /// - Throws: `ModelStoreError` as ``list(_:)`` does, or with the code `invalid` for a mark of another query or store.
  public func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try await page(query, after: mark, embedding: [RESTQueryItem]())
  }

  /// - Parameter embedding: the parameters with which answers contain related models.
  func page<M: Model>(
    _ query: ModelQuery<M>, after mark: ModelPageMark?, embedding: [RESTQueryItem]
  ) async throws -> ModelPage<M> {
    var listing = try RESTListing(query, in: self, embedding: embedding)
    let marked = try mark?.position(in: query)
    if query.limit == 0 { return ModelPage(models: [], next: nil) }
    if listing.needsAll { return try await listedPage(query, after: mark) }
    return try await ModelStoreEvent.recording(.page, of: RESTModelStore.self, M.typeName, query: "\(query)") { event in
      let page = try await fetchedPage(of: &listing, query, marked, embedding)
      event?.count = page.models.count
      return page
    }
  }

  private func fetchedPage<M: Model>(
    of listing: inout RESTListing<M>, _ query: ModelQuery<M>, _ marked: JSONValue?, _ embedding: [RESTQueryItem]
  ) async throws -> ModelPage<M> {
    if listing.isWhole {
      // With a limit, a server without pages would leave out the models after it.
      var whole = query
      whole.limit = nil
      listing = try RESTListing(whole, in: self, embedding: embedding)
    }
    let readStart = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    let start = try marked.map { try listing.position($0) } ?? listing.start
    let (records, next): ([AttributeDictionary], RESTListing<M>.Position?)
    if let limit = query.limit {
      (records, next) = try await listing.records(from: start, atMost: limit)
    } else {
      let page = try await listing.found(at: start, readSince: readStart)
      next = page.next
      switch page.found {
      case .models(let models):
        return ModelPage(models: models, next: try next.map { try ModelPageMark($0.json, in: query) })
      case .records(let found): records = found
      }
    }
    try await waitForCreations(of: M.self, in: records)
    do {
      let models: [M] = try models(of: records, readSince: readStart)
      return ModelPage(models: models, next: try next.map { try ModelPageMark($0.json, in: query) })
    } catch {
      throw await handle.reported(placed(error, in: records, of: M.self), start.call)
    }
  }
}

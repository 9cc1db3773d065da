@_spi(ModelKitInternals) public import StoreProtocol

// Streams take one page after the other, and keep no more than one.
extension RESTModelStore: PagedModelStore {
  /// Finds one page of models: as many as the server gives in one answer.
  ///
  /// With `evaluation: .inMemory`, conditions are looked at page by page; with an order, too, all pages are fetched for the
  /// first one.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - mark: where the page before ended; nil for the first page.
  /// - Throws: `ModelStoreError` as ``list(_:)`` does, or with the code `invalid` for a mark of another store.
  public func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    let listing = try RESTListing(query, in: self)
    if query.limit == 0 { return ModelPage(models: [], next: nil) }
    if listing.needsAll { return ModelPage(models: try await list(query), next: nil) }
    var position = listing.start
    if let mark {
      guard let marked = mark.value as? RESTListing<M>.Position else {
        throw ModelStoreError(.invalid, "A list can't go on at a mark that is of another store or another type.")
      }
      position = marked
    }
    let page = try await listing.page(at: position)
    try await settleCreations(of: M.self, in: page.records)
    do {
      let models = try scope.models(M.self, from: page.records, keepsLocalChanges: !isRefreshing)
      tags.forget(models)
      return ModelPage(models: models, next: page.next.map { ModelPageMark($0) })
    } catch {
      throw await handle.reported(placed(error, in: page.records, of: M.self), position.call)
    }
  }
}

@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Returns one page of models by listing all models. Stores with a faster implementation replace it.
  ///
  /// Models that are equal by all sort criteria are in the order of their identifiers, as are all models without
  /// criteria.
  ///
  /// - Complexity: as ``list(_:)`` without limit, and O(*n* log *n*) for sorting.
  public func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try await listedPage(query, after: mark)
  }

  /// Returns one page of models by listing all models: see `page(_:after:)`.
  @_spi(ModelKitInternals)
  public func listedPage<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try query.validate()
    let position = try mark.map { try QueryPosition($0, in: query) }
    let asked = query.onePage(isFirst: mark == nil)
    if query.limit == 0 { return ModelPage(models: [], next: nil) }
    var all = query
    (all.limit, all.offset) = (nil, 0)
    var order = all
    order.filter = nil
    let program = try QueryProgram(order, in: scope.transformers, isForRecords: false)
    let models = try await list(all, includingColumns: program.relationsOfOrder)
    let sorter = try program.sorter()
    for model in models { try program.add(model, to: sorter, isStored: true) }
    let identifiers = models.map { $0.identifier ?? "" }
    var places = models.indices.sorted { left, right in
      let comparison = sorter.compare(left, right)
      return comparison == 0 ? ScalarOrder.order(identifiers[left], identifiers[right]) < 0 : comparison < 0
    }
    if let position {
      do { try sorter.add(position.values) } catch { throw ModelPageMark.unreadable(M.self) }
      places.removeAll { place in
        let comparison = sorter.compare(place, models.count)
        return comparison == 0
          ? ScalarOrder.order(identifiers[place], position.identifier) <= 0 : comparison < 0
      }
    }
    let found = asked.page(of: places)
    let page = found.prefix(query.limit ?? ModelQuery<M>.defaultPageSize)
    guard page.count < found.count, let last = page.last else {
      return ModelPage(models: page.map { models[$0] }, next: nil)
    }
    let end = QueryPosition(
      values: try program.sortValues(of: models[last]), identifier: identifiers[last], order: 0, epoch: 0)
    return ModelPage(models: page.map { models[$0] }, next: try end.mark(in: query))
  }
}

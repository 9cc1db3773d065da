@_spi(ModelKitInternals) public import ModelCore

/// A position in the result of a query: that of a record, which can have been deleted since.
@_spi(ModelKitInternals)
public struct QueryPosition: Hashable, Sendable {
  /// The record's values of the sort criteria when the position was taken.
  package let values: [JSONValue]
  /// The identifier of the record.
  public let identifier: String
  /// The number of the record in the order of creation.
  public var order: Int
  /// The epoch of the numbers: in another epoch, records have other numbers.
  package let epoch: Int

  /// Creates a position.
  package init(values: [JSONValue], identifier: String, order: Int, epoch: Int) {
    self.values = values
    self.identifier = identifier
    self.order = order
    self.epoch = epoch
  }

  /// Reads the position of a mark.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if the mark is of another query or store.
  public init<M: Model>(_ mark: ModelPageMark, in query: ModelQuery<M>) throws {
    let json = try mark.position(in: query)
    guard case .array(let values)? = json["values"], values.count == query.sort.count,
      let identifier = json["id"]?.stringValue, let order = json["order"]?.intValue,
      let epoch = json["epoch"]?.intValue,
      // A client can send any mark, and positions are counted up from it.
      (0..<Int.max).contains(order)
    else { throw ModelPageMark.unreadable(M.self) }
    self.init(values: values, identifier: identifier, order: order, epoch: epoch)
  }

  /// Returns the mark of the position.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if the query can't be written as JSON.
  public func mark<M: Model>(in query: ModelQuery<M>) throws -> ModelPageMark {
    try ModelPageMark(
      ["values": .array(values), "id": .string(identifier), "order": .int(order), "epoch": .int(epoch)], in: query)
  }

  /// Returns the same position with the number of its record in another epoch.
  ///
  /// - Parameters:
  ///   - epoch: the epoch.
  ///   - order: returns the number of the record in that epoch; nil if the record does not exist.
  /// - Throws: ``ModelStoreError`` with the code `invalid` if the epoch differs, and the record does not exist.
  package func resolved<M: Model>(in type: M.Type, epoch: Int, order: @autoclosure () throws -> Int?) throws
    -> QueryPosition
  {
    if epoch == self.epoch { return self }
    guard let order = try order() else {
      throw ModelStoreError(
        .invalid,
        """
        The page of \(M.displayName) was not read: \(identifier.quotedForMessage), after which it begins, was deleted, and \
        the store was reopened or restored since. Nothing is changed; begin with the first page.
        """, identifier: identifier)
    }
    return QueryPosition(values: values, identifier: identifier, order: order, epoch: epoch)
  }
}

@_spi(ModelKitInternals)
extension ModelQuery {
  /// The size of a page without a limit.
  package static var defaultPageSize: Int { 100 }

  /// Returns the query of a page and of one more record, which shows whether another page follows.
  ///
  /// - Parameter isFirst: whether it is the first page, which begins after the offset.
  public func onePage(isFirst: Bool) -> ModelQuery {
    var query = self
    let (limit, isTooLarge) = (self.limit ?? Self.defaultPageSize).addingReportingOverflow(1)
    query.limit = isTooLarge ? nil : limit
    if !isFirst { query.offset = 0 }
    return query
  }
}

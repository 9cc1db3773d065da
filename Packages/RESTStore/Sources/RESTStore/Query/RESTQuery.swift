public import StoreProtocol

/// A query on its way to a server: the condition and the order, and how the records of the API spell what they are about.
///
/// ```swift
/// func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
///   var translation = RESTPaging.whole.translation(of: query)
///   for term in query.terms {
///     guard case .comparison(let comparison) = term, comparison.operator == .equal else {
///       throw query.unsupported(term)
///     }
///     let (key, value) = try query.plain(comparison)
///     translation.items.append(RESTQueryItem(key.joined(separator: "."), value.description))
///   }
///   try query.refuseOrders()
///   return translation
/// }
/// ```
///
/// - Note: A query lives in the isolation of the store front.
public struct RESTQuery {
  /// What stores call the type of the models.
  public let typeName: String
  /// The condition; nil for all models.
  public var filter: QueryExpression?
  /// The criteria of the order, the first one first.
  public var orders: [QueryOrder]
  /// How many models at most; nil for all.
  public var limit: Int?
  /// How many models to pass over.
  public var offset: Int
  private let fields: RESTQueryFields

  init<M: Model>(_ query: ModelQuery<M>, in context: ValueTransformerContext) {
    typeName = M.typeName
    filter = query.filter
    orders = query.sort.map(\.order)
    limit = query.limit
    offset = query.offset
    fields = RESTQueryFields(M.self, in: context)
  }

  /// The conditions all of which have to hold.
  public var terms: [QueryExpression] {
    func terms(of expression: QueryExpression) -> [QueryExpression] {
      if case .and(let inner) = expression { return inner.flatMap(terms) }
      return [expression]
    }
    return filter.map(terms) ?? []
  }

  /// Keeps only those conditions for which there is `true`; all of them have to hold.
  mutating func keepTerms(_ isKept: (QueryExpression) -> Bool) {
    let kept = terms.filter(isKept)
    filter = kept.isEmpty ? nil : kept.count == 1 ? kept[0] : .and(kept)
  }

  // MARK: Spelling

  /// The keys that lead to a field, as records of this store spell them. The identifier of a model that is known by a
  /// foreign key is that key itself.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if there is no such field.
  public func keys(of path: QueryPath) throws -> [String] { try fields.resolve(path).keys }

  /// A value as records of this store spell it in a field.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` if that is not known.
  public func spelled(_ value: JSONValue, at path: QueryPath) throws -> JSONValue {
    guard let spelled = fields.spelled(value, in: try fields.resolve(path).field) else {
      throw unsupported("\(path) compared with \(value)")
    }
    return spelled
  }

  /// The keys and the value of a comparison of a field, as it is, with a value.
  ///
  /// - Returns: for `isIn` a list of values.
  /// - Throws: `ModelStoreError` with the code `unsupported` for any other comparison.
  public func plain(_ comparison: QueryComparison) throws -> (keys: [String], value: JSONValue) {
    guard comparison.term.form == .value, case .value(let value) = comparison.operand,
      !comparison.term.path.keys.isEmpty
    else { throw unsupported(comparison) }
    let keys = try keys(of: comparison.term.path)
    switch (comparison.operator, value) {
    case (.isIn, .array(let elements)):
      return (keys, .array(try elements.map { try spelled($0, at: comparison.term.path) }))
    case (.contains, _), (.hasPrefix, _), (.hasSuffix, _), (.matches, _), (.containsMatch, _): return (keys, value)
    default: return (keys, try spelled(value, at: comparison.term.path))
    }
  }

  // MARK: Refusing

  /// The error for a part of the query that this API can't be asked. It names the part, and how it can be done all the
  /// same.
  public func unsupported(_ part: some CustomStringConvertible) -> ModelStoreError {
    ModelStoreError(
      .unsupported,
      """
      Models of the type \(typeName) were not fetched: this store can't ask a server for \(Self.shortened(part)). With evaluation: \
      .inMemory it fetches the whole collection and looks for them here.
      """)
  }

  /// The error for an offset where nothing tells how this API is asked for one.
  var unsupportedOffset: ModelStoreError {
    ModelStoreError(
      .unsupported,
      """
      Models of the type \(typeName) were not fetched: the dialect does not tell how this server is asked to pass over \
      \(offset) of them. Give it a paging that does, such as .offset(size: 100), or list with evaluation: .inMemory.
      """)
  }

  /// A part for a message: the value in it may be very long.
  private static func shortened(_ part: some CustomStringConvertible) -> String {
    let text = part.description
    return text.utf8.count > 500 ? text.prefix(500) + "…" : text
  }

  /// Refuses a condition or an order.
  public func refuseConditions() throws {
    if let filter { throw unsupported("the condition \(filter)") }
    try refuseOrders()
  }

  /// Refuses an order.
  public func refuseOrders() throws {
    if let order = orders.first { throw unsupported("the order by \(order)") }
  }
}

/// What a query is to a server.
///
/// ```swift
/// RESTQueryTranslation([RESTQueryItem("age__gt", "30")], paging: .pages(size: 100))
/// ```
public struct RESTQueryTranslation: Sendable, Hashable {
  /// What is added to the address.
  public var items: [RESTQueryItem]
  /// How many models at the beginning of the answer are to be passed over, because the server can't begin just where it
  /// was asked to.
  public var skipped: Int
  /// How the next page is found if an answer doesn't say.
  public var paging: RESTPaging
  /// Whether there is an offset that the items don't tell, because the paging has no form for it.
  var lacksOffset = false

  /// Creates a translation.
  ///
  /// - Parameters:
  ///   - items: what is added to the address.
  ///   - skipped: how many models at the beginning of the answer are to be passed over.
  ///   - paging: how the next page is found if an answer doesn't say.
  public init(_ items: [RESTQueryItem] = [], skipped: Int = 0, paging: RESTPaging = .whole) {
    self.items = items
    self.skipped = skipped
    self.paging = paging
  }
}

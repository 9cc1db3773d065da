public import StoreProtocol

/// A query to be translated for a server: its condition and order, and the spelling of fields and values in the API's
/// records.
///
/// ```swift
/// func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
///   var translation = RESTPaging.whole.translation(of: query)
///   for term in query.terms {
///     guard case .comparison(let comparison) = term, comparison.operator == .equal
///     else {
///       throw query.unsupported(term)
///     }
///     let (key, value) = try query.plain(comparison)
///     translation.items.append(
///       RESTQueryItem(key.joined(separator: "."), value.description))
///   }
///   try query.refuseOrders()
///   return translation
/// }
/// ```
///
/// - Note: A query belongs to the isolation of the store instance.
public struct RESTQuery {
  /// The name of the models' type in stores.
  public let typeName: String
  /// The condition; nil for all models.
  public var filter: QueryExpression?
  /// The criteria of the order, the first one first.
  public var orders: [QueryOrder]
  /// The maximum number of models; nil for all.
  public var limit: Int?
  /// The number of models to skip.
  public var offset: Int
  /// The key of the identifier as records spell it; nil for a model without identifier field.
  var identifierKey: String?
  private let fields: RESTQueryFields

  init<M: Model>(_ query: ModelQuery<M>, in context: ValueTransformerContext) {
    typeName = M.typeName
    filter = query.filter
    orders = query.sort.map(\.order)
    limit = query.limit
    offset = query.offset
    fields = RESTQueryFields(M.self, in: context)
  }

  /// The conditions that all have to hold.
  public var terms: [QueryExpression] {
    func terms(of expression: QueryExpression) -> [QueryExpression] {
      if case .and(let inner) = expression { return inner.flatMap(terms) }
      return [expression]
    }
    return filter.map(terms) ?? []
  }

  /// Keeps only the terms for which a closure returns `true`.
  mutating func keepTerms(_ isKept: (QueryExpression) -> Bool) {
    let kept = terms.filter(isKept)
    filter = kept.isEmpty ? nil : kept.count == 1 ? kept[0] : .and(kept)
  }

  // MARK: Spelling

  /// Returns the keys of the path to a field, as records of this store spell them. The identifier of a model behind a
  /// foreign key is that key itself.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if there is no such field.
  public func keys(of path: QueryPath) throws -> [String] { try fields.resolve(path).keys }

  /// Returns a value as records of this store spell it in a field.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` if the spelling is not known.
  public func spelled(_ value: JSONValue, at path: QueryPath) throws -> JSONValue {
    guard let spelled = fields.spelled(value, in: try fields.resolve(path).field) else {
      throw unsupported("\(path) compared with \(value)")
    }
    return spelled
  }

  /// Returns the keys and the value of a comparison of a field's plain value with another value.
  ///
  /// - Returns: the keys and the value; for `isIn` a list of values.
  /// - Throws: `ModelStoreError` with the code `unsupported` for any other comparison.
  public func plain(_ comparison: QueryComparison) throws -> (keys: [String], value: JSONValue) {
    guard comparison.term.form == .value, case .value(let value) = comparison.operand,
      !comparison.term.path.keys.isEmpty
    else { throw unsupported(comparison) }
    let keys = try keys(of: comparison.term.path)
    switch (comparison.operator, value) {
    case (.isIn, .array(let elements)):
      return (keys, .array(try elements.map { try spelled($0, at: comparison.term.path) }))
    case (.contains, _), (.hasPrefix, _), (.hasSuffix, _), (.matches, _), (.containsMatch, _), (.matchesWords, _):
      return (keys, value)
    default: return (keys, try spelled(value, at: comparison.term.path))
    }
  }

  /// Returns a parameter with the identifiers that the condition requires; nil for any other condition. A list of the
  /// identifiers is separated by commas.
  ///
  /// - Throws: ``unsupported(_:)`` for an identifier with a comma.
  func identifiers(named name: String) throws -> RESTQueryItem? {
    guard case .comparison(let comparison)? = filter, [.equal, .isIn].contains(comparison.operator),
      comparison.term.form == .value, case .value = comparison.operand, let identifierKey
    else { return nil }
    let (keys, value) = try plain(comparison)
    let texts = (value.arrayValue ?? [value]).map { $0.isNull ? "" : ParameterEncoder.text($0) }
    guard keys == [identifierKey] else { return nil }
    // Servers may take an empty list for no condition.
    guard !texts.isEmpty, texts.allSatisfy({ !$0.isEmpty && !$0.contains(",") }) else { throw unsupported(comparison) }
    return RESTQueryItem(name, texts.joined(separator: ","))
  }

  // MARK: Refusing

  /// Returns the error for a part of the query that this API can't express. It names the part and the alternative.
  public func unsupported(_ part: some CustomStringConvertible) -> ModelStoreError {
    ModelStoreError(
      .unsupported,
      """
      Models of the type \(typeName) were not fetched: this store can't translate \(Self.shortened(part)) for its server. With \
      evaluation: .inMemory it fetches the whole collection and evaluates the query here.
      """)
  }

  /// The error for an offset that the paging has no form for.
  var unsupportedOffset: ModelStoreError {
    ModelStoreError(
      .unsupported,
      """
      Models of the type \(typeName) were not fetched: the paging of the dialect does not support an offset of \
      \(offset). Use a paging that does, such as .offset(size: 100), or list with evaluation: .inMemory.
      """)
  }

  /// Returns a part shortened for a message: the value in it may be very long.
  private static func shortened(_ part: some CustomStringConvertible) -> String {
    let text = part.description
    return text.utf8.count > 500 ? text.prefix(500) + "…" : text
  }

  /// Throws the error for an unsupported part if there is a condition or an order.
  public func refuseConditions() throws {
    if let filter { throw unsupported("the condition \(filter)") }
    try refuseOrders()
  }

  /// Throws the error for an unsupported part if there is an order.
  public func refuseOrders() throws {
    if let order = orders.first { throw unsupported("the order by \(order)") }
  }
}

/// A query as parameters for a server.
///
/// ```swift
/// RESTQueryTranslation(
///   [RESTQueryItem("age__gt", "30")], paging: .pages(size: 100))
/// ```
public struct RESTQueryTranslation: Sendable, Hashable {
  /// The items added to the address.
  public var items: [RESTQueryItem]
  /// The number of models to skip at the beginning of the answer, because the server can't begin exactly at the offset.
  public var skipped: Int
  /// The paging that finds the next page if an answer has no link to it.
  public var paging: RESTPaging
  /// Whether the items lack the offset, because the paging has no form for it.
  var lacksOffset = false

  /// Creates a translation.
  ///
  /// - Parameters:
  ///   - items: the items added to the address.
  ///   - skipped: the number of models to skip at the beginning of the answer.
  ///   - paging: the paging that finds the next page if an answer has no link to it.
  public init(_ items: [RESTQueryItem] = [], skipped: Int = 0, paging: RESTPaging = .whole) {
    self.items = items
    self.skipped = skipped
    self.paging = paging
  }
}

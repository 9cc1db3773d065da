public import StoreProtocol

/// The dialect of Django REST framework: its three kinds of pages, `OrderingFilter`, and the lookups of django-filter.
///
/// ```swift
/// let dialect = DjangoRESTDialect(paging: .pages(size: 100), orderingParameter: "ordering")
/// let adults = try await store.list(Person.self, where: { $0.age >= 18 })  // GET /people/?age__gte=18&page=1…
/// ```
///
/// Conditions are comparisons that all have to hold: `field=`, `__lt`, `__lte`, `__gt`, `__gte`, `__in` and `__isnull`, and of
/// ``lookups`` whatever else the filter set of the server has. The server must know each of these: Django leaves out
/// parameters that it doesn't know without a word.
///
/// Decimals are read as strings, as Django writes them by default, and as numbers; they are written as strings. No digit is lost.
public struct DjangoRESTDialect: RESTDialect {
  /// How lists come in pages: `.pages` for `PageNumberPagination`, `.offset` for `LimitOffsetPagination`, `.linked` for
  /// `CursorPagination`, `.whole` for none.
  public var paging: RESTPaging
  /// The parameter of `OrderingFilter`; nil if the server has none.
  public var orderingParameter: String?
  /// How lookups are called that compare text. There are none by default, because whether they tell small letters from
  /// capitals depends on the database of the server.
  public var lookups: [QueryComparison.Operator: String]
  /// Whether the database of the server orders nil before everything else, as SQLite and MySQL do; PostgreSQL orders it
  /// after everything else.
  public var ordersNilsFirst: Bool
  /// Whether paths end with a slash, as those of Django's routers do.
  public var endsPathsWithSlash: Bool

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - paging: how lists come in pages.
  ///   - orderingParameter: the parameter of `OrderingFilter`; nil if the server has none.
  ///   - lookups: how lookups are called that compare text, such as `[.contains: "contains"]`.
  ///   - ordersNilsFirst: whether the database orders nil before everything else.
  ///   - endsPathsWithSlash: whether paths end with a slash.
  public init(
    paging: RESTPaging = .pages(size: 100), orderingParameter: String? = nil,
    lookups: [QueryComparison.Operator: String] = [:], ordersNilsFirst: Bool = true, endsPathsWithSlash: Bool = true
  ) {
    self.paging = paging
    self.orderingParameter = orderingParameter
    self.lookups = lookups
    self.ordersNilsFirst = ordersNilsFirst
    self.endsPathsWithSlash = endsPathsWithSlash
  }

  /// The path with a slash at its end.
  public func address(of operation: RESTOperation) throws -> RESTAddress {
    RESTAddress(operation.path + (endsPathsWithSlash ? "/" : ""))
  }

  /// The whole answer.
  public var plainRecordPath: String? { "" }

  /// The record, with decimals as strings: Django reads a number with the digits of a `float` only.
  public func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    .object(DjangoDecimals.written(record, of: M.prototype()))
  }

  /// The record, with the strings of decimal fields as numbers.
  public func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let record) = payload else {
      throw ModelDecodingError(path: FieldPath(), expected: "an object", found: payload.typeDescription)
    }
    return DjangoDecimals.read(record, of: M.prototype())
  }

  /// Takes the results out of a page.
  public func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    var answer = try RESTResponse(response)
    guard operation.kind == .list, answer.error == nil, let page = answer.payload?.objectValue,
      let results = page["results"]
    else { return answer }
    answer.payload = results
    answer.next = RESTPageLink(page["next"])
    answer.isLast = answer.next == nil && page["next"] != nil
    answer.total = page["count"]?.intValue
    return answer
  }

  /// The link of the answer. In pages that count there is always one, unless it was the last.
  public func nextPage(after page: RESTPage) throws -> RESTPageLink? {
    page.answer.next ?? (page.answer.total == nil ? page.followingLink : nil)
  }

  /// Conditions as lookups, the order as `ordering`.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    var translation = paging.translation(of: query)
    for term in query.terms {
      let item = try item(for: term, in: query)
      // Django takes only one value of a name.
      if translation.items.contains(where: { $0.name == item.name }) { throw query.unsupported(term) }
      translation.items.append(item)
    }
    if let first = query.orders.first {
      guard let orderingParameter else { throw query.unsupported("the order by \(first)") }
      let names = try query.orders.map { order in
        let nilsFirst = ordersNilsFirst != order.isDescending
        guard order.term.form == .value, (order.nils == .first) == nilsFirst else {
          throw query.unsupported("the order by \(order)")
        }
        return (order.isDescending ? "-" : "") + (try query.keys(of: order.term.path).joined(separator: "__"))
      }
      translation.items.append(RESTQueryItem(orderingParameter, names.joined(separator: ",")))
    }
    return translation
  }

  private func item(for term: QueryExpression, in query: RESTQuery) throws -> RESTQueryItem {
    guard case .comparison(let comparison) = term else { throw query.unsupported(term) }
    let (keys, value) = try query.plain(comparison)
    let name = keys.joined(separator: "__")
    let text = ParameterEncoder.text(value)
    switch (comparison.operator, value) {
    case (.equal, .null): return RESTQueryItem(name + "__isnull", "true")
    case (.notEqual, .null): return RESTQueryItem(name + "__isnull", "false")
    // An empty value means to Django that nothing was asked.
    case (_, .string("")), (_, .object): throw query.unsupported(term)
    case (.equal, _): return RESTQueryItem(name, text)
    case (.less, _): return RESTQueryItem(name + "__lt", text)
    case (.lessOrEqual, _): return RESTQueryItem(name + "__lte", text)
    case (.greater, _): return RESTQueryItem(name + "__gt", text)
    case (.greaterOrEqual, _): return RESTQueryItem(name + "__gte", text)
    case (.isIn, .array(let values)):
      let texts = values.map(ParameterEncoder.text)
      guard !values.isEmpty, !values.contains(.null), !texts.contains(where: { $0.contains(",") || $0.isEmpty }) else {
        throw query.unsupported(term)
      }
      return RESTQueryItem(name + "__in", texts.joined(separator: ","))
    default:
      guard let lookup = lookups[comparison.operator] else { throw query.unsupported(term) }
      return RESTQueryItem("\(name)__\(lookup)", text)
    }
  }
}

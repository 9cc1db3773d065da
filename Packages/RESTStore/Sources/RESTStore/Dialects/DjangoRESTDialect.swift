public import StoreProtocol

/// The dialect of Django REST framework: its three kinds of pages, `OrderingFilter`, and the lookups of django-filter.
///
/// ```swift
/// let dialect = DjangoRESTDialect(
///   paging: .pages(size: 100), orderingParameter: "ordering")
/// let adults = try await store.list(Person.self, where: { $0.age >= 18 })
/// // GET /people/?age__gte=18&page=1…
/// ```
///
/// A condition is a conjunction of comparisons: `field=`, `__lt`, `__lte`, `__gt`, `__gte`, `__in` and `__isnull`.
/// Others of the server's filter set can be added with ``lookups``. The server must know each of them: Django silently
/// ignores parameters that it doesn't know.
///
/// Decimals are read from strings, as Django writes them by default, and from numbers. They are written as strings,
/// without losing digits.
public struct DjangoRESTDialect: RESTDialect {
  /// The paging of lists: `.pages` for `PageNumberPagination`, `.offset` for `LimitOffsetPagination`, `.linked` for
  /// `CursorPagination`, `.whole` for none.
  public var paging: RESTPaging
  /// The parameter of `OrderingFilter`; nil if the server has none.
  public var orderingParameter: String?
  /// The names of lookups that compare text. There are none by default, because their case sensitivity depends on the
  /// database of the server.
  public var lookups: [QueryComparison.Operator: String]
  /// Whether the database of the server orders nil first, as SQLite and MySQL do. PostgreSQL orders it last.
  public var ordersNilsFirst: Bool
  /// Whether paths end with a slash, as those of Django's routers do.
  public var endsPathsWithSlash: Bool

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - paging: the paging of lists.
  ///   - orderingParameter: the parameter of `OrderingFilter`; nil if the server has none.
  ///   - lookups: the names of lookups that compare text, such as `[.contains: "contains"]`.
  ///   - ordersNilsFirst: whether the database orders nil first.
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

  /// Returns the path, with a slash at its end unless that is turned off.
  public func address(of operation: RESTOperation) throws -> RESTAddress {
    RESTAddress(operation.path + (endsPathsWithSlash ? "/" : ""))
  }

  /// The whole answer.
  public var plainRecordPath: String? { "" }

  /// Returns the record with decimals as strings: Django reads a JSON number as a `float`, which loses digits.
  public func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    .object(DjangoDecimals.written(record, of: type.init()))
  }

  /// Returns the record with the strings of decimal fields as numbers.
  public func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let record) = payload else {
      throw ModelDecodingError(path: FieldPath(), expected: "an object", found: payload.typeDescription)
    }
    return DjangoDecimals.read(record, of: type.sample(for: record))
  }

  /// Extracts the results of a page.
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

  /// Translates conditions to lookups, and the order to `ordering`.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    var translation = paging.translation(of: query)
    for term in query.terms {
      let item = try item(for: term, in: query)
      // Django uses only one value of a parameter.
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
    // Django ignores a filter with an empty value.
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

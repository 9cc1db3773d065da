public import StoreProtocol

/// The dialect of APIs that put everything into an envelope, such as `{"data": …}`.
///
/// ```swift
/// let dialect = EnvelopedDialect(
///   "response.items", record: "response.item", next: "paging.next",
///   total: "paging.total")
/// ```
public struct EnvelopedDialect: RESTDialect {
  /// The key path of the list.
  public var listPath: String
  /// The key path of a single record.
  public var recordPath: String
  /// The key path of the payload in a request; nil to send it without envelope.
  public var payloadPath: String?
  /// The key path of the address or the cursor of the next page; nil if answers don't have it.
  public var nextPath: String?
  /// The parameter that sends a cursor to the server; nil if the value at ``nextPath`` is an address.
  public var cursorParameter: String?
  /// The key path of the number of all models; nil if answers don't have it.
  public var totalPath: String?
  /// The key path of a text or an object that only failures have, whatever their status.
  public var errorPath: String?
  /// The paging of lists.
  public var paging: RESTPaging
  /// The parameter with which a list has the models of some identifiers only, such as `"ids"` in `ids=1,2`; nil if the
  /// API has none. Related models are then requested together.
  public var identifiersParameter: String?

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - listPath: the key path of the list, and of a single record unless `record` is given.
  ///   - recordPath: the key path of a single record.
  ///   - payloadPath: the key path of the payload in a request; empty for no envelope, nil for that of a record.
  ///   - nextPath: the key path of the address or the cursor of the next page.
  ///   - cursorParameter: the parameter that sends a cursor to the server.
  ///   - totalPath: the key path of the number of all models.
  ///   - errorPath: the key path of a value that only failures have.
  ///   - paging: the paging of lists.
  ///   - identifiersParameter: the parameter with which a list has the models of some identifiers only.
  public init(
    _ listPath: String = "data", record recordPath: String? = nil, payload payloadPath: String? = nil,
    next nextPath: String? = nil, cursorParameter: String? = nil, total totalPath: String? = nil,
    error errorPath: String? = nil, paging: RESTPaging = .whole, identifiersParameter: String? = nil
  ) {
    self.listPath = listPath
    self.recordPath = recordPath ?? listPath
    let payloadPath = payloadPath ?? self.recordPath
    self.payloadPath = payloadPath.isEmpty ? nil : payloadPath
    self.nextPath = nextPath
    self.cursorParameter = cursorParameter
    self.totalPath = totalPath
    self.errorPath = errorPath
    self.paging = paging
    self.identifiersParameter = identifiersParameter
  }

  /// The key path of the list, if nothing else is read from an answer.
  public var plainListPath: String? { nextPath == nil && totalPath == nil && errorPath == nil ? listPath : nil }

  /// The key path of the record, if nothing else is read from an answer.
  public var plainRecordPath: String? { errorPath == nil ? recordPath : nil }

  /// Puts the payload into the envelope.
  public func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue {
    (payloadPath ?? "").split(separator: ".").reversed().reduce(payload) { [String($1): $0] }
  }

  /// Unwraps an answer.
  public func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    let path = operation.kind == .list ? listPath : recordPath
    var answer = try RESTResponse(response)
    guard let envelope = answer.payload else { return answer }
    if answer.error == nil, let errorPath, let error = envelope[path: errorPath], !error.isNull {
      let text = error.stringValue ?? error["message"]?.stringValue ?? error.description
      answer.error = ModelStoreError(.server, "the server reports: \(text.prefix(500))")
    }
    if let nextPath, let next = envelope[path: nextPath] {
      if let cursorParameter, !next.isNull, next != "", next != false {
        answer.next = .items([RESTQueryItem(cursorParameter, ParameterEncoder.text(next))])
      } else {
        answer.next = cursorParameter == nil ? RESTPageLink(next) : nil
      }
      answer.isLast = answer.next == nil
    }
    answer.total = totalPath.flatMap { envelope[path: $0]?.intValue }
    if answer.error == nil, operation.kind == .list || operation.kind == .lookup {
      try answer.unwrap(path)
    } else {
      // A write need not be answered with the record.
      answer.payload = envelope[path: path]
    }
    return answer
  }

  /// Translates limit and offset, and rejects conditions and orders.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    guard let item = try identifiersParameter.flatMap(query.identifiers(named:)) else {
      try query.refuseConditions()
      return paging.translation(of: query)
    }
    try query.refuseOrders()
    var translation = paging.translation(of: query)
    translation.items.append(item)
    return translation
  }
}

public import StoreProtocol

/// The dialect of APIs that put everything into an envelope, such as `{"data": …}`.
///
/// ```swift
/// let dialect = EnvelopedDialect("response.items", record: "response.item", next: "paging.next", total: "paging.total")
/// ```
public struct EnvelopedDialect: RESTDialect {
  /// The key path of the list.
  public var listPath: String
  /// The key path of a single record.
  public var recordPath: String
  /// The key path of what is sent; nil to send it without envelope.
  public var payloadPath: String?
  /// The key path of the address or the cursor of the next page; nil if answers don't have it.
  public var nextPath: String?
  /// The parameter in which a cursor goes back; nil if what is at ``nextPath`` is an address.
  public var cursorParameter: String?
  /// The key path of the number of models in all; nil if answers don't have it.
  public var totalPath: String?
  /// The key path of a text or an object that is there only if something went wrong, whatever the status says.
  public var errorPath: String?
  /// How lists come in parts.
  public var paging: RESTPaging

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - listPath: the key path of the list, and of a single record unless `record` is given.
  ///   - recordPath: the key path of a single record.
  ///   - payloadPath: the key path of what is sent; empty for no envelope, nil for that of a record.
  ///   - nextPath: the key path of the address or the cursor of the next page.
  ///   - cursorParameter: the parameter in which a cursor goes back.
  ///   - totalPath: the key path of the number of models in all.
  ///   - errorPath: the key path of what is there only if something went wrong.
  ///   - paging: how lists come in parts.
  public init(
    _ listPath: String = "data", record recordPath: String? = nil, payload payloadPath: String? = nil,
    next nextPath: String? = nil, cursorParameter: String? = nil, total totalPath: String? = nil,
    error errorPath: String? = nil, paging: RESTPaging = .whole
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
  }

  /// The list in its envelope, if nothing else of an answer is looked at.
  public var plainListPath: String? { nextPath == nil && totalPath == nil && errorPath == nil ? listPath : nil }

  /// The record in its envelope, if nothing else of an answer is looked at.
  public var plainRecordPath: String? { errorPath == nil ? recordPath : nil }

  /// Puts the payload into the envelope.
  public func formatPayload(_ payload: JSONValue) throws -> JSONValue {
    (payloadPath ?? "").split(separator: ".").reversed().reduce(payload) { [String($1): $0] }
  }

  /// Takes the answer to a list out of its envelope.
  public func constructResponse(_ response: HTTPResponse) throws -> RESTResponse {
    try unwrapped(response, at: listPath)
  }

  /// Takes an answer out of its envelope.
  public func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    operation.kind == .list ? try constructResponse(response) : try unwrapped(response, at: recordPath)
  }

  private func unwrapped(_ response: HTTPResponse, at path: String) throws -> RESTResponse {
    var answer = try RESTResponse(response)
    guard let envelope = answer.payload else { return answer }
    if answer.error == nil, let errorPath, let error = envelope[path: errorPath], !error.isNull {
      let text = error.stringValue ?? error["message"]?.stringValue ?? error.description
      answer.error = ModelStoreError(.server, "the server says: \(text.prefix(500))")
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
    // An empty text is no path: the answer is the list itself.
    answer.payload = path.isEmpty ? envelope : envelope[path: path]
    return answer
  }

  /// A limit and an offset, and nothing else.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    try query.refuseConditions()
    return paging.translation(of: query)
  }
}

public import StoreProtocol

/// The conventions of one API: its headers, the form of requests and answers, its pages, and its errors. Every hook has
/// a default, which is that of ``JSONDialect``.
///
/// ```swift
/// struct LibraryAPI: RESTDialect {
///   let token: String
///   func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
///     request.headers["Authorization"] = "Bearer \(token)"
///   }
///   func constructResponse(
///     _ response: HTTPResponse,
///     to operation: RESTOperation
///   ) throws -> RESTResponse {
///     var answer = try RESTResponse(response)
///     answer.payload = answer.payload?["data"]
///     return answer
///   }
/// }
/// ```
///
/// Hooks run in the isolation of the store instance. They get values, not models, and a result is read completely or
/// not at all. Credentials that can be renewed, and sessions, belong to a ``RESTAuthentication``.
public protocol RESTDialect: Sendable {
  /// The short name of a response. Inside the protocol it can't be mistaken for that of swift-http-types.
  typealias HTTPResponse = HTTPResponseData

  // MARK: Requests

  /// Changes a request that is complete except for the credentials: its headers, its limits of time, size and
  /// redirects, and its cache policy. Default: nothing is changed.
  ///
  /// The headers that a call or
  /// ``RESTModelStore/with(headers:parameters:payload:timeout:cachePolicy:sendsCredentials:)`` names replace those set
  /// here, as do its time limit and cache policy.
  ///
  /// - Parameters:
  ///   - request: the request, with the store's own `Accept` and `Content-Type`.
  ///   - operation: the operation that the request is for.
  /// - Throws: any error; then no request is sent.
  func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws

  /// Returns the method of a call. Default: POST to create, PATCH to update, DELETE to delete, GET to read. Any other
  /// request has a method of its own.
  ///
  /// With `.put` for updates the whole record is sent, whichever fields changed.
  func method(for kind: RESTOperation.Kind) -> HTTPRequestData.Method

  /// Returns the encoding of the payload of a request with a method. Default: ``RESTEncoding/json``.
  func encoding(for method: HTTPRequestData.Method) -> RESTEncoding

  /// Returns the address of an operation's request. Default: its path, without query.
  func address(of operation: RESTOperation) throws -> RESTAddress

  /// Whether a new model with an identifier is created by a PUT to its own, unused path instead of a POST to its
  /// collection. Default: no.
  var createsWithPut: Bool { get }

  /// Whether a POST of a list to a collection atomically creates a model for each element. The answer has their records
  /// in the same order. ``RESTModelStore/createAll(_:)`` then takes one request. Default: no.
  ///
  /// Its ``RESTOperation`` is of the kind `create` and ``RESTOperation/isBulk``.
  var createsTogether: Bool { get }

  /// Whether a DELETE of the path of a relation, such as `/companies/10/employees`, deletes its members. Default: no.
  var deletesRelations: Bool { get }

  /// Returns the parameters with which a DELETE of a collection removes the models with some identifiers, and no others.
  /// The answer is a success even if some of them don't exist. Default: nil, which means that the API has none.
  ///
  /// They are added to the address of an operation of the kind `delete` that is ``RESTOperation/isBulk``.
  func items(deleting identifiers: [String], by operation: RESTOperation) throws -> [RESTQueryItem]?

  /// Returns whether an identifier is temporary: it is not sent when the model is created, and the server's identifier
  /// replaces it. Default: none is.
  func isTemporary(_ identifier: String) -> Bool

  // MARK: Payloads

  /// Converts a record of a model into the form of the API. Default: the record unchanged.
  ///
  /// - Parameters:
  ///   - record: the fields to write; for an update only those that changed.
  ///   - type: the class of the model.
  func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue

  /// Returns the body of a request for a result of ``serialize(_:of:)``, such as an envelope around it. Default: that
  /// result.
  func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue

  /// Reads an answer: unwraps envelopes, finds the errors of the API. Default: ``RESTResponse/init(_:)``.
  ///
  /// - Throws: any error; the answer then counts as unreadable.
  func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse

  /// Converts a payload of the API into a record. By default the payload has to be an object, and is the record.
  ///
  /// - Parameters:
  ///   - payload: one element of a list, or the payload of the answer to any other request.
  ///   - type: the class of the model.
  func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary

  /// The key path of the records in the answer to a list, if models can read them unchanged. Empty for the whole
  /// answer, nil if it is unknown. Default: nil.
  ///
  /// With a path, records are read directly from the bytes, without building a JSON tree, and without calls of
  /// ``constructResponse(_:to:)`` and ``deserialize(_:of:)``.
  var plainListPath: String? { get }

  /// The key path of the record in the answer to a lookup, if it has the form that models read. It is used as
  /// ``plainListPath`` is for lists: ``constructResponse(_:to:)`` and ``deserialize(_:of:)`` are called only for
  /// unusual answers. Default: nil.
  var plainRecordPath: String? { get }

  // MARK: Queries

  /// Translates a query into parameters of the API. Default: ``RESTPaging/whole``; conditions and orders are rejected.
  ///
  /// - Throws: ``RESTQuery/unsupported(_:)`` for a part that the API can't express. Never ignore a part.
  func translate(_ query: RESTQuery) throws -> RESTQueryTranslation

  /// Returns the parameters with which answers to lists contain related models in full, such as `include=author`.
  /// Default: nil, which means that the API has none. Related models are then requested by their identifiers.
  ///
  /// - Parameter relations: the keys on the path of each relation, as records of the API spell them.
  func items(including relations: [[String]]) throws -> [RESTQueryItem]?

  /// The parameter with which a list contains the changes since a position of the server's change log, in the form of a
  /// `RESTService`: `updated_since`. Default: nil, which means that the server has no change log.
  ///
  /// Its address is the address of a list without condition. Its answer is read as it is, without an envelope.
  var changesParameter: String? { get }

  /// Returns the link to the next page of a list; nil after the last page. Default: the link in the answer, or
  /// otherwise the one that the paging of the translation computes.
  ///
  /// - Parameters:
  ///   - page: the current page.
  func nextPage(after page: RESTPage) throws -> RESTPageLink?

  // MARK: Errors

  /// Receives every error of a request before it is thrown, except a cancellation. Sign out or notify the user here.
  /// Default: does nothing.
  func handleError(_ error: ModelStoreError) async
}

extension RESTDialect {
  /// Changes nothing.
  public func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {}

  /// Returns POST, PATCH or DELETE, and GET for everything else.
  public func method(for kind: RESTOperation.Kind) -> HTTPRequestData.Method {
    switch kind {
    case .create: .post
    case .update: .patch
    case .delete: .delete
    case .lookup, .list, .request: .get
    }
  }

  /// Returns JSON.
  public func encoding(for method: HTTPRequestData.Method) -> RESTEncoding { .json }

  /// Returns the path of the operation.
  public func address(of operation: RESTOperation) throws -> RESTAddress { RESTAddress(operation.path) }

  /// False: new models are created by a POST.
  public var createsWithPut: Bool { false }

  /// False: each model is created by its own request.
  public var createsTogether: Bool { false }

  /// False: each member of a relation is deleted by its own request.
  public var deletesRelations: Bool { false }

  /// Returns false: no identifier is temporary.
  public func isTemporary(_ identifier: String) -> Bool { false }

  /// Returns the record unchanged.
  public func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    .object(record)
  }

  /// Returns the payload unchanged.
  public func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue { payload }

  /// Reads the answer as plain JSON.
  public func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    try RESTResponse(response)
  }

  /// Returns the object unchanged.
  ///
  /// - Throws: `ModelDecodingError` for anything but an object.
  public func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let record) = payload else {
      throw ModelDecodingError(path: FieldPath(), expected: "an object", found: payload.typeDescription)
    }
    return record
  }

  /// The default is nil: the path is unknown.
  public var plainListPath: String? { nil }

  /// The default is nil: the path is unknown.
  public var plainRecordPath: String? { nil }

  /// Translates limit and offset, and rejects conditions and orders.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    try query.refuseConditions()
    return RESTPaging.whole.translation(of: query)
  }

  /// The default is nil: the API has no parameters for this.
  public func items(including relations: [[String]]) throws -> [RESTQueryItem]? { nil }

  /// The default is nil: each model is deleted by itself.
  public func items(deleting identifiers: [String], by operation: RESTOperation) throws -> [RESTQueryItem]? { nil }

  /// The default is nil: the server has no change log.
  public var changesParameter: String? { nil }

  /// Returns the link of the answer, or else that of the paging.
  public func nextPage(after page: RESTPage) throws -> RESTPageLink? { page.answer.next ?? page.followingLink }

  /// Does nothing.
  public func handleError(_ error: ModelStoreError) async {}
}

public import StoreProtocol

/// How one API speaks: its headers, the shape of what is sent and answered, how it pages, and what happens on errors.
/// Every hook has a default, which is that of ``JSONDialect``.
///
/// ```swift
/// struct LibraryAPI: RESTDialect {
///   let token: String
///   func defaultHeaders() async throws -> [String: String] { ["Authorization": "Bearer \(token)"] }
///   func constructResponse(_ response: HTTPResponse) throws -> RESTResponse {
///     var answer = try RESTResponse(response)
///     answer.payload = answer.payload?["data"]
///     return answer
///   }
/// }
/// ```
///
/// Hooks run in the isolation of the store front. They get no models, only values: what they return is read all or
/// nothing. Where a hook has a form with a ``RESTOperation`` and one without, the store calls the first, whose default
/// calls the second.
public protocol RESTDialect: Sendable {
  /// The short name of a response, here where it can't be mistaken for that of swift-http-types.
  typealias HTTPResponse = HTTPResponseData

  // MARK: Requests

  /// How long one request may take, from the connection to the last byte of the answer. Default: 60 seconds.
  var timeout: Duration { get }

  /// How long the request of an operation may take. Default: ``timeout``.
  func timeout(for operation: RESTOperation) -> Duration

  /// How many bytes the body of an answer may have. Default: ``HTTPRequestData/defaultMaximumResponseBytes``.
  var maximumResponseBytes: Int { get }

  /// Whether a cache of the transport may answer. Default: no.
  func cachePolicy(for operation: RESTOperation) -> HTTPRequestData.CachePolicy

  /// Gets a session ready, such as by signing in, before headers are asked for. Default: does nothing.
  ///
  /// - Throws: anything; no request is sent then.
  func restoreSession() async throws

  /// Whether ``restoreSession()`` is called for an operation. Default: always.
  func needsSession(for operation: RESTOperation) -> Bool

  /// The headers of every request, such as credentials. They replace those that the store sends by itself, which are
  /// `Accept` and `Content-Type`. Default: none.
  ///
  /// - Throws: anything; no request is sent then.
  func defaultHeaders() async throws -> [String: String]

  /// The headers of an operation. Default: ``defaultHeaders()``.
  func headers(for operation: RESTOperation) async throws -> [String: String]

  /// The method of a call. Default: POST to create, PATCH to update, DELETE to delete, GET to read.
  ///
  /// With `.put` for updates the whole record is sent, whichever fields changed.
  func method(for kind: RESTOperation.Kind) -> HTTPRequestData.Method

  /// How the payload of a request with a method is written. Default: ``RESTEncoding/json``.
  func encoding(for method: HTTPRequestData.Method) -> RESTEncoding

  /// Where an operation goes. Default: to its path, without query.
  func address(of operation: RESTOperation) throws -> RESTAddress

  /// Whether a new model that has an identifier is put at its own path, which must be free there, instead of posted to
  /// its collection. Default: no.
  var putsNewModels: Bool { get }

  /// Whether an identifier is made up until the server gives another, and is not to be sent when the model is created.
  /// Default: none is.
  func isTemporary(_ identifier: String) -> Bool

  // MARK: Payloads

  /// Turns a record of a model into what the API calls it. Default: the record as it is.
  ///
  /// - Parameters:
  ///   - record: the fields to write. For an update it has only those that changed.
  ///   - type: the class of the model.
  func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue

  /// Makes the body of a request from what ``serialize(_:of:)`` returned, such as an envelope around it. Default: the same.
  func formatPayload(_ payload: JSONValue) throws -> JSONValue

  /// Makes the body of a request for an operation. Default: ``formatPayload(_:)``.
  func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue

  /// Reads an answer: unwraps envelopes, finds the errors of the API. Default: ``RESTResponse/init(_:)``.
  ///
  /// - Throws: anything; the answer counts as one that can't be understood.
  func constructResponse(_ response: HTTPResponse) throws -> RESTResponse

  /// Reads the answer to an operation. Default: ``constructResponse(_:)``.
  func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse

  /// Turns what the API calls a model into a record. Default: it has to be an object, and is the record.
  ///
  /// - Parameters:
  ///   - payload: one element of a list, or the payload of the answer to any other request.
  ///   - type: the class of the model.
  func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary

  /// Where in the answer to a list the records are, if they are there just as models read them: then they are read without
  /// making a tree of JSON first, and neither ``constructResponse(_:)`` nor ``deserialize(_:of:)`` is asked about them.
  /// Empty for the whole answer, nil if it can't be said. Default: nil.
  var plainListPath: String? { get }

  /// Where in the answer to a lookup the record is, if it is there just as models read it: as ``plainListPath`` of lists, with
  /// ``constructResponse(_:to:)`` and ``deserialize(_:of:)`` asked only about what is unusual. Default: nil.
  var plainRecordPath: String? { get }

  // MARK: Queries

  /// Says what a query is in the words of the API. Default: ``RESTPaging/whole``, and it refuses conditions and orders.
  ///
  /// - Throws: ``RESTQuery/unsupported(_:)`` for a part that can't be said. Never leave out a part.
  func translate(_ query: RESTQuery) throws -> RESTQueryTranslation

  /// Where the next page of a list is; nil if this one is the last. Default: what the answer says, or else what the
  /// translation's paging says.
  ///
  /// - Parameters:
  ///   - page: the page that was read.
  func nextPage(after page: RESTPage) throws -> RESTPageLink?

  // MARK: Errors

  /// Hears of every error of a request before it is thrown, except that the task was cancelled: the place to sign out
  /// or to tell the user. Default: does nothing.
  func handleError(_ error: ModelStoreError) async
}

extension RESTDialect {
  /// 60 seconds.
  public var timeout: Duration { .seconds(60) }

  /// That of every request.
  public func timeout(for operation: RESTOperation) -> Duration { timeout }

  /// The default limit of a request.
  public var maximumResponseBytes: Int { HTTPRequestData.defaultMaximumResponseBytes }

  /// No cache answers.
  public func cachePolicy(for operation: RESTOperation) -> HTTPRequestData.CachePolicy { .ignoringCache }

  /// Does nothing.
  public func restoreSession() async throws {}

  /// Always.
  public func needsSession(for operation: RESTOperation) -> Bool { true }

  /// None.
  public func defaultHeaders() async throws -> [String: String] { [:] }

  /// Those of every request.
  public func headers(for operation: RESTOperation) async throws -> [String: String] { try await defaultHeaders() }

  /// POST, PATCH, DELETE, and GET to read.
  public func method(for kind: RESTOperation.Kind) -> HTTPRequestData.Method {
    switch kind {
    case .create: .post
    case .update: .patch
    case .delete: .delete
    case .lookup, .list: .get
    }
  }

  /// JSON.
  public func encoding(for method: HTTPRequestData.Method) -> RESTEncoding { .json }

  /// The path of the operation.
  public func address(of operation: RESTOperation) throws -> RESTAddress { RESTAddress(operation.path) }

  /// New models are posted.
  public var putsNewModels: Bool { false }

  /// No identifier is.
  public func isTemporary(_ identifier: String) -> Bool { false }

  /// The record as it is.
  public func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    .object(record)
  }

  /// The payload as it is.
  public func formatPayload(_ payload: JSONValue) throws -> JSONValue { payload }

  /// As for every operation.
  public func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue {
    try formatPayload(payload)
  }

  /// Plain JSON.
  public func constructResponse(_ response: HTTPResponse) throws -> RESTResponse { try RESTResponse(response) }

  /// As for every operation.
  public func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    try constructResponse(response)
  }

  /// The object as it is.
  ///
  /// - Throws: `ModelDecodingError` for anything but an object.
  public func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let record) = payload else {
      throw ModelDecodingError(path: FieldPath(), expected: "an object", found: payload.typeDescription)
    }
    return record
  }

  /// Unknown.
  public var plainListPath: String? { nil }

  /// Unknown.
  public var plainRecordPath: String? { nil }

  /// A limit and an offset, and nothing else.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    try query.refuseConditions()
    return RESTPaging.whole.translation(of: query)
  }

  /// What the answer says, or else the paging.
  public func nextPage(after page: RESTPage) throws -> RESTPageLink? { page.answer.next ?? page.followingLink }

  /// Does nothing.
  public func handleError(_ error: ModelStoreError) async {}
}

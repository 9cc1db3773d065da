public import StoreProtocol

/// How one API speaks: its headers, the shape of what is sent and answered, and what happens on errors. Every hook has a
/// default, which is that of ``JSONDialect``.
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
/// nothing.
public protocol RESTDialect: Sendable {
  /// The short name of a response, here where it can't be mistaken for that of swift-http-types.
  typealias HTTPResponse = HTTPResponseData

  /// How long one request may take, from the connection to the last byte of the answer. Default: 60 seconds.
  var timeout: Duration { get }

  /// How many bytes the body of an answer may have. Default: ``HTTPRequestData/defaultMaximumResponseBytes``.
  var maximumResponseBytes: Int { get }

  /// The headers of every request, such as credentials. They replace those that the store sends by itself, which are
  /// `Accept` and `Content-Type`. Default: none.
  ///
  /// - Throws: anything; no request is sent then.
  func defaultHeaders() async throws -> [String: String]

  /// Turns a record of a model into what the API calls it. Default: the record as it is.
  ///
  /// - Parameters:
  ///   - record: the fields to write. For an update it has only those that changed.
  ///   - type: the class of the model.
  func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue

  /// Makes the body of a request from what ``serialize(_:of:)`` returned, such as an envelope around it. Default: the same.
  func formatPayload(_ payload: JSONValue) throws -> JSONValue

  /// Reads an answer: unwraps envelopes, finds the errors of the API. Default: ``RESTResponse/init(_:)``.
  ///
  /// - Throws: anything; the answer counts as one that can't be understood.
  func constructResponse(_ response: HTTPResponse) throws -> RESTResponse

  /// Turns what the API calls a model into a record. Default: it has to be an object, and is the record.
  ///
  /// - Parameters:
  ///   - payload: one element of a list, or the payload of the answer to any other request.
  ///   - type: the class of the model.
  func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary

  /// Hears of every error of a request before it is thrown, except that the task was cancelled: the place to sign out
  /// or to tell the user. Default: does nothing.
  func handleError(_ error: ModelStoreError) async
}

extension RESTDialect {
  /// 60 seconds.
  public var timeout: Duration { .seconds(60) }

  /// The default limit of a request.
  public var maximumResponseBytes: Int { HTTPRequestData.defaultMaximumResponseBytes }

  /// None.
  public func defaultHeaders() async throws -> [String: String] { [:] }

  /// The record as it is.
  public func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    .object(record)
  }

  /// The payload as it is.
  public func formatPayload(_ payload: JSONValue) throws -> JSONValue { payload }

  /// Plain JSON.
  public func constructResponse(_ response: HTTPResponse) throws -> RESTResponse { try RESTResponse(response) }

  /// The object as it is.
  ///
  /// - Throws: `ModelDecodingError` for anything but an object.
  public func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let record) = payload else {
      throw ModelDecodingError(path: FieldPath(), expected: "an object", found: payload.typeDescription)
    }
    return record
  }

  /// Does nothing.
  public func handleError(_ error: ModelStoreError) async {}
}

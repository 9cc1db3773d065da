public import StoreProtocol

extension RESTDialect {
  /// Returns a dialect that changes single results of this one. All other hooks stay unchanged.
  ///
  /// ```swift
  /// let dialect = JSONDialect().adjusting(
  ///   payload: { payload, _ in payload = ["item": payload] },
  ///   answer: { answer, _, operation in
  ///     try answer.unwrap(operation.kind == .list ? "items" : "item")
  ///   })
  /// ```
  ///
  /// Each closure gets the result of this dialect, and changes it.
  ///
  /// - Parameters:
  ///   - address: changes the address of a request.
  ///   - payload: changes the payload of a request.
  ///   - answer: changes an answer without error. It finds envelopes, totals, or the errors of an API with the status
  ///     200. With it, records are never read directly from the bytes. If this dialect does not find its envelope, the
  ///     closure gets the whole body, and only an error that it finds there counts.
  ///   - error: changes the error of an answer. If it throws, such as for a body that is not JSON, the error has the
  ///     meaning of the status.
  public func adjusting(
    address: (@Sendable (inout RESTAddress, RESTOperation) throws -> Void)? = nil,
    payload: (@Sendable (inout JSONValue, RESTOperation) throws -> Void)? = nil,
    answer: (@Sendable (inout RESTResponse, HTTPResponseData, RESTOperation) throws -> Void)? = nil,
    error: (@Sendable (inout ModelStoreError, HTTPResponseData, RESTOperation) throws -> Void)? = nil
  ) -> some RESTDialect {
    AdjustedDialect(
      base: self, adjustAddress: address, adjustPayload: payload, adjustAnswer: answer, adjustError: error)
  }
}

/// A dialect that forwards every hook to another one, and changes the results of some.
struct AdjustedDialect<Base: RESTDialect>: RESTDialect {
  let base: Base
  var adjustAddress: (@Sendable (inout RESTAddress, RESTOperation) throws -> Void)?
  var adjustPayload: (@Sendable (inout JSONValue, RESTOperation) throws -> Void)?
  var adjustAnswer: (@Sendable (inout RESTResponse, HTTPResponseData, RESTOperation) throws -> Void)?
  var adjustError: (@Sendable (inout ModelStoreError, HTTPResponseData, RESTOperation) throws -> Void)?

  func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
    try await base.adjust(&request, for: operation)
  }

  func method(for kind: RESTOperation.Kind) -> HTTPRequestData.Method { base.method(for: kind) }

  func encoding(for method: HTTPRequestData.Method) -> RESTEncoding { base.encoding(for: method) }

  func address(of operation: RESTOperation) throws -> RESTAddress {
    var address = try base.address(of: operation)
    try adjustAddress?(&address, operation)
    return address
  }

  var createsWithPut: Bool { base.createsWithPut }

  var createsTogether: Bool { base.createsTogether }

  var deletesRelations: Bool { base.deletesRelations }

  func isTemporary(_ identifier: String) -> Bool { base.isTemporary(identifier) }

  func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    try base.serialize(record, of: type)
  }

  func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue {
    var payload = try base.formatPayload(payload, for: operation)
    try adjustPayload?(&payload, operation)
    return payload
  }

  func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    var answer: RESTResponse
    do {
      answer = try base.constructResponse(response, to: operation)
      if answer.error == nil { try adjustAnswer?(&answer, response, operation) }
    } catch let error as ModelDecodingError where response.isSuccessful {
      // An API may send an error with the status 200 in place of the envelope.
      answer = try RESTResponse(response)
      do {
        try adjustAnswer?(&answer, response, operation)
      } catch is ModelDecodingError {
        throw error
      }
      if answer.error == nil { throw error }
    }
    if var error = answer.error {
      try adjustError?(&error, response, operation)
      answer.error = error
    }
    return answer
  }

  func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    try base.deserialize(payload, of: type)
  }

  // A fast path would bypass the closure.
  var plainListPath: String? { adjustAnswer == nil ? base.plainListPath : nil }

  var plainRecordPath: String? { adjustAnswer == nil ? base.plainRecordPath : nil }

  func translate(_ query: RESTQuery) throws -> RESTQueryTranslation { try base.translate(query) }

  func items(including relations: [[String]]) throws -> [RESTQueryItem]? { try base.items(including: relations) }

  func items(deleting identifiers: [String], by operation: RESTOperation) throws -> [RESTQueryItem]? {
    try base.items(deleting: identifiers, by: operation)
  }

  var changesParameter: String? { base.changesParameter }

  func nextPage(after page: RESTPage) throws -> RESTPageLink? { try base.nextPage(after: page) }

  func handleError(_ error: ModelStoreError) async { await base.handleError(error) }
}

public import StoreProtocol

/// What a dialect makes of a server's answer: the payload, or what the server says went wrong.
///
/// ```swift
/// func constructResponse(_ response: HTTPResponse) throws -> RESTResponse {
///   var answer = try RESTResponse(response)
///   answer.payload = answer.payload?["data"]
///   return answer
/// }
/// ```
public struct RESTResponse: Sendable {
  /// The record or the list of records; nil if the answer has no body.
  public var payload: JSONValue?
  /// What went wrong. An answer whose status is not a success fails even if a dialect clears this.
  public var error: ModelStoreError?

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - payload: the record or the list of records.
  ///   - error: what went wrong.
  public init(payload: JSONValue?, error: ModelStoreError? = nil) {
    self.payload = payload
    self.error = error
  }

  /// Reads an answer as plain JSON. The status decides whether it is an error; the body may add detail.
  ///
  /// Of the body of a failure these are understood: a text at `message`, `error`, `detail` or `title`; messages by field
  /// at `errors`, as an object of texts or lists of texts or as a list of objects with `field` and `message`; and, where the
  /// status is 400 or 422, an object whose members are all lists of texts. Anything else is quoted.
  ///
  /// - Throws: `JSONSyntaxError` if the status is a success and there is a body that is not JSON.
  public init(_ response: HTTPResponseData) throws {
    if response.isSuccessful {
      // Not `? nil :`, which would mean the JSON value `null`.
      payload = response.body.isEmpty ? .none : .some(try JSONValue(json: response.body))
    } else {
      payload = try? JSONValue(json: response.body)
      error = ModelStoreError(status: response, details: FailureDetails(payload, status: response.status))
    }
  }
}

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
  /// Where the next page is, if the answer is a page of a list and says so.
  public var next: RESTPageLink?
  /// Whether the answer is a page of a list and says that it is the last one, as with `"next": null`: none is looked for then.
  public var isLast = false
  /// How many models fit in all, if the answer is a page of a list and says so.
  public var total: Int?

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - payload: the record or the list of records.
  ///   - error: what went wrong.
  ///   - next: where the next page is.
  ///   - total: how many models fit in all.
  public init(
    payload: JSONValue?, error: ModelStoreError? = nil, next: RESTPageLink? = nil, total: Int? = nil
  ) {
    self.payload = payload
    self.error = error
    self.next = next
    self.total = total
  }

  /// Reads an answer as plain JSON. The status decides whether it is an error; the body may add detail.
  ///
  /// Of the body of a failure these are understood: a text at `message`, `error`, `detail` or `title`; messages by field
  /// at `errors`, as an object of texts or lists of texts, or as a list of objects that name the field at `field`, `name`,
  /// `loc`, `pointer` or `source.pointer`; the same at `invalid-params`, `violations` or, as a list, `detail`; and, where the
  /// status is 400 or 422, an object whose members are lists of texts or objects of such. Anything else is quoted. This
  /// covers problem details (RFC 9457), JSON:API, and the validation errors of the usual frameworks.
  ///
  /// A `Link` header with the relation `next` gives ``next``; one that has relations to other pages only, ``isLast``.
  ///
  /// - Throws: `JSONSyntaxError` if the status is a success and there is a body that is not JSON.
  public init(_ response: HTTPResponseData) throws {
    if response.isSuccessful {
      // Not `? nil :`, which would mean the JSON value `null`.
      payload = response.body.isEmpty ? .none : .some(try JSONValue(json: response.body))
      let links = response.headers.values(for: "Link")
      next = RESTPageLink(linkHeaders: links)
      isLast = RESTPageLink.isLast(RESTPageLink.relations(linkHeaders: links).flatMap(\.names))
    } else {
      payload = try? JSONValue(json: response.body)
      error = ModelStoreError(status: response, details: FailureDetails(payload, status: response.status))
    }
  }
}

public import StoreProtocol

/// A server's answer as a dialect reads it: a payload, or an error that the server reports.
///
/// ```swift
/// func constructResponse(
///   _ response: HTTPResponseData,
///   to operation: RESTOperation
/// ) throws -> RESTResponse {
///   var answer = try RESTResponse(response)
///   answer.payload = answer.payload?["data"]
///   return answer
/// }
/// ```
public struct RESTResponse: Sendable {
  /// The record or the list of records; nil if the answer has no body.
  public var payload: JSONValue?
  /// The error that the server reports. An answer whose status is not a success fails even if a dialect clears this.
  public var error: ModelStoreError?
  /// The link to the next page, if the answer is a page of a list and has one.
  public var next: RESTPageLink?
  /// Whether the answer declares that it is the last page of a list, as with `"next": null`. Then no further page is
  /// fetched.
  public var isLast = false
  /// The number of all matching models, if the answer is a page of a list and has it.
  public var total: Int?
  /// The path of the payload in the body, for errors.
  private(set) var place = FieldPath()

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - payload: the record or the list of records.
  ///   - error: the error that the server reports.
  ///   - next: the link to the next page.
  ///   - total: the number of all matching models.
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
  /// The body of a failure is searched for:
  ///
  /// - a text at `message`, `error`, `detail` or `title`;
  /// - messages by field at `errors`: an object of texts or lists of texts, or a list of objects. These name the field
  ///   at `field`, `name`, `loc`, `pointer` or `source.pointer`;
  /// - the same at `invalid-params`, `violations` or, as a list, `detail`;
  /// - with the status 400 or 422, an object whose members are lists of texts or objects of such lists;
  /// - with these, a list of such objects about several new records: ``RESTDialect/createsTogether``.
  ///
  /// Any other body is quoted. This covers problem details (RFC 9457), JSON:API, and the validation errors of the usual
  /// frameworks.
  ///
  /// A `Link` header with the relation `next` sets ``next``. One with relations to other pages only sets ``isLast``.
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

  /// Replaces the payload by its member at a key path: unwraps an envelope. An answer without body stays as it is.
  ///
  /// ```swift
  /// try answer.unwrap(operation.kind == .list ? "result.items" : "result.item")
  /// ```
  ///
  /// - Parameter path: the key path of the record or the list of records.
  /// - Throws: `ModelDecodingError` with the key path if there is no such member.
  public mutating func unwrap(_ path: String) throws {
    guard let envelope = payload else { return }
    let full = place.appending(FieldPath(path))
    guard let member = envelope[path: path] else {
      throw ModelDecodingError(path: full, expected: "a record or a list", found: "nothing")
    }
    payload = member
    place = full
  }
}

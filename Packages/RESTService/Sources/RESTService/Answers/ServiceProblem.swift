import Foundation
import ModelCore
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol

/// A problem of a failed request, in the format of RFC 9457.
struct ServiceProblem: Error {
  var status: Int
  var detail: String
  /// The messages by field.
  var fields: [String: [String]] = [:]
  /// The current record, for a write that expected another version.
  var current: RecordVersion?
  var headers: HTTPHeaderList = [:]
  /// The code of the store's error, if the status alone does not identify it.
  var code: ModelStoreError.Code?

  init(_ status: Int, _ detail: String, current: RecordVersion? = nil, headers: HTTPHeaderList = [:]) {
    self.status = status
    self.detail = detail
    self.current = current
    self.headers = headers
  }

  /// The problem of an address without a resource.
  static var noResource: ServiceProblem { ServiceProblem(404, "There is no resource at this address.") }

  /// Returns the problem of a method that an address does not support.
  static func method(allowed: [String]) -> ServiceProblem {
    ServiceProblem(
      405, "This address allows \(allowed.joined(separator: ", ")).",
      headers: ["Allow": allowed.joined(separator: ", ")])
  }

  /// Returns the problem of an error. The text of an error that does not concern the request is omitted, because it may
  /// contain internal details.
  init(_ error: any Error) {
    switch error {
    case let problem as ServiceProblem: self = problem
    case let error as ModelStoreError: self.init(error)
    case let error as ModelDecodingError:
      self.init(422, "The record was not written: \(error)")
      fields = [error.path.description: ["expected \(error.expected), found \(error.found)"]]
    case is CancellationError: self.init(503, "The request was cancelled.")
    default: self.init(500, "The service failed. The details are not sent.")
    }
  }

  private init(_ error: ModelStoreError) {
    switch error.code {
    case .notFound: self.init(404, error.message)
    case .conflict: self.init(409, error.message)
    case .denied:
      // The user may not read the records that deny it.
      let denial = error.cause as? DeletionDeniedError
      let place = denial.map { "in \"\($0.relation)\" of \($0.typeName) " } ?? ""
      self.init(
        409, "Nothing was written: other records \(place)depend on a record that was to be deleted. Delete those first."
      )
      code = .denied
      if let denial { fields = [denial.relation: ["references other records"]] }
      return
    case .invalid where error.fields.isEmpty: self.init(400, error.message)
    case .invalid: self.init(422, error.message)
    case .noIdentifier: self.init(422, error.message)
    case .full: self.init(507, "There is no space left for the record. Nothing was written.")
    case .offline where error.isOutcomeUnknown:
      // A repetition could write twice.
      self.init(503, "It is unknown whether the request was completed. Read the records before you send it again.")
    case .timeout, .locked, .offline, .cancelled:
      self.init(503, "The store is temporarily unavailable. Try again later.", headers: ["Retry-After": "1"])
    default: self.init(500, "The store failed. The details are not sent.")
    }
    fields = error.fields
  }

  /// The response with the problem.
  var response: HTTPResponseData {
    var members: AttributeDictionary = [
      "type": "about:blank", "title": .string(Self.title(of: status)), "status": .int(status),
      "detail": .string(detail),
    ]
    if !fields.isEmpty { members["errors"] = .object(fields.mapValues { .array($0.map { .string($0) }) }) }
    if let code { members["code"] = .string(code.description) }
    if let current { members["current"] = .object(current.record) }
    let body = (try? JSONValue.object(members).jsonData(.init(sortedKeys: true))) ?? Data()
    var response = HTTPResponseData(status: status, headers: headers, body: body)
    response.headers["Content-Type"] = "application/problem+json"
    response.headers["Cache-Control"] = "no-store"
    if let current { response.headers["ETag"] = current.tag }
    return response
  }

  static func title(of status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 409: "Conflict"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 503: "Service Unavailable"
    case 507: "Insufficient Storage"
    default: "Internal Server Error"
    }
  }
}

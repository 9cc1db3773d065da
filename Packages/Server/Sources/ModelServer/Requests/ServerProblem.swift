import Foundation
import RESTStore
import StoreProtocol

/// A problem that the server reports itself, in the format of RFC 9457.
struct ServerProblem: Error {
  let status: Int
  let detail: String
  var headers: HTTPHeaderList = [:]

  init(_ status: Int, _ detail: String, headers: HTTPHeaderList = [:]) {
    self.status = status
    self.detail = detail
    self.headers = headers
  }

  var response: HTTPResponseData {
    let members: AttributeDictionary = ["type": "about:blank", "status": .int(status), "detail": .string(detail)]
    let body = (try? JSONValue.object(members).jsonData(.init(sortedKeys: true))) ?? .init()
    var response = HTTPResponseData(status: status, headers: headers, body: body)
    response.headers["Content-Type"] = "application/problem+json"
    response.headers["Cache-Control"] = "no-store"
    return response
  }
}

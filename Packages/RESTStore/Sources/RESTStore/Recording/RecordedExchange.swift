import Foundation
import StoreProtocol

/// A request and its answer in a recording.
struct RecordedExchange {
  let request: HTTPRequestData
  let response: HTTPResponseData

  init(request: HTTPRequestData, response: HTTPResponseData) {
    self.request = request
    self.response = response
  }

  /// The method, path and query of the request.
  var title: String { "\(request.method) \(Self.target(of: request.url))" }

  /// Returns whether this exchange answers a request: one with the same method, path, query and body. The host may
  /// differ.
  func answers(_ other: RecordedExchange) -> Bool {
    title == other.title && Self.json(ofBody: request.body ?? Data()) == Self.json(ofBody: other.request.body ?? Data())
  }

  private static func target(of url: URL) -> String {
    let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    return (components?.percentEncodedPath ?? url.path) + (components?.percentEncodedQuery.map { "?" + $0 } ?? "")
  }

  // MARK: JSON

  var json: JSONValue {
    var request: AttributeDictionary = [
      "method": .string(self.request.method.description), "url": .string(self.request.url.absoluteString),
      "headers": Self.json(of: self.request.headers),
    ]
    if let body = self.request.body { request["body"] = Self.json(ofBody: body) }
    var response: AttributeDictionary = [
      "status": .int(self.response.status), "headers": Self.json(of: self.response.headers),
    ]
    if !self.response.body.isEmpty { response["body"] = Self.json(ofBody: self.response.body) }
    return ["request": .object(request), "response": .object(response)]
  }

  init(json: JSONValue, number: Int) throws {
    guard let method = json["request"]?["method"]?.stringValue,
      let url = json["request"]?["url"]?.stringValue.flatMap({ URL(string: $0) }),
      let status = json["response"]?["status"]?.intValue
    else { throw ModelStoreError(.corrupt, "exchange \(number) lacks method, url or status") }
    request = HTTPRequestData(
      HTTPRequestData.Method(method), url, headers: Self.headers(json["request"]?["headers"]),
      body: try json["request"]?["body"].map(Self.body))
    response = HTTPResponseData(
      status: status, headers: Self.headers(json["response"]?["headers"]),
      body: try json["response"]?["body"].map(Self.body) ?? Data())
  }

  private static func json(of headers: HTTPHeaderList) -> JSONValue {
    .array(headers.entries.map { .string("\($0.name): \($0.value)") })
  }

  private static func headers(_ json: JSONValue?) -> HTTPHeaderList {
    var headers = HTTPHeaderList()
    for line in json?.arrayValue ?? [] {
      let parts = (line.stringValue ?? "").split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers.add(String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) }
    }
    return headers
  }

  /// Returns a body as JSON, else as text, else in base 64.
  private static func json(ofBody body: Data) -> JSONValue {
    if let json = try? JSONValue(json: body) { return ["json": json] }
    if let text = String(data: body, encoding: .utf8) { return ["text": .string(text)] }
    return ["base64": .string(body.base64EncodedString())]
  }

  private static func body(_ json: JSONValue) throws -> Data {
    if let value = json["json"] { return try value.jsonData(JSONWritingOptions(sortedKeys: true)) }
    if let text = json["text"]?.stringValue { return Data(text.utf8) }
    return json["base64"]?.stringValue.flatMap { Data(base64Encoded: $0) } ?? Data()
  }
}

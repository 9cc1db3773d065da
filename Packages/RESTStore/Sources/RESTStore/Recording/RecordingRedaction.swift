import Foundation
import StoreProtocol

/// What a recording does not tell.
///
/// ```swift
/// var redaction = RecordingRedaction()
/// redaction.names.insert("pin")
/// ```
///
/// A header, a query item and a member of a JSON body or of a form is replaced if its name has one of ``names`` in it, whatever
/// the case, such as `X-Session-Token`; so are name and password of an address.
public struct RecordingRedaction: Sendable, Hashable {
  /// Parts of names, in small letters.
  public var names: Set<String> = [
    "authorization", "cookie", "token", "secret", "password", "passwd", "api-key", "api_key", "apikey", "credential",
    "signature", "session",
  ]

  /// What stands in the place of a value.
  public static let text = "REDACTED"

  /// Creates a redaction with the usual names.
  public init() {}

  func hides(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "key" || names.contains { name.contains($0) }
  }

  func redacted(_ request: HTTPRequestData) -> HTTPRequestData {
    var request = request
    request.headers = redacted(request.headers)
    request.url = redacted(request.url)
    request.body = request.body.map(redacted)
    return request
  }

  func redacted(_ response: HTTPResponseData) -> HTTPResponseData {
    var response = response
    // The body is written as it is when it was unpacked.
    for name in ["Content-Encoding", "Content-Length", "Transfer-Encoding"] { response.headers[name] = nil }
    response.headers = redacted(response.headers)
    response.body = redacted(response.body)
    return response
  }

  private func redacted(_ headers: HTTPHeaderList) -> HTTPHeaderList {
    var redacted = HTTPHeaderList()
    for entry in headers.entries { redacted.add(entry.name, hides(entry.name) ? Self.text : entry.value) }
    return redacted
  }

  private func redacted(_ url: URL) -> URL {
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
    if components.user != nil { components.user = Self.text }
    if components.password != nil { components.password = Self.text }
    if let query = components.percentEncodedQuery { components.percentEncodedQuery = redacted(parameters: query) }
    return components.url ?? url
  }

  private func redacted(parameters: String) -> String {
    parameters.split(separator: "&", omittingEmptySubsequences: false).map { item in
      let name = item.prefix { $0 != "=" }
      return hides(PathComponent.decoded(String(name))) ? "\(name)=\(Self.text)" : String(item)
    }.joined(separator: "&")
  }

  private func redacted(_ body: Data) -> Data {
    if let json = try? JSONValue(json: body) {
      let redacted = redacted(json)
      return redacted == json ? body : (try? redacted.jsonData(JSONWritingOptions(sortedKeys: true))) ?? Data()
    }
    guard let text = String(data: body, encoding: .utf8), text.contains("="), !text.contains(where: \.isNewline) else {
      return body
    }
    return Data(redacted(parameters: text).utf8)
  }

  private func redacted(_ json: JSONValue) -> JSONValue {
    switch json {
    case .object(let members):
      var redactedMembers: AttributeDictionary = [:]
      for (key, value) in members {
        redactedMembers[key] = hides(key) && !value.isNull ? .string(Self.text) : redacted(value)
      }
      return .object(redactedMembers)
    case .array(let elements): return .array(elements.map(redacted))
    default: return json
    }
  }
}

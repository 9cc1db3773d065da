import Foundation
import StoreProtocol

/// The rules for replacing secrets in a recording.
///
/// ```swift
/// var redaction = RecordingRedaction()
/// redaction.names.insert("pin")
/// ```
///
/// A value is replaced if its name contains one of ``names`` in any case, such as `X-Session-Token`. This covers
/// headers, query items, and members of JSON bodies and of forms. The name and password of an address are replaced,
/// too.
///
/// The same holds for addresses in bodies, headers and query items. A value that was replaced in a request is replaced
/// wherever the answer repeats it. A body that is not UTF-8 is replaced as a whole if it repeats one.
public struct RecordingRedaction: Sendable, Hashable {
  /// The parts of names that indicate a secret, in lowercase.
  public var names: Set<String> = [
    "authorization", "cookie", "token", "secret", "password", "passwd", "api-key", "api_key", "apikey", "credential",
    "signature", "session",
  ]

  /// The text that replaces a value.
  public static let text = "REDACTED"

  /// Creates a redaction with the usual names.
  public init() {}

  func hides(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "key" || names.contains { name.contains($0) }
  }

  func redacted(_ request: HTTPRequestData) -> HTTPRequestData {
    var request = request
    let secrets = SecretRedactor(SecretRedactor.secrets(in: request, self), self)
    request.headers = redacted(request.headers, secrets, hiding: request.credentialNames)
    request.url = redacted(request.url, secrets)
    request.body = request.body.map { redacted($0, secrets) }
    return request
  }

  /// Returns the redacted response to a request, whose credentials it may repeat.
  func redacted(_ response: HTTPResponseData, to request: HTTPRequestData) -> HTTPResponseData {
    let secrets = SecretRedactor(SecretRedactor.secrets(in: request, self), self)
    var response = response
    // The recorded body is the unpacked one.
    for name in ["Content-Encoding", "Content-Length", "Transfer-Encoding"] { response.headers[name] = nil }
    response.headers = redacted(response.headers, secrets)
    response.body = redacted(response.body, secrets)
    return response
  }

  private func redacted(
    _ headers: HTTPHeaderList, _ secrets: SecretRedactor, hiding names: Set<String> = []
  ) -> HTTPHeaderList {
    var redacted = HTTPHeaderList()
    for entry in headers.entries {
      redacted.add(
        entry.name, names.contains(entry.name) || hides(entry.name) ? Self.text : secrets.redacted(entry.value))
    }
    return redacted
  }

  /// Returns the redacted form of a text that may contain addresses, plain or percent-encoded. The name and password of
  /// each are replaced, and the values of hidden items.
  func redacted(text: String) -> String {
    var text = text
    if text.contains("@") { text = text.replacing(/:\/\/[^\s\/?#"<>]*@/, with: "://\(Self.text)@") }
    if text.contains("=") {
      text = text.replacing(/([A-Za-z0-9_.%~\[\]\-]+)=([^&\s"<>#]+)/) { match in
        // The value of an item may be an address itself.
        let isHidden = hides(PathComponent.decoded(String(match.output.1)))
        return "\(match.output.1)=\(isHidden ? Self.text : redacted(value: match.output.2, by: redacted(text:)))"
      }
    }
    if text.contains("%") {
      text = text.replacing(/(?i)%3A%2F%2F(?:(?!%2F|%40)[^\s"<>&])*%40/, with: "%3A%2F%2F\(Self.text)%40")
      text = text.replacing(/(%3[Ff]|%26)?([A-Za-z0-9_.~\-]+)%3[Dd]((?:(?!%26)[^&\s"<>#])+)/) { match in
        hides(String(match.output.2))
          ? "\(match.output.1 ?? "")\(match.output.2)%3D\(Self.text)" : String(match.output.0)
      }
    }
    return text
  }

  private func redacted(_ url: URL, _ secrets: SecretRedactor) -> URL {
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
    if components.user != nil { components.user = Self.text }
    if components.password != nil { components.password = Self.text }
    if let query = components.percentEncodedQuery {
      components.percentEncodedQuery = redacted(parameters: query, secrets)
    }
    if let fragment = components.percentEncodedFragment {
      components.percentEncodedFragment = redacted(parameters: fragment, secrets)
    }
    return components.url ?? url
  }

  private func redacted(parameters: String, _ secrets: SecretRedactor) -> String {
    parameters.split(separator: "&", omittingEmptySubsequences: false).map { item in
      guard let separator = item.firstIndex(of: "=") else { return String(item) }
      let name = item[..<separator], value = item[separator...].dropFirst()
      let isHidden = hides(PathComponent.decoded(String(name)))
      return "\(name)=\(isHidden ? Self.text : redacted(value: value, by: secrets.redacted))"
    }.joined(separator: "&")
  }

  /// Returns the redacted value of an item, in its own encoding.
  private func redacted(value: Substring, by redacted: (String) -> String) -> String {
    let plain = PathComponent.decoded(String(value)), result = redacted(plain)
    if result == plain { return String(value) }
    return plain == value ? result : PathComponent.percentEncoded(result)
  }

  private func redacted(_ body: Data, _ secrets: SecretRedactor) -> Data {
    if let json = try? JSONValue(json: body) {
      let redacted = redacted(json, secrets)
      return redacted == json ? body : (try? redacted.jsonData(JSONWritingOptions(sortedKeys: true))) ?? Data()
    }
    guard let text = String(data: body, encoding: .utf8), !text.contains("\0") else {
      return secrets.isContained(in: body) ? Data(Self.text.utf8) : body
    }
    let isForm = text.contains("=") && !text.contains(where: \.isNewline)
    // The names of a form are searched last: a secret may contain the separator after a name.
    let redacted = secrets.redacted(text)
    return Data((isForm ? self.redacted(parameters: redacted, secrets) : redacted).utf8)
  }

  private func redacted(_ json: JSONValue, _ secrets: SecretRedactor) -> JSONValue {
    switch json {
    case .object(let members):
      var redactedMembers: AttributeDictionary = [:]
      for (key, value) in members {
        let redactedKey = secrets.redacted(key) == key ? key : Self.text
        redactedMembers[redactedKey] = hides(key) && !value.isNull ? .string(Self.text) : redacted(value, secrets)
      }
      return .object(redactedMembers)
    case .array(let elements): return .array(elements.map { redacted($0, secrets) })
    case .string(let text): return .string(secrets.redacted(text))
    default: return json
    }
  }
}

import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// The latest requests of a store, whose secrets are removed from texts. The secrets are extracted only when a text is
/// written.
final class SecretValues: Sendable {
  private struct State {
    var requests: [HTTPRequestData] = []
    var next = 0
  }

  /// The number of requests that are kept: more than are in progress at a time by default.
  private static let capacity = 64
  private let state = Lock(State())

  /// Records a request before it is sent.
  func remember(_ request: HTTPRequestData) {
    var request = request
    request.body = nil
    state.withLock { state in
      if state.requests.count < Self.capacity {
        state.requests.append(request)
      } else {
        state.requests[state.next] = request
        state.next = (state.next + 1) % Self.capacity
      }
    }
  }

  /// Returns a redactor of the secrets in the requests and in an address.
  func redactor(_ address: URL) -> SecretRedactor {
    let requests = state.withLock { $0.requests }
    var values = SecretRedactor.secrets(in: address)
    for request in requests { values.formUnion(SecretRedactor.secrets(in: request)) }
    return SecretRedactor(values)
  }
}

/// A redactor that removes the values of credentials from texts, in any of the usual spellings and in any case. It also
/// removes the values that addresses have under the names of ``RecordingRedaction``.
struct SecretRedactor {
  /// The minimum length of a secret: shorter ones would remove letters from words.
  private static let minimumLength = 4
  private let redaction: RecordingRedaction
  /// The spellings of all secrets, the longest first.
  private let spellings: [String]

  init(_ values: Set<String>, _ redaction: RecordingRedaction = RecordingRedaction()) {
    self.redaction = redaction
    var spellings: Set<String> = []
    for value in values where value.count >= Self.minimumLength {
      let encoded = PathComponent.percentEncoded(value)
      let escaped = String(JSONValue.string(value).description.dropFirst().dropLast())
      let base64 = Data(value.utf8).base64EncodedString().trimming("=")
      spellings.formUnion([
        value, encoded, encoded.replacing("%20", with: "+"), PathComponent.percentEncoded(encoded),
        escaped, escaped.replacing("/", with: "\\/"), Self.ascii(escaped),
        Self.ascii(escaped).replacing("/", with: "\\/"),
        String(value.debugDescription.dropFirst().dropLast()), base64,
        base64.replacing("+", with: "-").replacing("/", with: "_"), PathComponent.percentEncoded(base64),
      ])
      for set in [CharacterSet.urlQueryAllowed, .urlPathAllowed, .urlUserAllowed, .urlPasswordAllowed] {
        if let encoded = value.addingPercentEncoding(withAllowedCharacters: set) { spellings.insert(encoded) }
      }
    }
    self.spellings = spellings.sorted { $0.utf8.count > $1.utf8.count }
  }

  /// Returns a text without secrets.
  func redacted(_ text: String) -> String {
    var text = text
    for spelling in spellings {
      text = Self.replacing(spelling, in: text, with: RecordingRedaction.text)
      if text.contains("…") { text = Self.replacingBeginnings(of: spelling, in: text) }
    }
    return redaction.redacted(text: text)
  }

  /// Returns whether the bytes of a text in an unknown encoding contain a secret.
  func isContained(in bytes: Data) -> Bool {
    let latin = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    // In UTF-16, each ASCII letter has a zero before or after it.
    let texts = [String(decoding: bytes, as: UTF8.self), latin, latin.replacing("\0", with: "")]
    return texts.contains { text in
      spellings.contains { text.range(of: $0, options: [.caseInsensitive, .literal]) != nil }
    }
  }

  /// Replaces a secret in any case: a server may write a token in capitals, and hexadecimal digits have either case.
  private static func replacing(_ spelling: String, in text: String, with replacement: String) -> String {
    text.replacingOccurrences(of: spelling, with: replacement, options: [.caseInsensitive, .literal])
  }

  /// Replaces the beginnings of a secret before an ellipsis: a truncated text may end within a secret.
  private static func replacingBeginnings(of spelling: String, in text: String) -> String {
    func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
    let secret = folded(spelling.utf8)
    var parts = text.split(separator: "…", omittingEmptySubsequences: false)
    for index in parts.indices.dropLast() {
      let bytes = parts[index].utf8
      let end = folded(bytes.suffix(secret.count))
      for length in (6..<max(6, secret.count)).reversed() where end.suffix(length) == secret.prefix(length) {
        parts[index] = Substring(bytes.dropLast(length)) + RecordingRedaction.text
        break
      }
    }
    return parts.joined(separator: "…")
  }

  /// Returns a text with the escapes that some servers write in JSON for characters outside of ASCII.
  private static func ascii(_ text: String) -> String {
    text.utf16.reduce(into: "") { text, unit in
      if let scalar = Unicode.Scalar(unit), scalar.isASCII {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }

  /// Returns an error without secrets. A cause that contains one is removed.
  func redacted(_ error: ModelStoreError) -> ModelStoreError {
    var error = error
    error.message = redacted(error.message)
    var fields: [String: [String]] = [:]
    for (key, messages) in error.fields { fields[redacted(key), default: []] += messages.map(redacted) }
    error.fields = fields
    if let inner = error.cause as? ModelStoreError {
      error.cause = redacted(inner)
    } else if let cause = error.cause {
      var shown = "\(cause)\n"
      dump(cause, to: &shown)
      if redacted(shown) != shown { error.cause = nil }
    }
    return error
  }

  // MARK: Extracting secrets

  static func secrets(in request: HTTPRequestData, _ redaction: RecordingRedaction = RecordingRedaction()) -> Set<
    String
  > {
    var values = secrets(in: request.url, redaction)
    for entry in request.headers.entries
    where request.credentialNames.contains(entry.name) || redaction.hides(entry.name) {
      values.formUnion(secrets(inHeader: entry.value))
    }
    if let json = request.body.flatMap({ try? JSONValue(json: $0) }) {
      values.formUnion(secrets(in: json, isHidden: false, redaction))
    } else if let form = request.body.flatMap({ String(data: $0, encoding: .utf8) }), !form.contains(where: \.isNewline)
    {
      values.formUnion(secrets(inItems: form, redaction))
    }
    return values
  }

  /// Returns the texts below names of a JSON body that indicate a secret.
  private static func secrets(
    in json: JSONValue, isHidden: Bool, _ redaction: RecordingRedaction
  ) -> Set<String> {
    switch json {
    case .object(let members):
      members.reduce(into: []) {
        $0.formUnion(secrets(in: $1.value, isHidden: isHidden || redaction.hides($1.key), redaction))
      }
    case .array(let elements):
      elements.reduce(into: []) { $0.formUnion(secrets(in: $1, isHidden: isHidden, redaction)) }
    case .string(let text): isHidden ? [text] : []
    default: []
    }
  }

  /// Returns the name, the password, and the values of query items whose names indicate a secret, even in addresses in
  /// query items.
  static func secrets(in url: URL, _ redaction: RecordingRedaction = RecordingRedaction()) -> Set<String> {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return [] }
    return secrets(inItems: components.percentEncodedQuery ?? "", redaction)
      .union([components.user, components.password].compactMap { $0 })
  }

  /// Returns the values of items of a query or a form whose names indicate a secret, even in addresses in items.
  private static func secrets(inItems items: String, _ redaction: RecordingRedaction) -> Set<String> {
    var values: Set<String> = []
    for item in items.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1).map { PathComponent.decoded(String($0)) }
      guard parts.count == 2 else { continue }
      if redaction.hides(parts[0]) {
        values.insert(parts[1])
      } else if let address = URL(string: parts[1]), address.scheme != nil {
        values.formUnion(secrets(in: address, redaction))
      }
    }
    return values
  }

  /// Returns the value of a header and its parts: a token after its scheme, a name and a password, cookies.
  static func secrets(inHeader value: String) -> Set<String> {
    var values: Set<String> = [value]
    let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
    if parts.count == 2 {
      values.insert(parts[1])
      if parts[0].lowercased() == "basic", let bytes = Data(base64Encoded: parts[1]) {
        let pair = String(decoding: bytes, as: UTF8.self)
        values.insert(pair)
        values.formUnion(pair.split(separator: ":", maxSplits: 1).dropFirst().map(String.init))
      }
    }
    for cookie in value.split(separator: ";") where cookie.contains("=") {
      values.formUnion(cookie.split(separator: "=", maxSplits: 1).dropFirst().map(String.init))
    }
    return values
  }
}

extension String {
  /// Returns the text without a character at its end.
  fileprivate func trimming(_ character: Character) -> String {
    var text = self
    while text.last == character { text.removeLast() }
    return text
  }
}

import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// The requests that a store sent last. What of them is secret is found out only when a text has to be written.
final class SecretValues: Sendable {
  private struct State {
    var requests: [HTTPRequestData] = []
    var next = 0
  }

  /// More than there are under way at a time, unless the options say otherwise.
  private static let capacity = 64
  private let state = Lock(State())

  /// Remembers a request that is about to be sent.
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

  /// What takes secrets out of texts: those of the requests, and of an address.
  func redactor(_ address: URL) -> SecretRedactor {
    let requests = state.withLock { $0.requests }
    var values = SecretRedactor.secrets(in: address)
    for request in requests { values.formUnion(SecretRedactor.secrets(in: request)) }
    return SecretRedactor(values)
  }
}

/// Takes the values of credentials out of texts, in whichever of the usual spellings they are there, and what addresses have at
/// the names of ``RecordingRedaction``.
struct SecretRedactor {
  /// Shorter ones would take letters out of words.
  private static let minimumLength = 4
  private let redaction: RecordingRedaction
  /// The longest first.
  private let spellings: [String]

  init(_ values: Set<String>, _ redaction: RecordingRedaction = RecordingRedaction()) {
    self.redaction = redaction
    var spellings: Set<String> = []
    for value in values where value.count >= Self.minimumLength {
      let encoded = PathComponent.percentEncoded(value)
      spellings.formUnion([
        value, encoded, encoded.replacing("%20", with: "+"), PathComponent.percentEncoded(encoded),
        String(JSONValue.string(value).description.dropFirst().dropLast()),
        String(value.debugDescription.dropFirst().dropLast()), Data(value.utf8).base64EncodedString(),
      ])
      for set in [CharacterSet.urlQueryAllowed, .urlPathAllowed, .urlUserAllowed, .urlPasswordAllowed] {
        if let encoded = value.addingPercentEncoding(withAllowedCharacters: set) { spellings.insert(encoded) }
      }
    }
    // Hexadecimal digits may be small, too.
    spellings.formUnion(spellings.map { $0.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() } })
    self.spellings = spellings.sorted { $0.utf8.count > $1.utf8.count }
  }

  /// The text without secrets.
  func redacted(_ text: String) -> String {
    var text = text
    for spelling in spellings {
      if text.contains(spelling) { text = text.replacing(spelling, with: RecordingRedaction.text) }
      // A text that was cut may end within one.
      var start = spelling
      while start.count > 6, text.contains("…") {
        start.removeLast()
        if text.contains(start + "…") { text = text.replacing(start + "…", with: RecordingRedaction.text + "…") }
      }
    }
    return redaction.redacted(text: text)
  }

  /// An error without secrets. A cause that holds one is left out.
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

  // MARK: What is secret

  static func secrets(in request: HTTPRequestData, _ redaction: RecordingRedaction = RecordingRedaction()) -> Set<
    String
  > {
    var values = secrets(in: request.url, redaction)
    for entry in request.headers.entries
    where request.credentialNames.contains(entry.name) || redaction.hides(entry.name) {
      values.formUnion(secrets(inHeader: entry.value))
    }
    return values
  }

  /// Name, password, and the values of items with a name that tells of a secret.
  static func secrets(in url: URL, _ redaction: RecordingRedaction = RecordingRedaction()) -> Set<String> {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return [] }
    var values = Set([components.user, components.password].compactMap { $0 })
    for item in (components.percentEncodedQuery ?? "").split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1).map { PathComponent.decoded(String($0)) }
      if parts.count == 2, redaction.hides(parts[0]) { values.insert(parts[1]) }
    }
    return values
  }

  /// The value, and each of its parts: a token after its scheme, a name and a password, cookies.
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

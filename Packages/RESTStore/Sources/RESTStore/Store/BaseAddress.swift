import Foundation
import StoreProtocol

/// The base address of a store, split into its parts once. Each request appends its own path and query.
struct BaseAddress: Sendable, CustomStringConvertible {
  /// The address as it was given.
  let url: URL
  /// Scheme, user, host and port; nil if the address names no server.
  private let server: String?
  /// The path, percent-encoded and without slash at its end.
  let path: String
  private let query: String?

  init(_ url: URL) {
    self.url = url
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    var path = components?.percentEncodedPath[...] ?? ""
    while path.hasSuffix("/") { path = path.dropLast() }
    let hasServer = components?.scheme?.isEmpty == false && components?.host?.isEmpty == false
    // Text that was meant as the name of a server may contain a password.
    self.path = hasServer || !path.contains("@") ? String(path) : ""
    query = components?.percentEncodedQuery.flatMap { $0.isEmpty ? nil : $0 }
    guard hasServer else {
      server = nil
      return
    }
    components?.percentEncodedPath = ""
    components?.percentEncodedQuery = nil
    components?.fragment = nil
    server = components?.string
  }

  /// The address without name, password and query.
  var description: String {
    guard server != nil, var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return shown }
    (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
    return components.string.map(RecordingRedaction().redacted(text:)) ?? shown
  }

  /// The address for a message. It may be malformed in any way, so it has no text before an @ or after a question mark.
  private var shown: String {
    let text = url.absoluteString.prefix { $0 != "?" && $0 != "#" }.prefix(200)
    guard let at = text.lastIndex(of: "@") else { return String(text) }
    return "\(RecordingRedaction.text)\(text[at...])"
  }

  private var queryWithoutSecrets: String? {
    let redaction = RecordingRedaction()
    let items = query?.split(separator: "&").filter { item in
      !redaction.hides(PathComponent.decoded(String(item.prefix { $0 != "=" })))
    }
    return items.flatMap { $0.isEmpty ? nil : $0.joined(separator: "&") }
  }

  /// Returns an address below this one, whose own path and query are kept.
  ///
  /// - Parameter hasSecrets: whether it keeps the items of its own query that are secrets by their names.
  /// - Throws: `ModelStoreError` with the code `invalid` if this is not the address of a server. A path without a
  ///   leading slash is invalid, too: it would change the host.
  func url(_ path: String, hasSecrets: Bool = true, query items: [String]) throws -> URL {
    guard let server else {
      throw ModelStoreError(
        .invalid, "the base address \"\(shown)\" has no server; it must begin like https://host/")
    }
    var text = server + self.path + path
    let all = (hasSecrets ? query : queryWithoutSecrets).map { [$0] + items } ?? items
    if !all.isEmpty { text += "?" + all.joined(separator: "&") }
    guard path.isEmpty || path.hasPrefix("/"), let url = URL(string: text) else {
      throw ModelStoreError(.invalid, "the address below \"\(shown)\" can't be made")
    }
    return url
  }
}

extension URL {
  /// The address without name and password.
  var withoutCredentials: URL {
    guard user != nil || password != nil, var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
    else { return self }
    (components.user, components.password) = (nil, nil)
    return components.url ?? self
  }
}

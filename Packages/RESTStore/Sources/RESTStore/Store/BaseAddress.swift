import Foundation
import StoreProtocol

/// The base address of a store, taken apart once: what follows it is put together with each request.
struct BaseAddress: Sendable {
  private let url: URL
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
    self.path = String(path)
    query = components?.percentEncodedQuery.flatMap { $0.isEmpty ? nil : $0 }
    guard components?.scheme?.isEmpty == false, components?.host?.isEmpty == false else {
      server = nil
      return
    }
    components?.percentEncodedPath = ""
    components?.percentEncodedQuery = nil
    components?.fragment = nil
    server = components?.string
  }

  /// An address below this one, whose own path and query are kept.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if this is not the address of a server, or the path does not begin
  ///   with a slash: the host would be another one.
  func url(_ path: String, query items: [String]) throws -> URL {
    guard let server else {
      throw ModelStoreError(
        .invalid, "the base address \"\(url.absoluteString)\" names no server; it should begin like https://host/")
    }
    var text = server + self.path + path
    let all = query.map { [$0] + items } ?? items
    if !all.isEmpty { text += "?" + all.joined(separator: "&") }
    guard path.isEmpty || path.hasPrefix("/"), let url = URL(string: text) else {
      throw ModelStoreError(.invalid, "the address below \"\(url.absoluteString)\" can't be made")
    }
    return url
  }
}

import Foundation
import RESTStore

extension HTTPRequestData {
  /// The headers that follow to another host: none that could identify the sender.
  private static let harmlessHeaders: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "content-length", "content-type", "if-range",
    "range", "user-agent",
  ]

  private var isRead: Bool { method == .get || method.description == "HEAD" }

  /// Returns the request that follows a redirect; nil if the answer is no redirect, or must not be followed.
  ///
  /// It must not if it would turn a write into a read, send a write to another host, or change from HTTPS to HTTP.
  func redirected(by response: HTTPResponseData) -> HTTPRequestData? {
    guard keepsMethod(after: response.status), let location = response.headers.values(for: "Location").first,
      let target = URL(string: location, relativeTo: url)?.absoluteURL, target.host?.isEmpty == false
    else { return nil }
    let scheme = target.scheme?.lowercased()
    guard scheme == "https" || (scheme == "http" && url.scheme?.lowercased() == "http") else { return nil }
    var next = self
    next.url = target
    if isSameOrigin(target) { return next }
    guard isRead else { return nil }
    next.headers = [:]
    for entry in headers.entries where Self.harmlessHeaders.contains(entry.name.lowercased()) {
      next.headers.add(entry.name, entry.value)
    }
    return next
  }

  /// Returns whether the method stays the same after a redirect with a status, by the Fetch standard.
  private func keepsMethod(after status: Int) -> Bool {
    switch status {
    case 301, 302: method != .post
    case 303: isRead
    case 307, 308: true
    default: false
    }
  }

  private func isSameOrigin(_ other: URL) -> Bool {
    func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
    return url.scheme?.lowercased() == other.scheme?.lowercased() && url.host?.lowercased() == other.host?.lowercased()
      && port(url) == port(other)
  }
}

import Foundation
import RESTStore

/// The files of the inspector's page, from the resources of this module. They are read once: no path of a request is a
/// path in the file system.
struct InspectorFiles: Sendable {
  private let files: [String: Data]

  init() {
    let folder = Bundle.module.resourceURL?.appending(path: "Inspector")
    let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path(percentEncoded: false)) }
    var files: [String: Data] = [:]
    for name in names ?? [] where Self.types[Self.suffix(of: name)] != nil {
      files[name] = folder.flatMap { try? Data(contentsOf: $0.appending(path: name)) }
    }
    self.files = files
  }

  /// Returns the file with a name; nil if there is none. The empty name is the page.
  func response(to request: HTTPRequestData, name: String) -> HTTPResponseData? {
    let name = name.isEmpty ? "index.html" : name
    guard let body = files[name], let type = Self.types[Self.suffix(of: name)] else { return nil }
    return HTTPResponseData(
      status: 200,
      headers: [
        "Content-Type": type, "Cache-Control": "no-cache", "Content-Security-Policy": Self.policy,
        "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
      ], body: body)
  }

  private static func suffix(of name: String) -> String { name.split(separator: ".").last.map { String($0) } ?? "" }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
  ]

  /// The content security policy: only files of this server, and no inline code or style.
  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'
    """
}

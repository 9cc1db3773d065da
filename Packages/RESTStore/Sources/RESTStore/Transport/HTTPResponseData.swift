public import Foundation

/// The answer of a server.
///
/// ```swift
/// let response = HTTPResponseData(
///   status: 200, headers: ["Content-Type": "application/json"],
///   body: Data("[]".utf8))
/// assert(response.isSuccessful)
/// ```
///
/// The module swift-http-types owns the shorter name; inside ``RESTDialect`` and ``HTTPTransport`` it is an alias for
/// this type.
public struct HTTPResponseData: Sendable, Hashable {
  /// The status, such as 200.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaderList
  /// The whole body; empty if there is none.
  public var body: Data
  /// Whether another call sent the request earlier, and this one joined it.
  var isJoined = false

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - status: the status, such as 200.
  ///   - headers: the header fields.
  ///   - body: the whole body.
  public init(status: Int, headers: HTTPHeaderList = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether the status is a success: 200 to 299.
  public var isSuccessful: Bool { (200..<300).contains(status) }

  /// Returns the beginning of the body on one line, for error messages; nil if there is nothing to show.
  ///
  /// - Parameter length: the maximum number of characters.
  public func excerpt(maximumLength length: Int = 200) -> String? {
    // A character has at most four bytes in UTF-8; one that is cut in two at the end is dropped below.
    let text = String(decoding: body.prefix(length * 4 + 4), as: UTF8.self)
    let words = text.split {
      $0.isWhitespace || $0.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
    let line = words.joined(separator: " ")
    if line.isEmpty { return nil }
    return line.count > length ? line.prefix(length) + "…" : line
  }
}

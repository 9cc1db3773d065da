public import RESTStore

/// The authentication of requests: the user of a request, or that it is rejected.
///
/// ```swift
/// let authentication = RequestAuthentication.tokens([token: "jane"])
/// ```
public struct RequestAuthentication: Sendable {
  /// The result for a request.
  public enum Result: Sendable, Hashable {
    /// A user with this name, which access rules get.
    case user(String)
    /// A user without a name.
    case anonymous
    /// The status 401.
    case rejected
  }

  let authenticate: @Sendable (HTTPRequestData) async -> Result
  /// The challenge in a response with the status 401.
  let challenge: String

  /// Creates an authentication.
  ///
  /// - Parameters:
  ///   - challenge: the challenge in a response with the status 401.
  ///   - authenticate: returns the user of a request, whose body was not read yet.
  public init(challenge: String = "Bearer", _ authenticate: @escaping @Sendable (HTTPRequestData) async -> Result) {
    self.authenticate = authenticate
    self.challenge = challenge
  }

  /// No authentication: all users are anonymous.
  public static let none = RequestAuthentication { _ in .anonymous }

  /// Returns an authentication by bearer tokens: a request needs the header `Authorization: Bearer TOKEN`.
  ///
  /// - Parameter users: the names of the users by their tokens.
  public static func tokens(_ users: [String: String]) -> RequestAuthentication {
    RequestAuthentication { request in
      guard let header = request.headers["Authorization"], header.lowercased().hasPrefix("bearer ") else {
        return .rejected
      }
      let token = header.dropFirst("bearer ".count)
      var found: String?
      // All tokens are compared in full, so the time of a rejection reveals nothing about them.
      for (known, user) in users where isEqual(known, token) { found = user }
      return found.map { .user($0) } ?? .rejected
    }
  }

  private static func isEqual(_ known: String, _ token: Substring) -> Bool {
    let (known, token) = (Array(known.utf8), Array(token.utf8))
    var difference = known.count == token.count && !known.isEmpty ? UInt8(0) : 1
    for (index, byte) in known.enumerated() { difference |= byte ^ (index < token.count ? token[index] : 0) }
    return difference == 0
  }
}

import RESTStore

/// The checks of a request before its body is read, against pages of other sites in a browser on the same machine.
struct RequestGuard: Sendable {
  let hostNames: Set<String>

  init(_ options: ModelServerOptions) {
    hostNames = Set(options.hostNames.map { $0.lowercased() }).union([options.host.lowercased(), "localhost"])
  }

  /// Checks the host and the origin of a request.
  ///
  /// - Parameters:
  ///   - authority: the value of the `Host` header.
  ///   - headers: the other headers.
  /// - Throws: ``ServerProblem`` with the status 400 without a host, 421 for an unknown one, 403 for another origin.
  func check(authority: String?, _ headers: HTTPHeaderList) throws {
    guard let authority, let host = HostName.host(in: authority) else {
      throw ServerProblem(400, "The request has no valid Host header.")
    }
    guard HostName.isAddress(host) || hostNames.contains(host) else {
      throw ServerProblem(421, "This server does not accept this host name. Its option hostNames lists the names.")
    }
    for origin in headers.values(for: "Origin") where !Self.isSame(origin, authority) {
      throw ServerProblem(403, "A page of another origin can't use this server.")
    }
    if headers["Sec-Fetch-Site"] == "cross-site", headers["Sec-Fetch-Mode"] != "navigate" {
      throw ServerProblem(403, "A page of another site can't use this server.")
    }
  }

  private static func isSame(_ origin: String, _ authority: String) -> Bool {
    let origin = origin.lowercased()
    return ["http://", "https://"].contains { origin == $0 + authority.lowercased() }
  }
}

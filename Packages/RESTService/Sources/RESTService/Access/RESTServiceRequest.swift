public import RESTStore

/// A request, as passed to access rules.
public struct RESTServiceRequest: Sendable {
  /// The received HTTP request.
  public let http: HTTPRequestData
  /// The name of the user, as authenticated by the adapter; nil for an anonymous user.
  public let user: String?
}

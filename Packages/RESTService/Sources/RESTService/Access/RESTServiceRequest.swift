public import RESTStore

/// A request as access rules see it.
public struct RESTServiceRequest: Sendable {
  /// The request that was received.
  public let http: HTTPRequestData
  /// The name of the user who sent it, as the adapter found out; nil for an unknown user.
  public let user: String?
}

/// The options of a REST store beyond one request per call: credentials, retries, limits, and a monitor.
///
/// ```swift
/// var options = RESTOptions()
/// options.authentication = BearerAuthentication(token) { _ in try await signIn() }
/// options.retry = .standard
/// let store = RESTModelStore(baseURL: url, options: options)
/// ```
public struct RESTOptions: Sendable {
  /// The source of credentials, which renews them when the server rejects them; nil for none.
  public var authentication: (any RESTAuthentication)?
  /// The policy for sending failed requests again. Default: never.
  public var retry: RESTRetryPolicy
  /// The header that gives each create and update a unique key, such as `Idempotency-Key`; nil for none. Set it only if
  /// the server honors it: requests with a key are sent again like idempotent ones.
  public var idempotencyKeyHeader: String?
  /// Whether the `ETag` of a model is sent with its next update or delete as `If-Match`, and with its next lookup as
  /// `If-None-Match`. Default: yes.
  public var usesEntityTags: Bool
  /// Whether equal lookups in progress at the same time share one request. If the task that sends the request is
  /// cancelled, a waiting task sends it again. Default: yes.
  public var coalescesLookups: Bool
  /// The maximum number of requests of the engine that are in progress at a time. Others wait, and their time-out
  /// starts after the wait. Default: 16. The default transport opens up to 64 connections to a host, `URLSession` by
  /// itself only 6.
  public var maximumConcurrentRequests: Int
  /// The number of redirects of one request that are followed. Default: 10.
  public var maximumRedirects: Int
  /// Whether a list fetches further pages as long as models are missing. If not, it has the first page only. A list
  /// that is evaluated in memory, a count and a stream always fetch further pages. Default: yes.
  public var followsPages: Bool
  /// The maximum number of pages of one list, which fails if it has more. Default: 10,000.
  public var maximumPages: Int
  /// The encoder of the parameters of `request`, `with`, `download` and `upload` in an address. Default: nil values are
  /// left out, lists have indexes in brackets.
  public var parameterEncoder: ParameterEncoder
  /// The monitor that receives the events of every request; nil for none.
  public var monitor: (any RESTMonitor)?

  /// Creates options with the defaults.
  public init() {
    retry = .never
    usesEntityTags = true
    coalescesLookups = true
    maximumConcurrentRequests = 16
    maximumRedirects = HTTPRequestData.defaultMaximumRedirects
    followsPages = true
    maximumPages = 10_000
    parameterEncoder = ParameterEncoder()
  }
}

/// What a REST store does beyond one request for one call: credentials, retries, limits, and who is told.
///
/// ```swift
/// var options = RESTOptions()
/// options.authentication = BearerAuthentication(token) { _ in try await signIn() }
/// options.retry = .standard
/// let store = RESTModelStore(baseURL: url, options: options)
/// ```
public struct RESTOptions: Sendable {
  /// Adds credentials to requests, and gets new ones when the server refuses them; nil for none.
  public var authentication: (any RESTAuthentication)?
  /// When a request that failed is sent again. Default: never.
  public var retry: RESTRetryPolicy
  /// The header in which each create and update gets a key of its own, such as `Idempotency-Key`; nil for none. Set it only
  /// if the server heeds it: such requests are sent again like those that are idempotent by themselves.
  public var idempotencyKeyHeader: String?
  /// Whether the `ETag` of a model goes back with the next update or delete, as `If-Match`, and with the next lookup, as
  /// `If-None-Match`. Default: yes.
  public var usesEntityTags: Bool
  /// Whether lookups that are equal and under way at the same time are one request. If the task is cancelled that made it
  /// first, the next one that waits makes it anew. Default: yes.
  public var sharesLookups: Bool
  /// How many requests of the engine are under way at a time; others wait for their turn, in which their time-out does not
  /// run yet. Default: 16. The default transport opens up to 64 connections to a host where `URLSession` has 6 of its own
  /// accord.
  public var maximumConcurrentRequests: Int
  /// How many redirects of one request are followed. Default: 10.
  public var maximumRedirects: Int
  /// Whether a list goes on to the next page as long as models are missing. If not, it is the first page only. A list that is
  /// evaluated in memory, a count and a stream always go on. Default: yes.
  public var followsPages: Bool
  /// How many pages of one list are fetched at most, before it fails. Default: 10,000.
  public var maximumPages: Int
  /// Hears of every request; nil for nobody.
  public var monitor: (any RESTMonitor)?

  /// Creates options with the defaults.
  public init() {
    retry = .never
    usesEntityTags = true
    sharesLookups = true
    maximumConcurrentRequests = 16
    maximumRedirects = HTTPRequestData.defaultMaximumRedirects
    followsPages = true
    maximumPages = 10_000
  }
}

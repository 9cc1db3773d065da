import RESTStore

/// The options of a service: its limits and base path.
///
/// ```swift
/// let options = RESTServiceOptions(basePath: "/api", pageSize: 100)
/// ```
public struct RESTServiceOptions: Sendable {
  /// The path before those of the collections, such as `/api`; empty for none.
  public var basePath: String
  /// The number of records in a page if a request names no limit.
  public var pageSize: Int
  /// The maximum number of records in a page.
  public var maximumPageSize: Int
  /// The maximum length of a body in bytes.
  public var maximumBodyBytes: Int
  /// The maximum length of the query of an address in bytes.
  public var maximumQueryBytes: Int
  /// The maximum nesting of a body.
  public var maximumDepth: Int
  /// The maximum number of concurrent requests. The response to others is 503 with `Retry-After`.
  public var maximumRequests: Int
  /// The maximum number of concurrent requests of one authenticated user. The response to others is 429 with
  /// `Retry-After`.
  public var maximumRequestsPerUser: Int
  /// The maximum number of requests of one user with a name in a minute; nil for no limit. The response to others is
  /// 429 with `Retry-After`.
  public var requestsPerMinute: Int?
  /// The time after which a request is ended with the status 503; nil for no limit. Nothing is written then.
  public var timeLimit: Duration?
  /// The maximum number of event streams. Other clients get the events so far, and connect again.
  public var maximumStreams: Int
  /// The maximum number of event streams of one authenticated user.
  public var maximumStreamsPerUser: Int
  /// The time after which an event stream ends. A client connects again, and is authenticated again.
  public var streamTime: Duration
  /// The interval at which an event stream reads commits of other processes. Those of this process arrive at once.
  public var eventInterval: Duration
  /// Whether a client may choose the identifier of a record that it creates. An integer in the upper half of all is
  /// rejected: the next one that the store assigns is larger.
  public var acceptsIdentifiers: Bool
  /// Whether a record may reference records that do not exist. Otherwise the response to such a write is 422.
  public var acceptsMissingReferences: Bool
  /// Whether conditions can contain regular expressions. A client can choose one that takes exponential time, so allow
  /// them for trusted clients only.
  public var acceptsRegularExpressions: Bool
  /// The time for which the response to a write with an `Idempotency-Key` is kept. A request with the same key gets the
  /// same response, and takes effect once. Nil if the header is rejected.
  public var answerRetention: Duration?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - basePath: the path before those of the collections.
  ///   - pageSize: the number of records in a page if a request names no limit.
  ///   - maximumPageSize: the maximum number of records in a page.
  ///   - maximumBodyBytes: the maximum length of a body in bytes.
  ///   - maximumQueryBytes: the maximum length of the query of an address in bytes.
  ///   - maximumDepth: the maximum nesting of a body.
  ///   - maximumRequests: the maximum number of concurrent requests.
  ///   - maximumRequestsPerUser: the maximum number of concurrent requests of one user.
  ///   - requestsPerMinute: the maximum number of requests of one user in a minute.
  ///   - timeLimit: the time after which a request is ended.
  ///   - maximumStreams: the maximum number of event streams.
  ///   - maximumStreamsPerUser: the maximum number of event streams of one user.
  ///   - streamTime: the time after which an event stream ends.
  ///   - eventInterval: the interval at which an event stream reads commits of other processes.
  ///   - acceptsIdentifiers: whether a client may choose identifiers.
  ///   - acceptsMissingReferences: whether a record may reference records that do not exist.
  ///   - acceptsRegularExpressions: whether conditions can contain regular expressions.
  ///   - answerRetention: the time for which the response to a write with an `Idempotency-Key` is kept.
  public init(
    basePath: String = "", pageSize: Int = 1_000, maximumPageSize: Int = 1_000, maximumBodyBytes: Int = 1 << 20,
    maximumQueryBytes: Int = 8_192, maximumDepth: Int = 64, maximumRequests: Int = 256,
    maximumRequestsPerUser: Int = 128, requestsPerMinute: Int? = nil, timeLimit: Duration? = .seconds(30),
    maximumStreams: Int = 256, maximumStreamsPerUser: Int = 32, streamTime: Duration = .seconds(3_600),
    eventInterval: Duration = .seconds(1), acceptsIdentifiers: Bool = true, acceptsMissingReferences: Bool = false,
    acceptsRegularExpressions: Bool = false, answerRetention: Duration? = .seconds(86_400)
  ) {
    self.basePath = basePath
    self.pageSize = pageSize
    self.maximumPageSize = maximumPageSize
    self.maximumBodyBytes = maximumBodyBytes
    self.maximumQueryBytes = maximumQueryBytes
    self.maximumDepth = maximumDepth
    self.maximumRequests = maximumRequests
    self.maximumRequestsPerUser = maximumRequestsPerUser
    self.requestsPerMinute = requestsPerMinute
    self.timeLimit = timeLimit
    self.maximumStreams = maximumStreams
    self.maximumStreamsPerUser = maximumStreamsPerUser
    self.streamTime = streamTime
    self.eventInterval = eventInterval
    self.acceptsIdentifiers = acceptsIdentifiers
    self.acceptsMissingReferences = acceptsMissingReferences
    self.acceptsRegularExpressions = acceptsRegularExpressions
    self.answerRetention = answerRetention
  }
}

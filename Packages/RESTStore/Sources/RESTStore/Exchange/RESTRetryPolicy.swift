public import Foundation
import StoreProtocol

/// When a request that failed is sent again: only one that may arrive twice without harm, and later each time.
///
/// ```swift
/// options.retry = RESTRetryPolicy(attempts: 5, base: .milliseconds(100), maximum: .seconds(20))
/// ```
///
/// Sent again are reads, deletes and PUTs without a precondition such as an entity tag, and any request with a key of
/// ``RESTOptions/idempotencyKeyHeader``; after a lost connection, a time-out, or one of ``statuses``. The wait is a random
/// part of a limit that doubles each time, and at least what `Retry-After` says. If that is more than ``maximumDelay``,
/// the error is thrown at once.
public struct RESTRetryPolicy: Sendable {
  /// How many times a request is sent at most; 1 for no repetition.
  public var attempts: Int
  /// The limit of the first wait.
  public var baseDelay: Duration
  /// The limit of every wait.
  public var maximumDelay: Duration
  /// The statuses after which a request is sent again.
  public var statuses: Set<Int>
  /// Waits. A test puts something quick in its place.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// Gives a number from 0 to 1, by which the limit of a wait is multiplied.
  public var random: @Sendable () -> Double
  /// What time it is, for a `Retry-After` that is a date.
  public var now: @Sendable () -> Date

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - attempts: how many times a request is sent at most.
  ///   - baseDelay: the limit of the first wait.
  ///   - maximumDelay: the limit of every wait.
  ///   - statuses: the statuses after which a request is sent again.
  public init(
    attempts: Int = 4, base baseDelay: Duration = .milliseconds(200), maximum maximumDelay: Duration = .seconds(30),
    statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
  ) {
    self.attempts = attempts
    self.baseDelay = baseDelay
    self.maximumDelay = maximumDelay
    self.statuses = statuses
    sleep = { try await Task.sleep(for: $0) }
    random = { Double.random(in: 0...1) }
    now = { Date() }
  }

  /// Nothing is sent twice.
  public static let never = RESTRetryPolicy(attempts: 1)

  /// Four attempts, which takes about a second if the server says nothing else.
  public static let standard = RESTRetryPolicy()

  /// How long to wait after an attempt; nil if the request is not to be sent again.
  ///
  /// - Parameters:
  ///   - attempt: how many times the request was sent.
  ///   - retryAfter: what the server says in `Retry-After`.
  func delay(after attempt: Int, retryAfter: String?) -> Duration? {
    guard attempt < attempts else { return nil }
    let doublings = min(attempt - 1, 20)
    let limit = min(baseDelay * (1 << doublings), maximumDelay)
    let wait = limit * min(max(random(), 0), 1)
    guard let retryAfter, let asked = duration(ofRetryAfter: retryAfter) else { return wait }
    // Those who were all told the same moment should not all come at it.
    return asked > maximumDelay ? nil : asked + min(wait, maximumDelay - asked)
  }

  /// The seconds, or the time until the date, that a `Retry-After` tells; nil if it tells neither.
  private func duration(ofRetryAfter text: String) -> Duration? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    guard let date = formatter.date(from: text) else { return nil }
    return .seconds(max(0, date.timeIntervalSince(now())))
  }
}

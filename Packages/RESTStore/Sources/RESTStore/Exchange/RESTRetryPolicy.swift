public import Foundation
import StoreProtocol

/// A policy for retrying failed requests that are safe to repeat, after increasing delays.
///
/// ```swift
/// options.retry = RESTRetryPolicy(
///   attempts: 5, base: .milliseconds(100), maximum: .seconds(20))
/// ```
///
/// Reads are sent again, and so are deletes and PUTs without a precondition such as an entity tag. Requests with a key
/// of ``RESTOptions/idempotencyKeyHeader`` are sent again, too. This happens after a lost connection, a time-out, or
/// one of ``statuses``.
///
/// The delay is a random part of a limit that doubles each time, and at least the time in `Retry-After`. If that time
/// is longer than ``maximumDelay``, the error is thrown at once.
public struct RESTRetryPolicy: Sendable {
  /// The maximum number of times that a request is sent; 1 for no repetition.
  public var attempts: Int
  /// The limit of the first delay.
  public var baseDelay: Duration
  /// The limit of every delay.
  public var maximumDelay: Duration
  /// The statuses after which a request is sent again.
  public var statuses: Set<Int>
  /// The function that waits for a delay. A test can replace it by a faster one.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// The source of a number from 0 to 1, by which the limit of a delay is multiplied.
  public var random: @Sendable () -> Double
  /// The current time, for a `Retry-After` with a date.
  public var now: @Sendable () -> Date

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - attempts: the maximum number of times that a request is sent.
  ///   - baseDelay: the limit of the first delay.
  ///   - maximumDelay: the limit of every delay.
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

  /// A policy that sends nothing twice.
  public static let never = RESTRetryPolicy(attempts: 1)

  /// A policy of four attempts, which take about a second unless the server requests a longer delay.
  public static let standard = RESTRetryPolicy()

  /// Returns the delay after an attempt; nil if the request is not sent again.
  ///
  /// - Parameters:
  ///   - attempt: the number of times that the request was sent.
  ///   - retryAfter: the value of `Retry-After`.
  func delay(after attempt: Int, retryAfter: String?) -> Duration? {
    guard attempt < attempts else { return nil }
    let doublings = min(attempt - 1, 20)
    let limit = min(baseDelay * (1 << doublings), maximumDelay)
    let wait = limit * min(max(random(), 0), 1)
    guard let retryAfter, let asked = Self.duration(ofRetryAfter: retryAfter, now: now()) else { return wait }
    // Clients that got the same time from the server should not all return at once.
    return asked > maximumDelay ? nil : asked + min(wait, maximumDelay - asked)
  }

  /// Returns the seconds, or the time until the date, of a `Retry-After`; nil if it is neither.
  static func duration(ofRetryAfter text: String, now: Date) -> Duration? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return .seconds(Int64(UInt32(text) ?? .max))
    }
    guard let date = date(ofHeader: text) else { return nil }
    return .seconds(max(0, date.timeIntervalSince(now)))
  }

  /// Returns the date in a header; nil if it is not a date.
  static func date(ofHeader text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text)
  }
}

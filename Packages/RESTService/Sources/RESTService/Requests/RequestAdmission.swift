@_spi(ModelKitInternals) import FieldKit
import Foundation
import StoreProtocol

/// The requests in progress, and those of each user in the current minute.
final class RequestAdmission: Sendable {
  private struct State: Sendable {
    var count = 0
    var countByUser: [String: Int] = [:]
    var streamCount = 0
    var streamsByUser: [String: Int] = [:]
    var minute = 0
    /// The numbers of requests in the minute. Those of another minute are removed together.
    var requestsByUser: [String: Int] = [:]
  }

  private let options: RESTServiceOptions
  private let state = Lock(State())

  init(_ options: RESTServiceOptions) { self.options = options }

  /// Counts a request until ``end(_:)``.
  ///
  /// - Throws: ``ServiceProblem`` with the status 503 for too many requests of all users, 429 for too many of this one.
  func begin(_ user: String?, at date: Date) throws {
    let problem = state.withLock { state -> ServiceProblem? in
      if state.count >= options.maximumRequests {
        return ServiceProblem(503, "The service has too many requests. Try again later.", headers: ["Retry-After": "1"])
      }
      if let user, let problem = count(user, at: date, &state) { return problem }
      state.count += 1
      return nil
    }
    if let problem { throw problem }
  }

  private func count(_ user: String, at date: Date, _ state: inout State) -> ServiceProblem? {
    if state.countByUser[user, default: 0] >= options.maximumRequestsPerUser {
      return ServiceProblem(
        429, "This user has too many requests at the same time. Wait for a response.", headers: ["Retry-After": "1"])
    }
    if let problem = countInMinute(user, at: date, &state) { return problem }
    state.countByUser[user, default: 0] += 1
    return nil
  }

  private func countInMinute(_ user: String, at date: Date, _ state: inout State) -> ServiceProblem? {
    guard let limit = options.requestsPerMinute else { return nil }
    let seconds = Int(date.timeIntervalSince1970.rounded(.down))
    if seconds / 60 != state.minute { (state.minute, state.requestsByUser) = (seconds / 60, [:]) }
    if state.requestsByUser[user, default: 0] >= limit {
      return ServiceProblem(
        429, "This user has sent \(limit) requests in a minute, which is the limit.",
        headers: ["Retry-After": "\(60 - seconds % 60)"])
    }
    state.requestsByUser[user, default: 0] += 1
    return nil
  }

  /// Ends a request.
  func end(_ user: String?) {
    state.withLock { state in
      state.count -= 1
      guard let user, let count = state.countByUser[user] else { return }
      state.countByUser[user] = count > 1 ? count - 1 : nil
    }
  }
  /// Counts a stream until ``endStream(_:)``, and its request.
  ///
  /// - Returns: false if there are too many streams of all users or of this one, or too many requests.
  func beginStream(_ user: String?, at date: Date) -> Bool {
    state.withLock { state in
      guard state.streamCount < options.maximumStreams else { return false }
      if let user {
        guard state.streamsByUser[user, default: 0] < options.maximumStreamsPerUser,
          countInMinute(user, at: date, &state) == nil
        else { return false }
        state.streamsByUser[user, default: 0] += 1
      }
      state.streamCount += 1
      return true
    }
  }

  /// Ends a stream.
  func endStream(_ user: String?) {
    state.withLock { state in
      state.streamCount -= 1
      guard let user, let count = state.streamsByUser[user] else { return }
      state.streamsByUser[user] = count > 1 ? count - 1 : nil
    }
  }
}

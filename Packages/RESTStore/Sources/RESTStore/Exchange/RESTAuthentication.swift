import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// A source of credentials for requests.
///
/// ```swift
/// struct KeyAuthentication: RESTAuthentication {
///   let key: String
///   func authorize(
///     _ request: inout HTTPRequestData,
///     for operation: RESTOperation
///   ) async throws {
///     request.headers["X-API-Key"] = key
///   }
/// }
/// ```
///
/// Credentials are sent to the server of the store only, never along a redirect to another one.
public protocol RESTAuthentication: Sendable {
  /// Adds credentials to a request that is about to be sent. Restore a session here, such as by signing in.
  ///
  /// - Parameters:
  ///   - request: the request; it is authorized again each time it is sent.
  ///   - operation: the operation that the request is for. One that needs no session can be left as it is.
  /// - Throws: any error; then the request is not sent, and the call fails with the code `unauthorized`.
  func authorize(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws

  /// Renews the credentials after the server answered 401. It is called at most once per call. By default there are no
  /// new ones.
  ///
  /// - Parameter request: the rejected request.
  /// - Returns: whether to send the request again.
  ///
  /// - Important: Neither method may write in the scope of the store. A transaction may wait for the creation that
  ///   waits for the credentials.
  func renew(after request: HTTPRequestData) async throws -> Bool
}

extension RESTAuthentication {
  /// Returns false: there are no new credentials.
  public func renew(after request: HTTPRequestData) async throws -> Bool { false }
}

/// A name and a password with each request (RFC 7617). Use it over HTTPS only.
///
/// ```swift
/// options.authentication = BasicAuthentication(user: "ada", password: password)
/// ```
public struct BasicAuthentication: RESTAuthentication {
  private let header: String

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - user: the name, without a colon.
  ///   - password: the password.
  public init(user: String, password: String) {
    header = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  /// Adds the name and the password.
  public func authorize(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
    request.headers["Authorization"] = header
  }
}

/// A token with each request (RFC 6750), which is renewed when the server no longer accepts it. All requests that wait
/// for a new token share one renewal.
///
/// ```swift
/// options.authentication = BearerAuthentication(token) { _ in
///   try await session.newToken()
/// }
/// ```
public final class BearerAuthentication: RESTAuthentication {
  private enum Renewal {
    case idle
    case underWay(Task<String, any Error>)
  }

  /// The credentials whose renewal the running task is part of. Its own requests can't wait for their token.
  @TaskLocal private static var inRenewal: Set<ObjectIdentifier> = []

  private let state: Lock<(token: String?, renewal: Renewal)>
  private let newToken: (@Sendable (String?) async throws -> String)?

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - token: the token; nil to get one before the first request.
  ///   - renew: returns a new token. It receives the rejected one, or nil for none. Its own requests through the same
  ///     engine have no token. Requests wait for it without a time limit, until their task is cancelled. Without it, 401
  ///     is final.
  public init(_ token: String?, renew: (@Sendable (String?) async throws -> String)? = nil) {
    state = Lock((token, .idle))
    newToken = renew
  }

  /// The token in use; nil if there is none yet.
  public var token: String? { state.withLock { $0.token } }

  /// Adds the token, unless the request is part of a renewal.
  public func authorize(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
    if isInRenewal { return }
    var token = self.token
    if token == nil { token = try await renewed(nil) }
    if let token, token.allSatisfy(\.isWhitespace) {
      throw ModelStoreError(
        .unauthorized, "nothing was sent, because the token is empty; use a token, or nil for none")
    }
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
  }

  private var isInRenewal: Bool { Self.inRenewal.contains(ObjectIdentifier(self)) }

  /// Renews the token, unless there is a newer one than the request had, or the request is part of a renewal.
  public func renew(after request: HTTPRequestData) async throws -> Bool {
    if isInRenewal { return false }
    let refused = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
    if let token, token != refused { return true }
    return try await renewed(refused) != nil
  }

  /// Joins the renewal that is in progress, or starts one. It continues if the caller is cancelled and no longer waits,
  /// since others may wait for it.
  private func renewed(_ refused: String?) async throws -> String? {
    guard let newToken else { return nil }
    let inRenewal = Self.inRenewal.union([ObjectIdentifier(self)])
    let task = state.withLock { state -> Task<String, any Error>? in
      if case .underWay(let task) = state.renewal { return task }
      // Another task has renewed the token already.
      if state.token != refused { return nil }
      let task = Task { @concurrent [weak self] in
        do {
          let token = try await Self.$inRenewal.withValue(inRenewal) { try await newToken(refused) }
          self?.state.withLock { $0 = (token, .idle) }
          return token
        } catch {
          self?.state.withLock { $0.renewal = .idle }
          throw error
        }
      }
      state.renewal = .underWay(task)
      return task
    }
    guard let task else { return token }
    // The value of a task can't be waited for without the whole task, but the next element of a stream can.
    let (results, continuation) = AsyncStream.makeStream(of: Result<String, any Error>.self)
    Task {
      continuation.yield(await task.result)
      continuation.finish()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}

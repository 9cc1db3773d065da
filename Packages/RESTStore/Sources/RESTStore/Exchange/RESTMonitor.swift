/// Hears of every request of a store: for logs, metrics and tests.
///
/// ```swift
/// struct PrintingMonitor: RESTMonitor {
///   func record(_ event: RESTEvent) { print(event) }
/// }
/// ```
public protocol RESTMonitor: Sendable {
  /// Called for each event, in the order of the events of a request. Return soon: the request waits.
  func record(_ event: RESTEvent)
}

/// Something that happened to a request. It has neither headers nor bodies nor the query of the address, so it can be
/// logged: credentials are in none of its members.
public struct RESTEvent: Sendable, Hashable, CustomStringConvertible {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// The request was handed to the transport.
    case sent(bytes: Int)
    /// An answer came.
    case answered(status: Int, bytes: Int, after: Duration)
    /// No answer came, for a reason with the name of a code of `ModelStoreError`.
    case failed(code: String, after: Duration)
    /// The request is sent again after a while.
    case retrying(after: Duration)
    /// The server refused the credentials, and others are asked for.
    case renewingCredentials
    /// The call joined an equal one that is under way, and sent nothing.
    case shared
  }

  /// What happened.
  public var kind: Kind
  /// A number for all events of one call, of the process.
  public var call: UInt64
  /// How many times the request was sent, this time included.
  public var attempt: Int
  /// The method.
  public var method: String
  /// The path of the address, without query.
  public var path: String

  /// Creates an event, such as for a test of a monitor.
  public init(_ kind: Kind, call: UInt64, attempt: Int, method: String, path: String) {
    self.kind = kind
    self.call = call
    self.attempt = attempt
    self.method = method
    self.path = path
  }

  /// The event on one line.
  public var description: String {
    let request = "#\(call) \(method) \(path)"
    let again = attempt > 1 ? " (attempt \(attempt))" : ""
    switch kind {
    case .sent(let bytes): return "\(request)\(again) sent, \(bytes) bytes"
    case .answered(let status, let bytes, let time): return "\(request)\(again) \(status), \(bytes) bytes, \(time)"
    case .failed(let code, let time): return "\(request)\(again) failed: \(code), \(time)"
    case .retrying(let time): return "\(request)\(again) again in \(time)"
    case .renewingCredentials: return "\(request)\(again) asks for new credentials"
    case .shared: return "\(request) shares an answer"
    }
  }
}

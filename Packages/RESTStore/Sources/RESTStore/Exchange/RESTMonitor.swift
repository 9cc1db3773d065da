@_spi(ModelKitInternals) import StoreProtocol

/// An observer of every request of a store, for logs, metrics and tests.
///
/// ```swift
/// struct PrintingMonitor: RESTMonitor {
///   func record(_ event: RESTEvent) { print(event) }
/// }
/// ```
public protocol RESTMonitor: Sendable {
  /// Receives each event, in the order of the events of a request. Return soon: the request waits.
  func record(_ event: RESTEvent)
}

/// An event of a request. It has no headers, no bodies and no query of the address. So none of its members contains
/// credentials, and it can be logged.
public struct RESTEvent: Sendable, Hashable, CustomStringConvertible {
  /// The kind of an event.
  public enum Kind: Sendable, Hashable {
    /// The request was handed to the transport.
    case sent(bytes: Int)
    /// An answer was received.
    case answered(status: Int, bytes: Int, after: Duration)
    /// No answer was received. The reason is the name of a code of `ModelStoreError`.
    case failed(code: String, after: Duration)
    /// The request is sent again after a delay.
    case retrying(after: Duration)
    /// The server rejected the credentials, and new ones are requested.
    case renewingCredentials
    /// The call joined an equal one that is in progress, and sent nothing.
    case shared
    /// The server stored a new model under another identifier than the one it was sent with. The model and the
    /// references to it in this store have the new one. Values that are stored elsewhere under the old one are not
    /// changed.
    case identifierReplaced(sent: String, by: String)
  }

  /// The kind of the event.
  public var kind: Kind
  /// The number of the call, which is unique in the process and the same for all its events.
  public var call: UInt64
  /// The number of times that the request was sent, this time included.
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
    case .renewingCredentials: return "\(request)\(again) requests new credentials"
    case .shared: return "\(request) shares a response"
    case .identifierReplaced(let sent, let received):
      return "\(request) stored as \(received.quotedForMessage) instead of \(sent.quotedForMessage)"
    }
  }
}

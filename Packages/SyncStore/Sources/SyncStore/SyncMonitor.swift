/// An observer of the synchronisation, for logs, metrics and tests.
///
/// ```swift
/// struct PrintingMonitor: SyncMonitor {
///   func record(_ event: SyncEvent) { print(event) }
/// }
/// let options = SyncOptions(monitor: PrintingMonitor())
/// ```
public protocol SyncMonitor: Sendable {
  /// Receives each event in order. Return soon: the synchronisation waits.
  func record(_ event: SyncEvent)
}

/// An event of a synchronisation. It has names of types, identifiers and keys, but no values and no messages of the
/// server. So it can be logged.
public enum SyncEvent: Sendable, Hashable, CustomStringConvertible {
  /// An exchange with the server begins.
  case began
  /// The records of a type were pulled; the number of local records that this changed.
  case pulled(type: String, changes: Int)
  /// The server took a change.
  case sent(type: String, identifier: String, kind: Kind)
  /// The server rejected a record, which waits for a person; the keys of the fields that its messages are about.
  case parked(type: String, identifier: String, keys: [String])
  /// A conflict waits for a decision; the keys of the members that both changed.
  case conflicted(type: String, identifier: String, keys: [String])
  /// Local values were discarded in favour of the server's; the keys of the members, empty for a whole record.
  case discarded(type: String, identifier: String, keys: [String])
  /// The exchange ended; the number of records whose changes are left.
  case ended(waiting: Int)
  /// The exchange failed; the name of a code of `ModelStoreError`, or of the type of another error.
  case failed(code: String)

  /// The kind of a change that was sent.
  public enum Kind: String, Sendable {
    /// The record was created.
    case creation
    /// Some members were changed.
    case update
    /// The record was deleted.
    case deletion
  }

  /// The event on one line.
  public var description: String {
    func about(_ keys: [String]) -> String { keys.isEmpty ? "" : ": \(keys.joined(separator: ", "))" }
    return switch self {
    case .began: "began"
    case .pulled(let type, let changes): "pulled \(type), \(changes) changed"
    case .sent(let type, let identifier, let kind): "sent the \(kind) of \(type) \(identifier)"
    case .parked(let type, let identifier, let keys): "parked \(type) \(identifier)\(about(keys))"
    case .conflicted(let type, let identifier, let keys): "conflict of \(type) \(identifier)\(about(keys))"
    case .discarded(let type, let identifier, let keys): "discarded values of \(type) \(identifier)\(about(keys))"
    case .ended(let waiting): "ended, \(waiting) waiting"
    case .failed(let code): "failed: \(code)"
    }
  }
}

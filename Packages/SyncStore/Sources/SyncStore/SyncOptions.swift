/// The choices of a ``SyncModelStore``.
///
/// ```swift
/// // A server that assigns the identifiers of notes, which are strings:
/// let options = SyncOptions(
///   isTemporary: { type, identifier in type == "Note" && identifier.count == 36 })
/// ```
public struct SyncOptions: Sendable {
  /// The clock and the random sources, which tests replace.
  var environment = SyncEnvironment.system
  /// The greatest number of records that can have changes which are not on the server; nil for no limit.
  ///
  /// A write that would exceed it throws `ModelStoreError` with the code `full`, and nothing of it is written. Records
  /// that have such changes already can still be edited. Writers that commit at the same moment may exceed it together.
  public var outboxLimit: Int?
  /// The maximum number of new records that are sent at the same time, if the remote store is a `SharedModelStore`.
  ///
  /// Two records are sent together only if neither references the other and no transaction wrote both. A server may
  /// receive them in another order than they were created. With 1 it receives them in order.
  public var maximumConcurrentRequests: Int
  /// The observer of the synchronisation; nil for none.
  public var monitor: (any SyncMonitor)?
  /// Returns whether an identifier is temporary, until the server assigns another one: of a type, and the identifier.
  public var isTemporary: @Sendable (_ type: String, _ identifier: String) -> Bool

  /// Creates options.
  ///
  /// - Parameters:
  ///   - outboxLimit: the greatest number of records that can have changes which are not on the server; nil for no
  ///     limit.
  ///   - maximumConcurrentRequests: the greatest number of new records that are sent at the same time.
  ///   - monitor: the observer of the synchronisation; nil for none.
  ///   - isTemporary: returns whether an identifier is temporary, until the server assigns another one. By default
  ///     these are the negative integers, which is what the store assigns. Other identifiers are sent with the record.
  public init(
    outboxLimit: Int? = nil, maximumConcurrentRequests: Int = 4, monitor: (any SyncMonitor)? = nil,
    isTemporary: @escaping @Sendable (_ type: String, _ identifier: String) -> Bool = { _, identifier in
      identifier.utf8.first == UInt8(ascii: "-") && Int(identifier) != nil
    }
  ) {
    self.outboxLimit = outboxLimit
    self.maximumConcurrentRequests = maximumConcurrentRequests
    self.monitor = monitor
    self.isTemporary = isTemporary
  }
}

public import Foundation
public import StoreProtocol

/// The outcome of one synchronisation.
///
/// ```swift
/// let report = try await store.sync()
/// print(report)
/// // 12 pulled, 3 pushed, 0 discarded, 1 waiting, 1 failed
/// print(report.failures.map(\.error))
/// ```
public struct SyncReport: Sendable, CustomStringConvertible {
  /// A record or a type that could not be synchronised.
  public struct Failure: Sendable {
    /// The name of the type.
    public var type: String
    /// The identifier of the record; nil if it concerns all records of the type.
    public var identifier: String?
    /// The reason.
    public var error: ModelStoreError
  }

  /// The number of local records that changes of the server created, changed or deleted.
  public var pulled = 0
  /// The number of requests that took effect on the server.
  public var pushed = 0
  /// The number of local values that were discarded in favour of the server's.
  public var discarded = 0
  /// The number of remaining outbox entries.
  public var waiting = 0
  /// The time of the oldest change that is left; nil if all are on the server.
  public var waitingSince: Date?
  /// The records and types that could not be synchronised. Their local changes are kept.
  public var failures: [Failure] = []
  /// The damaged outbox entries, as `Type/identifier`. They are neither sent nor removed, and their records are not
  /// changed. The next local write of such a record begins another entry, and keeps this one as a ``DiscardedValue``.
  /// If the record was deleted here, the next comparison with the server restores it, and keeps the entry as well.
  public var damaged: [String] = []

  /// Whether the exchange ended early, because several requests in a row had no answer.
  var isUnanswered = false

  /// Creates an empty report.
  public init() {}

  /// The numbers of records, values, entries and failures.
  public var description: String {
    let local = "\(pulled) pulled, \(pushed) pushed, \(discarded) discarded"
    let rest = "\(waiting) waiting, \(failures.count) failed"
    return "\(local), \(rest)" + (damaged.isEmpty ? "" : ", \(damaged.count) damaged")
  }
}

public import Foundation
import StoreProtocol

/// The state of the synchronisation of a store instance.
///
/// ```swift
/// for await status in store.status.values { print(status) }
/// ```
public enum SyncStatus: Sendable, Hashable {
  /// Nothing is in progress; the time of the last complete synchronisation, nil if there was none.
  case idle(since: Date?)
  /// An exchange is in progress: the number of types and outbox entries that are done, and of all.
  case syncing(done: Int, of: Int)
  /// The server can't be reached, or is temporarily unavailable; the time since when, and of the next attempt, if any.
  case offline(since: Date, retryAt: Date?)
  /// The server needs other credentials; the time since when.
  case unauthorized(since: Date)
  /// Some outbox entries wait for a person, because they were rejected or are damaged: the number of them.
  case needsAttention(Int)
}

/// The sync state of a record.
public enum SyncState: Sendable, Hashable {
  /// The server has the record, as far as is known.
  case synced
  /// It has changes that wait to be sent.
  case pending
  /// A request with its changes was sent, and its outcome is not known yet.
  case uploading
  /// The server rejected it; the error.
  case parked(String)
  /// The record waits for a decision about a conflict.
  case conflicted(SyncConflict)
}

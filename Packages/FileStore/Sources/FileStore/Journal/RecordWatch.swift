@_spi(ModelKitInternals) import StoreProtocol

/// Takes down which records are written, as long as somebody wants to know.
final class RecordWatch: Sendable {
  private struct State {
    var position: UInt64 = 0
    var records: [RecordName: UInt64] = [:]
    var types: [String: UInt64] = [:]
  }

  private let state = Lock(State())

  /// The number of batches so far.
  var position: UInt64 { state.withLock { $0.position } }

  func note(_ changes: [Change]) {
    state.withLock { state in
      state.position += 1
      for change in changes {
        state.records[RecordName(change.type, change.identifier)] = state.position
        state.types[change.type] = state.position
      }
    }
  }

  /// Whether a record was written since the watch began, or after a position.
  func saw(_ type: String, _ identifier: String, after position: UInt64 = 0) -> Bool {
    state.withLock { $0.records[RecordName(type, identifier)] ?? 0 > position }
  }

  /// Whether a record of a type was written after a position.
  func saw(_ type: String, after position: UInt64) -> Bool { state.withLock { $0.types[type] ?? 0 > position } }
}

/// The records that were read for a batch, each with the position of the watch before.
struct WatchedReads: Sendable {
  let watch: RecordWatch
  let reads: TransactionReads

  /// Why the batch must not be written; nil if nothing of what was read was written since.
  var conflict: ModelStoreError? {
    reads.firstStale { part, position in
      part.identifier.map { watch.saw(part.type, $0, after: position) } ?? watch.saw(part.type, after: position)
    }?.conflict
  }

  /// Whether one of these changes is of something that was read.
  func contain(_ changes: [Change]) -> Bool { changes.contains { reads.contains($0.type, $0.identifier) } }
}

@_spi(ModelKitInternals) import StoreProtocol

/// Takes down which records are written, as long as somebody wants to know.
final class RecordWatch: Sendable {
  private let names = Lock<Set<RecordName>>([])

  func note(_ changes: [Change]) {
    names.withLock { names in
      for change in changes { names.insert(RecordName(change.type, change.identifier)) }
    }
  }

  /// Whether a record was written since the watch began.
  func saw(_ type: String, _ identifier: String) -> Bool {
    names.withLock { $0.contains(RecordName(type, identifier)) }
  }
}

@_spi(ModelKitInternals) import StoreProtocol

/// Takes down which records are written, as long as somebody wants to know.
final class RecordWatch: Sendable {
  private struct Name: Hashable {
    var type: [UInt8]
    var identifier: [UInt8]
  }

  private let names = Lock<Set<Name>>([])

  func note(_ changes: [Change]) {
    names.withLock { names in
      for change in changes {
        names.insert(Name(type: Array(change.type.utf8), identifier: Array(change.identifier.utf8)))
      }
    }
  }

  /// Whether a record was written since the watch began.
  func saw(_ type: String, _ identifier: String) -> Bool {
    names.withLock { $0.contains(Name(type: Array(type.utf8), identifier: Array(identifier.utf8))) }
  }
}

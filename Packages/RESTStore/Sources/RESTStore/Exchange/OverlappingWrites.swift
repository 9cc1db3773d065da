@_spi(ModelKitInternals) import StoreProtocol

/// The writes that are in progress, by type. The answers to two writes that overlap may arrive in another order than
/// the server carried them out.
final class OverlappingWrites: Sendable {
  /// One write that is in progress.
  struct Write {
    fileprivate let typeName: String
    fileprivate let number: Int
    fileprivate let isFirst: Bool
  }

  private let types = Lock<[String: (open: Int, begun: Int)]>([:])

  /// Begins a write. Each needs a call of ``end(_:)``.
  func begin(_ typeName: String) -> Write {
    types.withLock { types in
      let (open, begun) = types[typeName] ?? (0, 0)
      types[typeName] = (open + 1, begun + 1)
      return Write(typeName: typeName, number: begun + 1, isFirst: open == 0)
    }
  }

  /// Returns whether no other write to the type overlapped this one so far.
  func isAlone(_ write: Write) -> Bool {
    write.isFirst && types.withLock { $0[write.typeName]?.begun == write.number }
  }

  /// Ends a write.
  func end(_ write: Write) {
    types.withLock { $0[write.typeName]?.open -= 1 }
  }
}

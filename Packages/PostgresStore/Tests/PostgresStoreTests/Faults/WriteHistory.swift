#if Postgres
  import Foundation

  /// The writes of several tasks, as they were acknowledged.
  final class WriteHistory: Sendable {
    private let state = NSLockProtected<(acknowledged: Set<String>, unknown: Set<String>, isFinished: Bool)>(
      ([], [], false))
    private let counters = NSLockProtected<[Int: (acknowledged: Int, unknown: Int)]>([:])

    var acknowledged: Set<String> { state.withLock { $0.acknowledged } }
    var unknown: Set<String> { state.withLock { $0.unknown } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var counts: [Int: (acknowledged: Int, unknown: Int)] { counters.withLock { $0 } }

    func finish() { state.withLock { $0.isFinished = true } }

    func note(_ text: String, _ writer: Int, isKnown: Bool) {
      state.withLock { state in
        if isKnown { _ = state.acknowledged.insert(text) } else { _ = state.unknown.insert(text) }
      }
      counters.withLock { counters in
        var counts = counters[writer] ?? (0, 0)
        if isKnown { counts.acknowledged += 1 } else { counts.unknown += 1 }
        counters[writer] = counts
      }
    }
  }
#endif

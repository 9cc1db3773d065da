@_spi(ModelKitInternals) import FieldKit

/// The transactions of the process that wait for a turn: of the stores of another scope, or of the transactions inside
/// an outer one.
///
/// Transactions that wait for each other would never end. So a task does not wait for a turn whose transaction waits,
/// directly or indirectly, for a transaction of the task.
///
/// ```swift
/// let wait = try TransactionWaits.begin(for: scope)
/// defer { TransactionWaits.end(wait) }
/// ```
package enum TransactionWaits {
  /// The cause of the error for a wait that would never end. Only the outermost transaction can be repeated.
  package struct Cycle: Error {}

  private struct Wait: Sendable {
    let transactions: [TransactionMark]
    let turn: ObjectIdentifier

    func has(_ turn: ObjectIdentifier) -> Bool { transactions.contains { $0.turns.contains(turn) && $0.isOpen } }
  }

  private struct State: Sendable {
    var waits: [UInt64: Wait] = [:]
    var count: UInt64 = 0

    /// Returns whether the transaction that has a turn waits, directly or over others, for one of some transactions.
    func doesWait(_ turn: ObjectIdentifier, for transactions: [TransactionMark]) -> Bool {
      var seen: Set<ObjectIdentifier> = []
      var remaining = [turn]
      while let turn = remaining.popLast() {
        if transactions.contains(where: { $0.turns.contains(turn) }) { return true }
        guard seen.insert(turn).inserted else { continue }
        for wait in waits.values where wait.has(turn) { remaining.append(wait.turn) }
      }
      return false
    }
  }

  private static let state = Lock(State())

  /// Begins the wait of the running task for a turn.
  ///
  /// - Parameter owner: the scope, or the transaction inside which the task begins another one.
  /// - Returns: the number of the wait; nil if the task is in no transaction, so that none waits for it.
  /// - Throws: ``ModelStoreError`` with the code `conflict` if the wait would never end.
  /// - Complexity: O(*n*) in the number of transactions that wait inside others.
  package static func begin(for owner: AnyObject) throws -> UInt64? {
    let transactions = TransactionMark.ofTask
    if transactions.isEmpty { return nil }
    let id = ObjectIdentifier(owner)
    let number = state.withLock { state -> UInt64? in
      if state.doesWait(id, for: transactions) { return nil }
      state.count += 1
      state.waits[state.count] = Wait(transactions: transactions, turn: id)
      return state.count
    }
    if let number { return number }
    throw ModelStoreError(
      .conflict,
      """
      Another transaction waits for this one, which would wait for it. Nothing was written: repeat \
      the outermost transaction.
      """, cause: Cycle())
  }

  /// Ends a wait.
  package static func end(_ wait: UInt64?) {
    guard let wait else { return }
    state.withLock { $0.waits[wait] = nil }
  }
}

extension ObservationRegistry {
  /// Delivers the sets made by observers and the rest of long runs of bindings, until nothing is left.
  @usableFromInline
  func deliverQueue() {
    // Counted together for nested observables: otherwise two rings that don't settle would take the square of the
    // limit.
    if let outer = ThreadLocal.rounds.pointer {
      return deliverQueue(counting: outer.assumingMemoryBound(to: Int.self))
    }
    var rounds = 0
    withUnsafeMutablePointer(to: &rounds) { rounds in
      ThreadLocal.rounds.pointer = UnsafeMutableRawPointer(rounds)
      deliverQueue(counting: rounds)
      ThreadLocal.rounds.pointer = nil
    }
  }

  private func deliverQueue(counting rounds: UnsafeMutablePointer<Int>) {
    var next = 0
    while true {
      if next < queue.count {
        rounds.pointee += 1
        if rounds.pointee > BindingIssue.deliveryLimit {
          if rounds.pointee == BindingIssue.deliveryLimit + 1 { BindingIssue.report(valueType: Value.self) }
          drop()
          return
        }
        let round = queue[next]
        next += 1
        deliver(round)
        // A long run of changes made by observers must not retain every intermediate value. The values are released
        // when the queue is consistent again: their `deinit` may set this very observable.
        if next >= 64, 2 * next >= queue.count {
          queue = Array(queue[next...])
          next = 0
        }
      } else if next > 0 {
        queue = []
        next = 0
      } else if !deferred.isEmpty {
        runDeferred()
      } else {
        return
      }
    }
  }

  /// Discards the waiting sets.
  private func drop() {
    deferred = []
    while !queue.isEmpty { queue = [] }
  }

  func deliver(_ round: ObservationRound<Value>) {
    deliveredStamp = round.stamp
    let (hasFlowed, flowsAgain) = (round.hasFlowed, round.hasEverFlowed)
    for entry in entries where !(hasFlowed && entry.action.isBinding) {
      guard round.concerns(entry.action, entry.token, flowsAgain: flowsAgain) else { continue }
      if round.hasJoined {
        action(of: entry).call(round.old(for: entry.token), round.new)
      } else {
        action(of: entry).call(round.old, round.new)
      }
    }
  }

  /// Queues a set during a round or a transaction.
  @usableFromInline
  func wait(
    with oldValue: Value, _ newValue: Value, isChange: Bool, stamp: ChangeStamp, areEqual: (Value, Value) -> Bool
  ) {
    let transaction = Transaction.current
    if let pending {
      pending.merge(newValue, isChange: isChange, stamp: stamp, firstLaterID: nextID, areEqual: areEqual)
      if pending.hasFlowed {
        // Without a transaction this is an observer that sets the value while a transaction notifies. Then the bindings
        // are served together with the observers, which are still to be notified.
        pending.hasFlowed = false
        transaction?.flow(self)
      }
      return
    }
    let round = ObservationRound(
      old: oldValue, new: newValue, isChange: isChange, stamp: stamp, firstLaterID: nextID)
    if let transaction {
      pending = round
      isBusy = true
      transaction.add(self)
    } else {
      queue.append(round)
    }
  }
}

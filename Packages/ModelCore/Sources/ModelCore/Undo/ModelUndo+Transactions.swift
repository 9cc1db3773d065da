// A transaction of a store that fails leaves the history as it was before.
extension ModelUndo {
  /// Removes what transactions recorded that failed, and restores the steps to redo.
  ///
  /// - Parameters:
  ///   - numbers: the numbers of the transactions.
  ///   - restored: the fields that get their former values again.
  func rollBack(_ numbers: Set<Int>, restored: Set<ObjectIdentifier>) {
    for step in undoSteps { step.remove(numbers, restored: restored) }
    open?.remove(numbers, restored: restored)
    undoSteps.removeAll(where: \.isEmpty)
    if depth == 0, open?.isEmpty == true {
      open = nil
      group = nil
    }
    for (number, model) in deletedInTransactions where numbers.contains(number) { modelsToDelete.insert(model) }
    if let heldRedo, numbers.contains(heldRedo.transaction) {
      redoSteps = heldRedo.steps
      self.heldRedo = nil
    }
  }

  /// Drops the steps over the limit, and registers the steps that waited for the end of transactions.
  func transactionEnded(_ numbers: Set<Int>) {
    if let heldRedo, numbers.contains(heldRedo.transaction) { self.heldRedo = nil }
    deletedInTransactions.removeAll { numbers.contains($0.transaction) }
    trim()
    updateState()
    guard scope.map.transactions.isEmpty else { return }
    let steps = unannounced
    unannounced = []
    for step in steps where step === open || undoSteps.contains(where: { $0 === step }) { announce(step) }
  }
}

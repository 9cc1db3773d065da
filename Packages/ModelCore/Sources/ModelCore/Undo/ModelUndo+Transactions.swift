@_spi(ModelKitInternals) import FieldKit

/// The steps of a history before a transaction of a store, in case that fails.
struct HistoryBeforeTransaction {
  let transaction: Int
  var undoSteps: [UndoStep]
  var redoSteps: [UndoStep]
  var modelsToDelete: Set<ModelObject>
  /// The steps that reverse those which the transaction undid or redid.
  var counterSteps: [UndoStep] = []
}

// A transaction of a store that fails leaves the history as it was before.
extension ModelUndo {
  /// Keeps the steps before the first edit, deletion, undo or redo of the running task's transaction, if it is in one.
  private func keepHistory() {
    guard let number = scope.map.innermostTransaction?.number, histories.last?.transaction != number else { return }
    histories.append(
      HistoryBeforeTransaction(
        transaction: number, undoSteps: undoSteps, redoSteps: redoSteps, modelsToDelete: modelsToDelete))
  }

  /// Drops the steps to redo because of an edit. A failed transaction restores them.
  func dropRedoSteps() {
    if scope.map.innermostTransaction != nil {
      keepHistory()
    } else {
      for index in histories.indices { histories[index].redoSteps = [] }
    }
    redoSteps = []
  }

  /// Records that a model that an undo or redo returned for deletion was deleted.
  ///
  /// - Returns: false if the model is not among these.
  func noteAwaitedDeletion(of model: ModelObject) -> Bool {
    guard modelsToDelete.contains(model) else { return false }
    keepHistory()
    modelsToDelete.remove(model)
    if scope.map.innermostTransaction == nil {
      for index in histories.indices { histories[index].modelsToDelete.remove(model) }
    }
    return true
  }

  /// Prepares for an undo or redo, which moves a step to the other list.
  ///
  /// - Parameter counter: the step that reverses it.
  func willMoveStep(reversedBy counter: UndoStep) {
    keepHistory()
    if scope.map.innermostTransaction != nil, !histories.isEmpty {
      histories[histories.count - 1].counterSteps.append(counter)
    }
  }

  /// Records that a step was moved. One that another task moves is moved in the lists of a failing transaction, too.
  func didMove(_ step: UndoStep, as counter: UndoStep, isUndone: Bool) {
    counter.transaction = scope.map.innermostTransaction?.number
    if counter.transaction != nil { return }
    let models = Set(counter.existences.map(\.model))
    for index in histories.indices {
      histories[index].modelsToDelete.subtract(models)
      histories[index].modelsToDelete.formUnion(models.intersection(modelsToDelete))
      histories[index].undoSteps.removeAll { $0 === step }
      histories[index].redoSteps.removeAll { $0 === step }
      if isUndone { histories[index].redoSteps.append(counter) } else { histories[index].undoSteps.append(counter) }
    }
  }

  /// Removes the recordings of failed transactions, and restores the previous steps.
  ///
  /// - Parameters:
  ///   - numbers: the numbers of the transactions.
  ///   - fields: the fields that other tasks changed, which keep their values, and those that are restored.
  func rollBack(_ numbers: Set<Int>, _ fields: TransactionEdits.RolledBackFields) {
    var removed: [ObjectIdentifier: UndoStep.RemovedValue] = [:]
    // The values that an undo or redo by the transaction set, for the steps that other tasks recorded since.
    var moved: [ObjectIdentifier: UndoStep.RemovedValue] = [:]
    var firstNewer: UndoStep?
    if let first = histories.first(where: { numbers.contains($0.transaction) }) {
      let counterSteps = histories.filter { numbers.contains($0.transaction) }.flatMap(\.counterSteps)
      if !counterSteps.isEmpty {
        let known = Set(first.undoSteps.map { ObjectIdentifier($0) })
        for step in counterSteps { step.addValues(to: &moved) }
        let newer = undoSteps.filter { step in
          !known.contains(ObjectIdentifier(step)) && !(step.transaction.map(numbers.contains) ?? false)
        }
        firstNewer = newer.first ?? open
        undoSteps = first.undoSteps + newer
      }
      redoSteps = first.redoSteps
      modelsToDelete = first.modelsToDelete
      histories.removeAll { numbers.contains($0.transaction) }
    }
    undoSteps.removeAll { step in
      if step === firstNewer { removed.merge(moved) { former, _ in former } }
      // A step that was empty before is one of the user: its edits have cancelled each other.
      if step.isEmpty { return false }
      step.removeValues(by: numbers, of: fields, following: &removed)
      step.remove(numbers, fields, isOpen: false)
      return step.isEmpty
    }
    if open === firstNewer { removed.merge(moved) { former, _ in former } }
    open?.removeValues(by: numbers, of: fields, following: &removed)
    open?.remove(numbers, fields, isOpen: true)
    if depth == 0, open?.isEmpty == true {
      open = nil
      group = nil
    }
  }

  /// Gives the last entries of fields their states from before a failed nested transaction. It is needed if an edit by
  /// another task ended the outer step meanwhile.
  ///
  /// - Complexity: O(*n*) in the number of entries of all steps.
  func restoreEnds(_ states: [ObjectIdentifier: FieldState]) {
    var remaining = states
    for step in (undoSteps + [open].compactMap { $0 }).reversed() {
      for entry in step.entries.reversed() {
        if remaining.isEmpty { return }
        guard let state = remaining.removeValue(forKey: ObjectIdentifier(entry.field)) else { continue }
        if let after = entry.after, after.lastChange > state.lastChange { entry.after = state }
      }
    }
  }

  /// Releases new members of a failed transaction from the states of a list that another task changed. Otherwise the
  /// history would keep them in the list.
  ///
  /// - Returns: closures that add those again that something else retains.
  func release(_ members: Set<ObjectIdentifier>, from list: AnyField) -> [() -> Void] {
    let steps = undoSteps + redoSteps + [open, counterStep].compactMap { $0 }
    return (steps + histories.flatMap { $0.undoSteps + $0.redoSteps }).flatMap { $0.release(members, from: list) }
  }

  /// Removes the recordings of failed transactions for a list if they are only released members.
  func removeVoidEntries(of list: AnyField, by numbers: Set<Int>) {
    var former: FieldState?
    for step in undoSteps + [open].compactMap({ $0 }) {
      let wasEmpty = step.isEmpty
      former = step.removeVoidEntries(of: list, by: numbers, following: former)
      if step.isEmpty, !wasEmpty { undoSteps.removeAll { $0 === step } }
    }
    if depth == 0, open?.isEmpty == true {
      open = nil
      group = nil
    }
  }

  /// Drops the steps over the limit, and registers the steps that waited for the end of transactions.
  func transactionEnded(_ numbers: Set<Int>) {
    histories.removeAll { numbers.contains($0.transaction) }
    trim()
    updateState()
    guard scope.map.transactions.isEmpty else { return }
    let steps = unregistered
    unregistered = []
    for step in steps where step === open || undoSteps.contains(where: { $0 === step }) { announce(step) }
  }
}

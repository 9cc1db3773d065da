@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ObservationKit

extension ModelUndo {
  /// Records a field before it is edited.
  ///
  /// - Parameter continues: whether the edit belongs to the step of the last one.
  func willEdit(_ field: AnyField, of model: ModelObject, group: AnyObject?, continues: Bool = false) {
    if ignoresEdits { return }
    let last = continues ? counterStep ?? open : nil
    let step = last ?? step(for: group)
    if step.contains(field) { return }
    let id = ObjectIdentifier(field)
    let epoch = epochs[id] ?? 0
    epochs[id] = epoch
    step.append(UndoStep.Entry(field, of: model, epoch: epoch, in: scope.map.innermostTransaction?.number))
    if counterStep == nil { noteEdit() }
  }

  /// Records a model that became part of the scope as a new one.
  func didJoin(_ model: ModelObject, group: AnyObject?) {
    step(for: group).noteExistence(of: model, before: false, in: scope.map.innermostTransaction?.number)
    if counterStep == nil { noteEdit() }
  }

  /// Records a model that a store deleted. An embedded one leaves and returns with its container.
  func didDelete(_ model: ModelObject, group: AnyObject?) {
    if model.isEmbedded { return }
    if noteAwaitedDeletion(of: model) { return }
    step(for: group).noteExistence(
      of: model, before: true, isDeletion: model.isStored, in: scope.map.innermostTransaction?.number)
    if counterStep == nil { noteEdit() }
  }

  /// Removes a model from the open step whose creation failed.
  func discardCreation(of model: ModelObject) { open?.markTransient(model) }

  /// Ends the step of an operation.
  func close(_ operation: AnyObject) {
    if depth == 0, group === operation { close() }
  }

  private func noteEdit() {
    dropRedoSteps()
    updateState()
    // A labelled step can't be undone before it ends.
    if depth == 0, let open { announce(open) }
  }

  func announce(_ step: UndoStep) {
    guard !step.isRegistered, let stepRecorded else { return }
    if !scope.map.transactions.isEmpty {
      // A transaction that fails takes its steps back.
      if !unregistered.contains(where: { $0 === step }) { unregistered.append(step) }
      return
    }
    step.isRegistered = true
    stepRecorded(self, step)
  }

  /// Returns the step that an edit belongs to. An edit of another operation than the last one begins a step, unless an
  /// observer of that one makes it.
  private func step(for group: AnyObject?) -> UndoStep {
    if let counterStep { return counterStep }
    if depth > 0 || scope.map.isNotifyingOfEdit, let open { return open }
    let transaction = scope.map.openTransaction.map { $0.operation ?? $0 }
    let operation = transaction ?? scope.map.recordedOperation ?? currentTransaction() ?? group
    if let open, let operation, operation === self.group { return open }
    close()
    let step = UndoStep(label: nil)
    open = step
    self.group = operation
    return step
  }

  /// Ends the open step.
  func close() {
    guard let step = open else { return }
    open = nil
    group = nil
    step.complete()
    if step.isEmpty { return updateState() }
    undoSteps.append(step)
    trim()
    updateState()
    announce(step)
  }

  /// Drops the steps over the limit, except those that a failed transaction would leave again.
  func trim() {
    guard scope.map.transactions.isEmpty else { return }
    if undoSteps.count > limit { undoSteps.removeFirst(undoSteps.count - limit) }
    trimEpochs()
  }

  /// Drops the counts of fields that no step has any more, as soon as they are more than half of all.
  private func trimEpochs() {
    let steps = undoSteps + redoSteps + [open, counterStep].compactMap { $0 }
    if epochs.count <= 2 * steps.reduce(0, { $0 + $1.entries.count }) { return }
    let fields = Set(steps.lazy.flatMap(\.entries).map { ObjectIdentifier($0.field) })
    epochs = epochs.filter { fields.contains($0.key) }
  }

  /// Records that a field gets a value by a read.
  ///
  /// - Parameter transaction: the number of the transaction that takes the read back if it fails; nil for none.
  func willRead(_ field: AnyField, in transaction: Int?) {
    let id = ObjectIdentifier(field)
    guard let epoch = epochs[id] else { return }
    open?.seal(field, in: transaction)
    counterStep?.seal(field, in: transaction)
    epochs[id] = epoch + 1
  }

  /// Records that a field was saved, or that its baseline was changed.
  func noteBaseline(of field: AnyField) {
    let id = ObjectIdentifier(field)
    if let epoch = epochs[id] { epochs[id] = epoch + 1 }
  }

  /// Adds a value that a store or a hook adjusted to the step that set the original value.
  func adoptValue(of field: AnyField) {
    // No step has a field without a count.
    guard epochs[ObjectIdentifier(field)] != nil else { return }
    noteBaseline(of: field)
    for step in (undoSteps + [open].compactMap { $0 }).reversed() {
      guard let entry = step.lastEntry(of: field) else { continue }
      // A step that is being recorded captures the value at its end.
      guard let former = entry.after else { return }
      scope.map.innermostTransaction?.onFailure { entry.after = former }
      entry.after = field.captureState()
      return
    }
  }
}

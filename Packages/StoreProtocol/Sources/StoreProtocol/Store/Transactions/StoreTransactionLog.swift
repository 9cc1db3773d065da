@_spi(ModelKitInternals) import ModelCore

/// The changes of models in a transaction of a store: steps to run at its commit, and steps that undo changes on
/// failure.
package final class StoreTransactionLog {
  private var completions: [() -> Void] = []
  private var undoings: [() -> Void] = []

  /// An empty log.
  package init() {}

  func atEnd(_ completion: @escaping () -> Void) { completions.append(completion) }

  /// Adds a step that undoes something if the transaction fails.
  package func onFailure(_ undo: @escaping () -> Void) { undoings.append(undo) }

  /// Moves the log of a part of the transaction to this one, with which the part is then completed and undone.
  package func adopt(_ part: StoreTransactionLog) {
    completions += part.completions
    undoings += part.undoings
    (part.completions, part.undoings) = ([], [])
  }

  /// Completes the changes after the commit.
  package func commit() {
    for completion in completions { completion() }
  }

  /// Undoes the changes, because nothing was written.
  package func rollBack() {
    let steps = undoings
    (completions, undoings) = ([], [])
    for undo in steps.reversed() { undo() }
  }
}

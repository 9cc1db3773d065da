@_spi(ModelKitInternals) import ModelCore

/// The changes of models in a transaction of a store: steps to run at its commit, and steps that undo changes on
/// failure.
package final class StoreTransactionLog {
  private var completions: [() -> Void] = []
  private var undoings: [() -> Void] = []
  /// The log that this one was moved to. The steps may retain this one, until they ran.
  private var adopter: StoreTransactionLog?

  /// An empty log.
  package init() {}

  /// Adds a step that runs after the commit.
  package func atEnd(_ completion: @escaping () -> Void) { completions.append(completion) }

  /// Adds a step that undoes something if the transaction fails.
  package func onFailure(_ undo: @escaping () -> Void) { undoings.append(undo) }

  /// Moves the log of a part of the transaction to this one, with which the part is then completed and undone.
  package func adopt(_ part: StoreTransactionLog) {
    part.adopter = self
    completions += part.completions
    undoings += part.undoings
    (part.completions, part.undoings) = ([], [])
  }

  /// The log that completes or undoes the changes: this one, or the last one that it was moved to.
  package var current: StoreTransactionLog { adopter?.current ?? self }

  /// Completes the changes after the commit.
  package func commit() {
    let steps = completions
    // They retain models.
    (completions, undoings) = ([], [])
    for completion in steps { completion() }
  }

  /// Undoes the changes, because nothing was written.
  package func rollBack() {
    let steps = undoings
    (completions, undoings) = ([], [])
    for undo in steps.reversed() { undo() }
  }
}

@_spi(ModelKitInternals) import ModelCore

/// What happens to models in a transaction of a store: what waits for its end, and what is undone if it fails.
package final class StoreTransactionLog {
  private var completions: [() throws -> Void] = []
  private var undoings: [() -> Void] = []

  /// An empty log.
  package init() {}

  func atEnd(_ completion: @escaping () throws -> Void) { completions.append(completion) }

  /// Adds a step that undoes something if the transaction fails.
  package func onFailure(_ undo: @escaping () -> Void) { undoings.append(undo) }

  /// Takes over a part of the transaction, which is completed and undone with this one.
  package func adopt(_ part: StoreTransactionLog) {
    completions += part.completions
    undoings += part.undoings
  }

  /// Says that everything was written.
  package func commit() throws {
    for completion in completions { try completion() }
  }

  /// Says that nothing was written: the models are as they were.
  package func rollBack() {
    for undo in undoings.reversed() { undo() }
  }
}

@_spi(ModelKitInternals) import ModelCore

/// What happens to models in a transaction of a store: what waits for its end, and what is undone if it fails.
@_spi(ModelKitInternals)
public final class StoreTransactionLog {
  private var completions: [() throws -> Void] = []
  private var undoings: [() -> Void] = []

  /// An empty log.
  public init() {}

  func atEnd(_ completion: @escaping () throws -> Void) { completions.append(completion) }

  /// Adds a step that undoes something if the transaction fails.
  public func onFailure(_ undo: @escaping () -> Void) { undoings.append(undo) }

  /// Takes over a part of the transaction, which is completed and undone with this one.
  public func adopt(_ part: StoreTransactionLog) {
    completions += part.completions
    undoings += part.undoings
  }

  /// Says that everything was written.
  public func commit() throws {
    for completion in completions { try completion() }
  }

  /// Says that nothing was written: the models are as they were.
  public func rollBack() {
    for undo in undoings.reversed() { undo() }
  }
}

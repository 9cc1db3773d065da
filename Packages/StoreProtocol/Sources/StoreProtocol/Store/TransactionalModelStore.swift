/// A store that can write several models, also of several types, all or none.
///
/// ```swift
/// try await store.transaction { store in
///   try await store.create(company)
///   try await store.create(person)
/// }
/// ```
public protocol TransactionalModelStore: ModelStore {
  /// Runs `body`, and writes all that it did at its end, at once; or, if it throws, nothing.
  ///
  /// Inside, the store shows what was done so far; other instances see it when it is complete. If the body throws, or another
  /// writer has changed the same models, the models are as they were. They are not created and not saved, have their local
  /// changes, and lose the identifiers they got. Hooks such as `afterCreate` run at the end. What tasks do that were
  /// begun inside is a part of it. What other tasks do meanwhile is not, also through the same store: it is written at once.
  ///
  /// A transaction inside another one is a savepoint. If it throws, and the outer one catches the error, only the inner part
  /// is rolled back. Records and models are as they were before it, and its hooks don't run. Inner transactions that run
  /// side by side must not write the same records.
  ///
  /// What was looked up, listed or counted inside is still as it was read when the transaction is written; otherwise the code
  /// is `conflict`. So is a second read of what changed. A list or a count is changed by any write to models of its types.
  ///
  /// Before another attempt after a conflict, read the models with `refresh`, since they still have their local changes.
  ///
  /// - Returns: what the body returns.
  /// - Throws: the error of the body; ``ModelStoreError`` with the code `conflict` if another writer changed the same
  ///   models, or what the transaction read.
  @discardableResult
  func transaction<Result>(_ body: (Self) async throws -> Result) async throws -> Result
}

extension TransactionalModelStore {
  func deleteTogether<M: Model>(_ models: [M]) async throws {
    try await transaction { store in
      for model in models { try await store.delete(model) }
    }
  }
}

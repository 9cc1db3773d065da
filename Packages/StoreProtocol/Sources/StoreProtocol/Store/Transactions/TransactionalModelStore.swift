@_spi(ModelKitInternals) import ModelCore

/// A store that can write several models, of any types, atomically.
///
/// ```swift
/// try await store.transaction { store in
///   try await store.create(company)
///   try await store.create(person)
/// }
/// ```
public protocol TransactionalModelStore: ModelStore {
  /// Runs `body` as a transaction: commits all its writes together at the end, or none if it throws.
  ///
  /// Reads inside the transaction see its writes; other instances see them after the commit. Hooks such as
  /// `afterCreate` run after the commit. Calls of tasks that were created inside are part of the transaction. Calls of
  /// other tasks are not, even through the same store: they write at once.
  ///
  /// If the body throws, or another writer changed the same models, the transaction is rolled back, records and models
  /// alike. The fields of the store's models that the body edited get back the values from before the transaction.
  /// Edits from before it stay unsaved changes. Created models are new again, without assigned identifiers, and deleted
  /// ones are stored again. Edits by other tasks are kept. A new model that was not in the scope of the store before
  /// keeps its values and links.
  ///
  /// Transactions of one store instance run one after the other, in the order in which they were begun, because they
  /// share its models. So the body must not wait for another task that begins a transaction of this instance. If
  /// transactions of several instances would wait for each other, the last one throws `conflict`: repeat the outermost
  /// one.
  ///
  /// A transaction inside another one is a savepoint. If it throws, and the outer one catches the error, only the inner
  /// part is rolled back, and its hooks don't run. Several inside one run one after the other, too. Outside of an inner
  /// transaction, a write to a record that it has written throws `conflict` until it ends. If the outer one ends before
  /// the inner one, the inner one is rolled back and throws `conflict`.
  ///
  /// If another writer changed a record that was looked up, listed or counted inside, the commit throws `conflict`. A
  /// second read of such a record throws it at once. Any write to models of its types changes a list or a count.
  ///
  /// After a conflict, repeat the transaction: models that the body looks up have the stored values then.
  ///
  /// - Returns: the result of the body.
  /// - Throws: the error of the body; ``ModelStoreError`` with the code `conflict` if another writer changed the same
  ///   models, or records that the transaction read.
  @discardableResult
  func transaction<Result>(_ body: (Self) async throws -> Result) async throws -> Result
}

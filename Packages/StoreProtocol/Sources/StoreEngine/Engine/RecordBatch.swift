@_spi(ModelKitInternals) public import StoreProtocol

/// Writes that an engine commits atomically.
///
/// An engine checks and applies a batch while no other batch is written. ``validate(_:)`` makes all checks of single
/// records:
///
/// ```swift
/// func commit(_ batch: RecordBatch) throws {
///   try tables.withLock { tables in
///     try batch.validate { type, identifier in
///       tables[type]?[identifier]?.revision
///     }
///     for operation in batch.operations { tables.apply(operation) }
///     changeFeed.append(batch.changes)
///   }
///   changeFeed.deliver()
/// }
/// ```
public struct RecordBatch: Sendable {
  /// The writes, in their order. No record is written twice.
  public let operations: [RecordOperation]
  /// The reads of the committed transaction; nil outside of transactions, or if nothing was read.
  @_spi(ModelKitInternals) public let reads: TrackedReads?
  /// Whether the writes are committed together only because that is faster.
  @_spi(ModelKitInternals) public let areIndependent: Bool

  init(_ operations: [RecordOperation], after reads: TrackedReads?, areIndependent: Bool) {
    self.operations = operations
    self.reads = reads
    self.areIndependent = areIndependent
  }

  /// Returns a batch of the same transaction with further operations at its end, committed atomically with the others.
  ///
  /// An engine over another engine uses it to keep its own records.
  ///
  /// - Parameters:
  ///   - operations: replacements of the operations of the batch, on the same records.
  ///   - additions: the operations on records of the engine itself.
  /// - Complexity: O(*n*) in the number of operations.
  public func with(_ operations: [RecordOperation], adding additions: [RecordOperation]) -> RecordBatch {
    RecordBatch(operations + additions, after: reads, areIndependent: areIndependent)
  }

  /// Creates a batch outside of a transaction.
  ///
  /// - Parameter operations: the writes, in their order. No record is written twice.
  public init(_ operations: [RecordOperation]) { self.init(operations, after: nil, areIndependent: false) }

  /// Checks that the batch can be committed: the records meet the expectations of its operations, and no record that
  /// its transaction read was written since.
  ///
  /// - Parameter revision: returns the revision of a record; nil if it does not exist.
  /// - Throws: ``RecordMismatch``, or `ModelStoreError` with the code `conflict`.
  /// - Complexity: O(*n*) in the number of operations and of records that the transaction read.
  public func validate(_ revision: (_ type: String, _ identifier: String) throws -> UInt64?) throws {
    try validateReads()
    var written: Set<RecordName> = []
    for operation in operations {
      try operation.validate(try revision(operation.type, operation.identifier))
      if operations.count > 1, !written.insert(RecordName(operation.type, operation.identifier)).inserted {
        throw RecordMismatch(.exists, operation.type, operation.identifier)
      }
    }
  }

  /// Checks that no record that the transaction read was written since. For engines that check the operations
  /// themselves.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict`.
  public func validateReads() throws {
    if let conflict = reads?.conflict { throw conflict }
  }

  /// The writes as observers receive them.
  public var changes: [RecordChange] { operations.map { $0.change(replacing: $0.previousValue) } }
}

extension RecordOperation {
  /// Checks that the record meets the expectation of the operation.
  ///
  /// - Parameter revision: the revision of the record; nil if it does not exist.
  /// - Throws: ``RecordMismatch``.
  public func validate(_ revision: UInt64?) throws {
    guard let revision else {
      if operation != .create { throw RecordMismatch(.isMissing, type, identifier) }
      return
    }
    if operation == .create { throw RecordMismatch(.exists, type, identifier) }
    if let expectedRevision, expectedRevision != revision { throw RecordMismatch(.wasChanged, type, identifier) }
  }

  /// Returns the write as observers receive it.
  ///
  /// - Parameter before: the bytes of the record before; nil if they are not known.
  public func change(replacing before: [UInt8]?) -> RecordChange {
    switch operation {
    case .create: RecordChange(.created, type, identifier, after: Array(value))
    case .update: RecordChange(.updated, type, identifier, before: before, after: Array(value))
    case .delete: RecordChange(.deleted, type, identifier, before: before)
    }
  }
}

/// The error for a record that does not meet the expectation of an operation.
public struct RecordMismatch: Error {
  /// The difference.
  public enum Reason: Sendable {
    /// The record to create exists.
    case exists
    /// The record to write does not exist.
    case isMissing
    /// The record has another revision.
    case wasChanged
  }

  /// The difference.
  public let reason: Reason
  /// The type name of the model.
  public let type: String
  /// The identifier of the record.
  public let identifier: String
  /// The engine's own error, if any.
  public let cause: (any Error)?

  /// Creates the error.
  public init(_ reason: Reason, _ type: String, _ identifier: String, cause: (any Error)? = nil) {
    self.reason = reason
    self.type = type
    self.identifier = identifier
    self.cause = cause
  }

  /// The error that a caller receives outside of transactions.
  var storeError: ModelStoreError {
    var error: ModelStoreError =
      reason == .isMissing
      ? .notFound(type, identifier: identifier) : .conflict(type, identifier: identifier)
    error.cause = cause
    return error
  }

  /// The error that a caller receives at the end of a transaction.
  var transactionError: ModelStoreError {
    ModelStoreError(
      .conflict,
      """
      The transaction was not written: another writer changed \(type.nameForMessage) \
      \(identifier.quotedForMessage) meanwhile. Repeat the transaction.
      """,
      identifier: identifier, cause: cause)
  }
}

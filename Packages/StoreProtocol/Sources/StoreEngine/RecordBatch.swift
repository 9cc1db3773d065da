@_spi(ModelKitInternals) public import StoreProtocol

/// Writes that an engine commits together, all or none.
///
/// An engine checks a batch and applies it while nothing else is written. ``validate(_:)`` makes all checks that concern single
/// records:
///
/// ```swift
/// func commit(_ batch: RecordBatch) throws {
///   try tables.withLock { tables in
///     try batch.validate { type, identifier in tables[type]?[identifier]?.revision }
///     for operation in batch.operations { tables.apply(operation) }
///     changeFeed.append(batch.changes)
///   }
///   changeFeed.deliver()
/// }
/// ```
public struct RecordBatch: Sendable {
  /// The writes, in their order. No record is written twice.
  public let operations: [RecordOperation]
  /// The reads of the transaction that it is the end of; nil outside of transactions, or if nothing was read.
  @_spi(ModelKitInternals) public let reads: TrackedReads?

  init(_ operations: [RecordOperation], after reads: TrackedReads?) {
    self.operations = operations
    self.reads = reads
  }

  /// Returns a batch of the same transaction with further operations at its end, committed with the others, all or none.
  ///
  /// An engine over another engine keeps records of its own in this way.
  ///
  /// - Parameters:
  ///   - operations: the operations that replace those of the batch, on the same records.
  ///   - additions: the operations on records of the engine itself.
  /// - Complexity: O(*n*) in the number of operations.
  public func with(_ operations: [RecordOperation], adding additions: [RecordOperation]) -> RecordBatch {
    RecordBatch(operations + additions, after: reads)
  }

  /// Creates a batch outside of a transaction.
  ///
  /// - Parameter operations: the writes, in their order. No record is written twice.
  public init(_ operations: [RecordOperation]) { self.init(operations, after: nil) }

  /// Checks that the batch can be committed: records are as its operations expect them, and nothing that its transaction read
  /// was written since.
  ///
  /// - Parameter revision: returns the revision of a record; nil if it is not there.
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

  /// Checks that nothing that the transaction read was written since. An engine that checks records by itself calls this.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict`.
  public func validateReads() throws {
    if let conflict = reads?.conflict { throw conflict }
  }

  /// The writes as observers receive them.
  public var changes: [RecordChange] { operations.map { $0.change(replacing: $0.previousValue) } }
}

extension RecordOperation {
  /// Checks that the record is as the operation expects it.
  ///
  /// - Parameter revision: the revision of the record; nil if it is not there.
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

/// A record that is not as an operation expects it.
public struct RecordMismatch: Error {
  /// The difference.
  public enum Reason: Sendable {
    /// A record that is to be created is there.
    case exists
    /// A record that is to be written is not there.
    case isMissing
    /// A record has another revision.
    case wasChanged
  }

  /// The difference.
  public let reason: Reason
  /// The name of the type of the model.
  public let type: String
  /// The identifier of the record.
  public let identifier: String
  /// The error of the engine, if it has one of its own.
  public let cause: (any Error)?

  /// Describes a difference.
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
      The transaction was not written: somebody else changed \(type.nameForMessage) \
      \(identifier.quotedForMessage) meanwhile.
      """,
      identifier: identifier, cause: cause)
  }
}

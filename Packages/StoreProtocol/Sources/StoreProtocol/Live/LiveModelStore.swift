/// A store that reports its writes, so that query results can be updated live.
///
/// ```swift
/// for await people in store.observe(Person.self, where: { $0.age > 30 }) {
///   show(people.models)
/// }
/// for await batch in store.changes(of: Person.self) { print(batch.count) }
/// ```
///
/// Your own store conforms if its engine has a ``StoreChangeFeed`` and reports every write to it. Results are updated
/// from the record of a write, or listed again. They are updated incrementally if the store can also read its records.
public protocol LiveModelStore: ModelStore {
  /// The feed of the engine's writes, the same for all instances of the store.
  var changeFeed: StoreChangeFeed { get }

  /// Whether ``readRecords(of:_:)`` and ``readRecord(of:identifier:)`` return records. Otherwise live results are
  /// listed again after a write whose record does not suffice to update them.
  var canReadRecords: Bool { get }

  /// Reads the stored records of a type, in the order of creation, without writes of open transactions.
  ///
  /// - Parameters:
  ///   - typeName: the type name.
  ///   - body: receives the records in batches.
  /// - Returns: the ``StoreChangeFeed/position`` whose writes the records contain exactly; nil if it is unknown because
  ///   of concurrent writes.
  /// - Throws: ``ModelStoreError``, and the errors of the body.
  func readRecords(of typeName: String, _ body: ([StoredRecord]) async throws -> Void) async throws -> UInt64?

  /// Returns a stored record, without writes of open transactions; nil if there is none.
  ///
  /// - Throws: ``ModelStoreError``.
  func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord?

  /// Handles a record of a live result that can't be read as a model: throws the error, or returns to skip the record.
  /// By default it throws.
  func skip(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws

  /// Called when a class is used for the first time.
  @_spi(ModelKitInternals)
  func beginUse<M: Model>(of type: M.Type)
}

extension LiveModelStore {
  /// Does nothing.
  @_spi(ModelKitInternals)
  public func beginUse<M: Model>(of type: M.Type) {}

  /// Throws the error.
  public func skip(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws { throw error }

  /// The default: the store returns no records.
  public var canReadRecords: Bool { false }

  /// Returns no records.
  public func readRecords(
    of typeName: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? { nil }

  /// Returns no records.
  public func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord? { nil }
}

/// A stored record.
///
/// ```swift
/// let record = StoredRecord(
///   "10", Array(#"{"id": 10, "name": "Ada"}"#.utf8), order: 1)
/// ```
public struct StoredRecord: Sendable {
  /// The identifier of the model.
  public let identifier: String
  /// The bytes of one JSON object.
  public let bytes: [UInt8]
  /// The position in the order of creation: a number that increases with each record of a type and stays the same.
  public let order: UInt64
  /// The revision, which differs after each write to the record; 0 if the store has no revisions.
  public let revision: UInt64

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - identifier: the identifier of the model.
  ///   - bytes: the bytes of one JSON object.
  ///   - order: a number that increases with each creation of a record of the type.
  ///   - revision: a number that differs after each write to the record.
  public init(_ identifier: String, _ bytes: [UInt8], order: UInt64, revision: UInt64 = 0) {
    self.revision = revision
    self.identifier = identifier
    self.bytes = bytes
    self.order = order
  }
}

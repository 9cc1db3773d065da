/// A store that reports its writes, so that results can be kept up to date.
///
/// ```swift
/// for await people in store.observe(Person.self, where: { $0.age > 30 }) { show(people.models) }
/// for await batch in store.changes(of: Person.self) { print(batch.count) }
/// ```
///
/// A store of your own conforms if its engine has a ``StoreChangeFeed`` and reports every write to it. Results are updated
/// from the record of a write, or listed again. One that can also go through its records has them kept incrementally.
public protocol LiveModelStore: ModelStore {
  /// The feed of the engine's writes, the same for all instances of the store.
  var changeFeed: StoreChangeFeed { get }

  /// Whether ``readRecords(of:_:)`` and ``readRecord(of:identifier:)`` give records. Where they don't, live results are
  /// listed again after a write whose record does not suffice to update them.
  var canReadRecords: Bool { get }

  /// Goes through what is stored of a type, in the order of creation, without what a transaction under way did.
  ///
  /// - Parameters:
  ///   - typeName: what stores call the type.
  ///   - body: gets the records in parts.
  /// - Returns: the ``StoreChangeFeed/position`` up to which the records have exactly everything; nil if that is unknown,
  ///   because there were writes meanwhile.
  /// - Throws: ``ModelStoreError``, and what the body throws.
  func readRecords(of typeName: String, _ body: ([StoredRecord]) async throws -> Void) async throws -> UInt64?

  /// A record as it is stored, without what a transaction under way did; nil if there is none.
  ///
  /// - Throws: ``ModelStoreError``.
  func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord?

  /// Decides about a record of a live result that can't be read as a model: throws the error, or returns to leave the record
  /// out. It throws unless a store implements it.
  func skip(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws
}

extension LiveModelStore {
  /// Throws the error.
  public func skip(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws { throw error }

  /// Records are not given.
  public var canReadRecords: Bool { false }

  /// Gives nothing.
  public func readRecords(
    of typeName: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? { nil }

  /// Gives nothing.
  public func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord? { nil }
}

/// One record as it is stored.
///
/// ```swift
/// let record = StoredRecord("10", Array(#"{"id": 10, "name": "Ada"}"#.utf8), order: 1)
/// ```
public struct StoredRecord: Sendable {
  /// The identifier of the model.
  public let identifier: String
  /// The bytes of one JSON object.
  public let bytes: [UInt8]
  /// Rises from record to record of a type in the order of their creation, and is the same as long as a record is there.
  public let order: UInt64
  /// Another number after each write to the record; 0 if the store has none.
  public let revision: UInt64

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - identifier: the identifier of the model.
  ///   - bytes: the bytes of one JSON object.
  ///   - order: what rises with each creation of a record of the type.
  ///   - revision: another number after each write to the record.
  public init(_ identifier: String, _ bytes: [UInt8], order: UInt64, revision: UInt64 = 0) {
    self.revision = revision
    self.identifier = identifier
    self.bytes = bytes
    self.order = order
  }
}

public import ModelCore
@_spi(ModelKitInternals) public import StoreProtocol

/// A place that keeps records, and that any number of store instances share: the part of a store that differs from store to
/// store. ``RecordStore`` is the rest.
///
/// A record has the name of its type, an identifier, the bytes of one JSON object, a revision, and a position in the order of
/// creation. Identifiers are compared byte by byte.
///
/// ```swift
/// final class MyStore: RecordStore<MyEngine>, TransactionalModelStore {}
/// let store = MyStore(MyEngine())
/// ```
///
/// Five requirements have no default. The others tell a store what the engine can do better.
public protocol RecordEngine: AnyObject, Sendable {
  /// All records as of one moment.
  associatedtype Snapshot: RecordSnapshot

  /// The feed of the commits, for live results.
  var changeFeed: StoreChangeFeed { get }

  /// The transactions under way. It is read at the beginning of each, which may open the engine.
  var conflictTrackers: ConflictTrackers { get async throws }

  /// Returns all records as they are now: later commits do not show in it.
  ///
  /// - Parameter pinned: whether all of it stays readable, whatever the engine removes meanwhile. Without it a read may throw
  ///   ``SnapshotIsGone``.
  /// - Throws: `ModelStoreError`.
  func snapshot(pinned: Bool) async throws -> Snapshot

  /// Commits a batch: all of it or nothing.
  ///
  /// - Throws: what ``RecordBatch/validate(_:)`` throws, or `ModelStoreError`.
  func commit(_ batch: RecordBatch) async throws

  /// Returns an integer that no record of a type has as its identifier, nor had, nor gets from another call; nil if there is
  /// none left.
  func nextInteger(for type: String) async throws -> Int?

  // MARK: With a default

  /// Commits a batch as ``commit(_:)`` does, for an engine that gives records other values than were written, such as defaults.
  ///
  /// By default it calls ``commit(_:)`` and returns nothing.
  ///
  /// - Returns: the operations whose records may have other values, with the values that they have now. Models read them.
  func commitCompleting(_ batch: RecordBatch) async throws -> [RecordOperation]

  /// Returns a record as it is now; nil if there is none. By default it is read from a snapshot.
  func read(_ type: String, _ identifier: String) async throws -> StoredRecord?

  /// Returns all records as they are when they are read, for queries that read only one selection. By default it is a
  /// snapshot.
  func current() async throws -> Snapshot

  /// Goes through the records of a type in the order of their creation: see `LiveModelStore`. By default those of a snapshot.
  func readRecords(
    of type: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64?

  /// Returns the state of a type, so that records that did not change are not read again. By default there is none.
  ///
  /// - Throws: `ModelStoreError` for a name that the engine can't use.
  func writeState(of type: String) async throws -> WriteState?

  /// Notes the commits of other processes in ``conflictTrackers``, so that a transaction knows all of them before it reads. By
  /// default there is no other process.
  func followCommits() async throws

  /// Keeps an index of a field if the engine has indexes and can have one of it. By default it has none.
  func keepIndex(_ type: String, _ field: StoredKeyPath) async throws

  /// The treatment of unreadable records by calls that read several. By default such a call throws.
  var unreadable: UnreadableRecords { get }

  /// Returns the report about a record that can't be read and is left out. By default it has no file.
  func unreadableRecord(
    _ type: String, _ identifier: String, _ error: ModelStoreError
  ) async throws -> UnreadableRecord

  /// Whether the engine answers and commits at once, so that no other task of the caller's isolation runs meanwhile. By default
  /// it does not.
  var answersImmediately: Bool { get }

  /// Returns a record as ``read(_:_:)`` does, if the engine can answer at once; by default it can't.
  func readImmediately(_ type: String, _ identifier: String) throws -> ImmediateAnswer<StoredRecord?>

  /// Commits a batch as ``commit(_:)`` does, if the engine can do so at once.
  ///
  /// - Returns: false if it can't, which is the default; nothing was done then.
  func commitImmediately(_ batch: RecordBatch) throws -> Bool
}

/// The answer of an engine that may have to wait.
public enum ImmediateAnswer<Value> {
  /// The answer.
  case answer(Value)
  /// The engine has to wait for something, so the asynchronous call is needed.
  case needsWaiting
}

/// The records of an engine as of one moment.
public protocol RecordSnapshot: Sendable {
  /// The place of a record, as an engine with indexes finds it.
  associatedtype Place: Sendable = Never

  /// Returns a record; nil if there is none.
  func record(_ type: String, _ identifier: String) async throws -> StoredRecord?

  /// Returns records of a type in the order of their creation.
  ///
  /// - Parameters:
  ///   - type: the name of the type.
  ///   - order: the position after which they begin; 0 for the beginning.
  ///   - limit: the number that is enough. More or fewer may be returned.
  func records(_ type: String, after order: UInt64, atMost limit: Int) async throws -> RecordPart

  /// Returns the number of records of a type.
  func count(_ type: String) async throws -> Int

  // MARK: With a default

  /// The list in which positions are numbers: another one has others. It is the same for all snapshots of an engine by default.
  var epoch: Int { get }

  /// Returns the position of the last of the first records of a type; nil, which is the default, if that takes as long as to
  /// read them.
  func order(ofLast count: Int, of type: String) -> UInt64?

  /// Returns where a record is in the order of creation.
  func order(of identifier: String, _ type: String) async throws -> UInt64?

  /// The indexes of a type. By default there are none.
  func indexes(of type: String) -> RecordIndexes<Place>?

  /// Returns the records that a query may find, if the engine can select them by itself; nil, which is the default, if the
  /// store has to read all.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - order: the position in the order of creation after which the records are; 0 for all. A sorted query has 0.
  ///   - context: the transformers of values, and the spelling of keys.
  /// - Throws: `ModelStoreError` with the code `unsupported` for a condition that the engine has to answer and can't.
  func select<M: Model>(
    _ query: ModelQuery<M>, after order: UInt64, in context: ValueTransformerContext
  ) async throws -> SelectedRecords?

  /// Returns how many records a query finds without its offset and limit, if the engine can count them by itself.
  ///
  /// By default it returns nil, and the store reads the records.
  ///
  /// - Throws: `ModelStoreError` as ``select(_:after:in:)`` does.
  func count<M: Model>(_ query: ModelQuery<M>, in context: ValueTransformerContext) async throws -> Int?
}

/// The records that an engine selected for a query, all as of one moment.
public struct SelectedRecords: Sendable {
  /// The records, in any order.
  public var records: [StoredRecord]
  /// Whether the condition of the query holds for all of them, so that none has to be tested.
  public var isExact: Bool

  /// Creates a selection.
  ///
  /// - Parameters:
  ///   - records: the records. All that the query finds before its offset and limit end the list are among them.
  ///   - isExact: whether the condition of the query holds for all of them.
  public init(_ records: [StoredRecord], isExact: Bool) {
    self.records = records
    self.isExact = isExact
  }
}

/// A snapshot can't be read any more because the engine removed a part of it: a pinned one is needed.
public struct SnapshotIsGone: Error {
  /// Creates the error.
  public init() {}
}

/// Some records of one type, in the order of their creation.
public struct RecordPart: Sendable {
  /// The records.
  public var records: [StoredRecord]
  /// The position after which the next part begins; nil if there are no more records.
  public var next: UInt64?
  /// The errors about records that can't be read, with their identifiers.
  public var unreadable: [(identifier: String, error: ModelStoreError)] = []

  /// Creates a part.
  public init(_ records: [StoredRecord], next: UInt64?) {
    self.records = records
    self.next = next
  }
}

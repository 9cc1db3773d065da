public import ModelCore
@_spi(ModelKitInternals) public import StoreProtocol

/// The storage of a store: it keeps records, and is shared by any number of store instances. ``RecordStore`` implements
/// the rest of a store.
///
/// A record has a type name, an identifier, the bytes of one JSON object, a revision, and a position in the order of
/// creation. Identifiers are compared byte by byte. Each write gives a record another revision. A record that is
/// created again after its deletion gets a revision that it never had before.
///
/// ```swift
/// final class MyStore: RecordStore<MyEngine>, TransactionalModelStore {}
/// let store = MyStore(MyEngine())
/// ```
///
/// Five requirements have no default. Implement the others if your engine can do them faster.
public protocol RecordEngine: AnyObject, Sendable {
  /// A snapshot of all records.
  associatedtype Snapshot: RecordSnapshot

  /// The feed of the commits, for live results.
  var changeFeed: StoreChangeFeed { get }

  /// The trackers of the open transactions. It is read at the beginning of each transaction, which may open the engine.
  var conflictTrackers: ConflictTrackers { get async throws }

  /// Returns a snapshot of all records, which later commits don't change.
  ///
  /// A stream holds a pinned snapshot until it ends or is released, however long its loop takes.
  ///
  /// - Parameter pinned: whether the whole snapshot stays readable until it is released. Without it a read may throw
  ///   ``SnapshotExpired``.
  /// - Throws: `ModelStoreError`.
  func snapshot(pinned: Bool) async throws -> Snapshot

  /// Commits a batch atomically.
  ///
  /// - Throws: the errors of ``RecordBatch/validate(_:)``, or `ModelStoreError`.
  func commit(_ batch: RecordBatch) async throws

  /// Returns an unused integer identifier: no record of a type has it or had it, and no other call returns it. Nil if
  /// there is none left.
  func nextInteger(for type: String) async throws -> Int?

  // MARK: With a default

  /// Commits a batch as ``commit(_:)`` does, for an engine that gives records other values than were written, such as
  /// defaults.
  ///
  /// By default it calls ``commit(_:)`` and returns nothing.
  ///
  /// - Returns: the operations whose records have other values than were written. Each has an object of these values,
  ///   which models read.
  func commitCompleting(_ batch: RecordBatch) async throws -> [RecordOperation]

  /// Returns a record as it is now; nil if there is none. By default it is read from a snapshot.
  func read(_ type: String, _ identifier: String) async throws -> StoredRecord?

  /// Returns the current records without isolation from later commits, for queries that read only once. By default it
  /// is a snapshot.
  func current() async throws -> Snapshot

  /// Reads the records of a type in the order of their creation: see `LiveModelStore`. By default it reads a snapshot.
  func readRecords(
    of type: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64?

  /// Returns the names of the types that have records, in any order. By default it returns nil: the engine can't list
  /// them, or its records must not be deleted all at once.
  func typeNames() async throws -> [String]?

  /// Returns the write state of a type, so that unchanged records are not read again. By default there is none.
  ///
  /// - Throws: `ModelStoreError` for a name that the engine can't use.
  func writeState(of type: String) async throws -> WriteState?

  /// Records the commits of other processes in ``conflictTrackers``, before a transaction reads. By default no other
  /// process writes.
  func followCommits() async throws

  /// Maintains an index of a field, if the engine supports it. By default it has no indexes.
  func ensureIndex(_ type: String, _ field: StoredKeyPath) async throws

  /// The treatment of unreadable records by calls that read several. By default such a call throws.
  var unreadable: UnreadableRecords { get }

  /// Returns the report about a record that can't be read and is left out. By default it has no file.
  func unreadableRecord(
    _ type: String, _ identifier: String, _ error: ModelStoreError
  ) async throws -> UnreadableRecord

  /// Whether the engine answers and commits at once, so that no other task of the caller's isolation runs meanwhile. By
  /// default it does not.
  var readsImmediately: Bool { get }

  /// Returns a record as ``read(_:_:)`` does, if the engine can read it without waiting; by default it can't.
  func readImmediately(_ type: String, _ identifier: String) throws -> ImmediateResult<StoredRecord?>

  /// Returns a record as ``read(_:_:)`` does, even if that blocks the thread for the time of a read from a disk. It is
  /// called where a reference to a model of a hierarchy is created, whose class depends on the record.
  ///
  /// - Returns: nil if there is none, and by default if ``readImmediately(_:_:)`` has to wait. The reference then has
  ///   the class of its relation.
  func readBlocking(_ type: String, _ identifier: String) throws -> StoredRecord?

  /// Commits a batch as ``commit(_:)`` does, if the engine can do so without waiting.
  ///
  /// - Returns: `false`, the default, if it can't; nothing was done then.
  func commitImmediately(_ batch: RecordBatch) throws -> Bool
}

/// The result of a read without waiting.
public enum ImmediateResult<Value> {
  /// The value that was read without waiting.
  case answer(Value)
  /// The engine has to wait: use the asynchronous call.
  case needsWaiting
}

/// A snapshot of the records of an engine.
public protocol RecordSnapshot: Sendable {
  /// The location of a record in an engine with indexes.
  associatedtype Location: Sendable = Never

  /// Returns a record; nil if there is none.
  func record(_ type: String, _ identifier: String) async throws -> StoredRecord?

  /// Returns records of a type in the order of their creation.
  ///
  /// - Parameters:
  ///   - type: the name of the type.
  ///   - order: the position after which the records begin; 0 for the beginning.
  ///   - limit: the requested number. More or fewer may be returned.
  func records(_ type: String, after order: UInt64, atMost limit: Int) async throws -> RecordPart

  /// Returns the number of records of a type.
  func count(_ type: String) async throws -> Int

  // MARK: With a default

  /// Returns the records of a type with any of some identifiers, in any order. Missing ones are left out.
  ///
  /// By default each is read by ``record(_:_:)``. An engine for which each read is a request reads them together.
  ///
  /// - Parameters:
  ///   - type: the name of the type.
  ///   - identifiers: the identifiers, each once.
  func records(_ type: String, identifiers: [String]) async throws -> RecordPart

  /// The epoch of positions: numbers of different epochs can't be compared. By default all snapshots have the same
  /// epoch.
  var epoch: Int { get }

  /// Returns the position of the last of the first `count` records of a type; nil, the default, if that takes as long
  /// as reading them.
  func order(ofLast count: Int, of type: String) -> UInt64?

  /// Returns the position of a record in the order of creation.
  func order(of identifier: String, _ type: String) async throws -> UInt64?

  /// Returns the indexes of a type. By default there are none.
  func indexes(of type: String) -> RecordIndexes<Location>?

  /// Returns the records that a query may match, if the engine can select them; nil, the default, if the store has to
  /// read all records.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - start: the position in the order of the query after which the records are; nil for all.
  ///   - context: the transformers of values, and the spelling of keys.
  /// - Throws: `ModelStoreError` with the code `unsupported` for a condition that the engine has to answer and can't.
  func select<M: Model>(
    _ query: ModelQuery<M>, after start: SelectionStart?, in context: ValueTransformerContext
  ) async throws -> SelectedRecords?

  /// Begins to read the records that a query may match, in the order of the query. A stream then needs memory for few of
  /// them. By default it returns nil, and the store reads all records before it sorts them.
  ///
  /// - Parameters:
  ///   - query: a sorted query without limit and offset.
  ///   - context: the transformers of values, and the spelling of keys.
  /// - Returns: the cursor; nil if the engine can't sort by these criteria.
  /// - Throws: `ModelStoreError` as ``select(_:after:in:)`` does.
  func cursor<M: Model>(
    _ query: ModelQuery<M>, in context: ValueTransformerContext
  ) async throws -> (any RecordCursor)?

  /// Returns the number of records that a query matches, without its offset and limit, if the engine can count them.
  ///
  /// By default it returns nil, and the store reads the records.
  ///
  /// - Throws: `ModelStoreError` as ``select(_:after:in:)`` does.
  func count<M: Model>(_ query: ModelQuery<M>, in context: ValueTransformerContext) async throws -> Int?

  /// Returns the first record that a query finds, if the engine finds it without reading the others for the store.
  ///
  /// By default it returns nil, and the store reads the records.
  ///
  /// - Parameters:
  ///   - query: a sorted query with the limit 1.
  ///   - context: the transformers of values, and the spelling of keys.
  /// - Returns: the record or none; nil if the engine can't evaluate all of the query.
  func first<M: Model>(_ query: ModelQuery<M>, in context: ValueTransformerContext) async throws -> SelectedRecords?

  /// Returns values of groups of the records that a query finds.
  ///
  /// By default it returns nil, and the store reads the records.
  ///
  /// - Parameters:
  ///   - aggregation: the keys of the groups, and their values.
  ///   - query: an unsorted query without limit and offset.
  ///   - context: the transformers of values, and the spelling of keys.
  /// - Returns: the groups, in the order in which the first record of each was created. Without keys there is one, even
  ///   of no records. Nil if the engine can't evaluate all of the query, or calculates in another way than the store.
  func aggregate<M: Model>(
    _ aggregation: RecordAggregation, _ query: ModelQuery<M>, in context: ValueTransformerContext
  ) async throws -> [RecordAggregation.Group]?

  /// Returns the statement that ``select(_:after:in:)`` sends to a database, without values; nil, the default, if there
  /// is none.
  ///
  /// - Throws: `ModelStoreError` as ``select(_:after:in:)`` does.
  func statement<M: Model>(for query: ModelQuery<M>, in context: ValueTransformerContext) async throws -> String?

  /// Returns the plan of a database for that statement, in its own words and without values; nil, the default, if it
  /// has none. The statement is not executed.
  ///
  /// - Throws: `ModelStoreError` as ``select(_:after:in:)`` does.
  func databasePlan<M: Model>(for query: ModelQuery<M>, in context: ValueTransformerContext) async throws -> String?
}

/// A reader of the records of a snapshot in the order of a query.
public protocol RecordCursor: Sendable {
  /// Returns the next records in the order of the query; no records at the end.
  ///
  /// - Parameter limit: the largest number of records.
  /// - Returns: nil if a record has a value that the engine can't compare. The store then reads all records.
  func next(atMost limit: Int) async throws -> SelectedRecords?
}

/// The position in the order of a query after which an engine selects records: that of a record, which can have been
/// deleted since.
public struct SelectionStart: Sendable {
  /// The record's values of the sort criteria, as records have them. An unsorted query has none.
  public var values: [JSONValue]
  /// The record's position in the order of creation, which decides among records with the same values; 0 for the
  /// beginning.
  public var order: UInt64
  /// Whether a part of the records is enough: of an unsorted query, the next ones in the order of creation. They are as
  /// many as the limit of the query, whether or not the condition holds for them.
  public var allowsPart: Bool

  /// Creates a position.
  ///
  /// - Parameters:
  ///   - values: the record's values of the sort criteria.
  ///   - order: the record's position in the order of creation.
  ///   - allowsPart: whether a part of the records is enough.
  public init(values: [JSONValue] = [], order: UInt64, allowsPart: Bool = false) {
    self.values = values
    self.order = order
    self.allowsPart = allowsPart
  }
}

/// The records, all from one snapshot, that an engine selected for a query.
public struct SelectedRecords: Sendable {
  /// The records, in any order.
  public var records: [StoredRecord]
  /// Whether the condition of the query holds for all records, so that none has to be tested.
  public var isExact: Bool
  /// The number of matches that the engine left out at the beginning of the order, as a part of the query's offset.
  public var skippedCount: Int
  /// The position after which the next part begins; nil if there are no more records. Only a start with `allowsPart`
  /// allows parts.
  public var next: UInt64?

  /// Creates a selection.
  ///
  /// - Parameters:
  ///   - records: the records. They include all matches after the skipped ones, up to the end that offset and limit
  ///     define. Those of a sorted query may include records at and before the start.
  ///   - isExact: whether the condition of the query holds for all records.
  ///   - skippedCount: the number of matches that were left out at the beginning of the order.
  ///   - next: the position after which the next part begins; nil if there are no more records.
  public init(_ records: [StoredRecord], isExact: Bool, skippedCount: Int = 0, next: UInt64? = nil) {
    self.records = records
    self.isExact = isExact
    self.skippedCount = skippedCount
    self.next = next
  }
}

/// The error for a snapshot of which the engine removed a part. Read a pinned snapshot instead.
public struct SnapshotExpired: Error {
  /// Creates the error.
  public init() {}
}

/// Some records of one type, in the order of their creation.
public struct RecordPart: Sendable {
  /// The records.
  public var records: [StoredRecord]
  /// The position after which the next part begins; nil if there are no more records.
  public var next: UInt64?
  /// The errors of records that can't be read, with their identifiers.
  public var unreadable: [(identifier: String, error: ModelStoreError)] = []

  /// Creates a part.
  public init(_ records: [StoredRecord], next: UInt64?) {
    self.records = records
    self.next = next
  }
}

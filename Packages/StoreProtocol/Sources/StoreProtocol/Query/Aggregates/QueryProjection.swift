@_spi(ModelKitInternals) import FieldKit

/// The values of some columns in the records that a query finds, for a query that needs no models.
///
/// A query can restart, for example if the engine removed a part of the snapshot that was read. `begin` is called at
/// each start.
@_spi(ModelKitInternals)
public final class QueryProjection {
  let paths: [QueryPath]
  private let restart: () -> Void
  private let receive: ([JSONValue]) throws -> Void
  /// Checks the values of one record that `receive` gets at the end of the query.
  private let checkRow: ([JSONValue]) throws -> Void
  /// Receives whole columns, the numbers of the found records (nil for all), and the number of all records. Nil if rows
  /// are needed.
  let fold: (([ValueColumn], [Int32]?, Int) throws -> Void)?
  /// The rows, by the places of the records; empty if the rows are streamed.
  private var rows: [[JSONValue]] = []
  private var isStreamed = false
  /// The part of an index that has the result of the query.
  package internal(set) var shortcut: IndexShortcut?
  /// The values that an engine can calculate instead; nil if those of records are needed.
  package internal(set) var aggregation: RecordAggregation?
  /// Receives the groups that an engine calculated instead of the records.
  var receiveGroups: ([RecordAggregation.Group]) throws -> Void = { _ in }

  /// Creates a projection.
  ///
  /// - Parameters:
  ///   - paths: the columns.
  ///   - restart: discards everything that was received.
  ///   - check: throws if the values of a record can't be received.
  ///   - receive: receives the values of one record, in the order of the query.
  ///   - fold: receives whole columns instead.
  init(
    _ paths: [QueryPath], restart: @escaping () -> Void, check: @escaping ([JSONValue]) throws -> Void,
    receive: @escaping ([JSONValue]) throws -> Void,
    fold: (([ValueColumn], [Int32]?, Int) throws -> Void)? = nil
  ) {
    self.fold = fold
    self.paths = paths
    self.restart = restart
    checkRow = check
    self.receive = receive
  }

  /// Returns a projection that discards the values, which can be in columns.
  static func discarding(_ paths: [QueryPath]) -> QueryProjection {
    QueryProjection(paths) {
    } check: { _ in
    } receive: { _ in
    } fold: { _, _, _ in
    }
  }

  /// Discards all rows at the start of a query.
  ///
  /// - Parameter isStreamed: whether the records are found in the order of the query, and none of them is left out.
  func begin(isStreamed: Bool) {
    self.isStreamed = isStreamed
    rows = []
    restart()
  }

  /// Checks the values of a record before it is among the found ones. Streamed ones are checked when they are received.
  func check(_ row: [JSONValue]) throws {
    if !isStreamed { try checkRow(row) }
  }

  func put(_ row: [JSONValue], at place: Int) throws {
    if isStreamed { try receive(row) } else { rows.put(row, at: place) }
  }

  /// Passes the rows that were not streamed to the receiver.
  ///
  /// - Parameter places: the places of the found records, in the order of the query.
  func finish(_ places: [Int]) throws {
    guard !isStreamed else { return }
    for place in places { try receive(rows[place]) }
    rows = []
  }

  /// Passes groups to the receiver, in place of all records.
  ///
  /// - Throws: ``ModelStoreError`` if a type can't hold a value.
  package func take(_ groups: [RecordAggregation.Group]) throws {
    begin(isStreamed: true)
    try receiveGroups(groups)
  }

  /// Passes the number of different values to the receiver, in place of all records.
  package func take(distinctCount: Int) throws { try take([.init(key: [], values: [(.null, distinctCount)])]) }

  /// Passes the values of a live model to the receiver.
  func take(_ row: [JSONValue]) throws { try receive(row) }
}

/// A store that reads the columns of records without creating models.
@_spi(ModelKitInternals)
public protocol ProjectingModelStore: ModelStore {
  /// Runs a query whose result is the values of some columns, and reports how the records were found.
  ///
  /// - Throws: ``ModelStoreError`` as ``ModelStore/list(_:)`` does, and errors of the receiver.
  @discardableResult
  func run<M: Model>(_ query: ModelQuery<M>, into projection: QueryProjection) async throws -> QueryReport
}

@_spi(ModelKitInternals)
extension ModelStore {
  /// Runs a query whose result is the values of some columns, and reports how the records were found.
  @discardableResult
  public func project<M: Model>(
    _ query: ModelQuery<M>, _ projection: QueryProjection
  ) async throws -> QueryReport {
    if let store = self as? any ProjectingModelStore { return try await store.run(query, into: projection) }
    let program = try QueryProgram(query, in: scope.transformers, isForRecords: false, projection: projection)
    let models = try await list(query, includingColumns: program.relationsOfColumns)
    projection.begin(isStreamed: true)
    for model in models { try projection.take(program.projectedValues(of: model)) }
    return .listing(models.count)
  }
}

extension ModelStore {
  /// Lists models with the related models at some paths.
  func list<M: Model>(_ query: ModelQuery<M>, includingColumns paths: [QueryPath]) async throws -> [M] {
    if paths.isEmpty { return try await list(query) }
    return try await list(query, including: paths.map { path in { _ in ColumnRelation(path: path) } })
  }
}

/// The relations on the path of a column.
private struct ColumnRelation: IncludedRelation {
  let path: QueryPath
}

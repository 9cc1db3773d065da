@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) package import StoreProtocol

/// A record that a query found.
@_spi(ModelKitInternals)
public typealias FoundRecord = (identifier: String, value: [UInt8])

/// The error of a query that has to read all records from one snapshot, and was run without.
struct SnapshotIsNeeded: Error {}

/// The related records that a query has read so far. The test of a record can't suspend: it collects the missing
/// related records. These are read, and the record is tested again.
final class QueryMemory<Snapshot: RecordSnapshot> {
  struct Join: Hashable {
    let relatedClass: ObjectIdentifier
    let condition: QueryExpression
  }

  var related: [String: [ExactText: [UInt8]?]] = [:]
  var joined: [Join: [[UInt8]]] = [:]
  var missingJoin: (relatedClass: ModelObject.Type, condition: QueryExpression)?
  /// Whether the values of found records are kept, and not only their identifiers.
  var keepsValues = true
  /// The records that are read.
  let records: Snapshot
  /// Whether all of them are from one snapshot.
  let isSnapshot: Bool
  /// The position of the tracker of the open transaction, before the snapshot.
  let position: UInt64?
  /// The requested page.
  let page: PageRequest?

  init(_ records: Snapshot, isSnapshot: Bool, after position: UInt64?, _ page: PageRequest?) {
    self.records = records
    self.isSnapshot = isSnapshot
    self.position = position
    self.page = page
  }

  func record(of modelClass: ModelObject.Type, _ identifier: String) throws -> [UInt8]? {
    guard let known = related[modelClass.typeName]?[ExactText(identifier)] else {
      throw MissingRelatedRecord(typeName: modelClass.typeName, identifier: identifier)
    }
    return known
  }

  /// Returns whether the record of a related model was read, even if there is none.
  func hasRead(_ record: MissingRelatedRecord) -> Bool {
    related[record.typeName]?[ExactText(record.identifier)] != nil
  }

  func records(of relatedClass: ModelObject.Type, where condition: QueryExpression) throws -> [[UInt8]] {
    if let known = joined[Join(relatedClass: ObjectIdentifier(relatedClass), condition: condition)] { return known }
    missingJoin = (relatedClass, condition)
    throw MissingRelatedRecord(typeName: relatedClass.typeName, identifier: "")
  }
}

/// A record that a query has to test inside a transaction.
struct QueryCandidate<Location: Sendable> {
  let identifier: String
  let order: UInt64
  /// Its index match, from which it can be read; nil if the transaction wrote it.
  let stored: IndexedRecord<Location>?
  /// The value that the transaction wrote, or that was read already.
  let written: [UInt8]?

  init(_ record: IndexedRecord<Location>) {
    (identifier, order, stored, written) = (record.identifier, record.order, record, nil)
  }

  init(_ record: StoreTransaction.WrittenRecord, order: UInt64) {
    (identifier, self.order, stored, written) = (record.identifier, order, nil, record.bytes)
  }

  init(_ record: FoundRecord, order: UInt64) {
    (identifier, self.order, stored, written) = (record.identifier, order, nil, record.value)
  }
}

/// The records that a query has found so far.
struct FoundRecords<M: Model> {
  let run: QueryRun<M>
  let plan: QueryPlan
  private(set) var testedCount = 0
  private var found: [(record: FoundRecord, order: Int)] = []

  init(_ run: QueryRun<M>, _ plan: QueryPlan) {
    self.run = run
    self.plan = plan
  }

  /// Tests the next record. Where that throws, it can be tested again.
  mutating func take(_ record: FoundRecord, at order: Int, keepsValue: Bool) throws {
    let place = try run.take(record.value, at: order).place
    if let place, !run.isProjected {
      found.put((keepsValue ? record : (record.identifier, []), order), at: place)
    }
    testedCount += 1
  }

  /// Returns the records in the order of the query, with their positions in the order of creation.
  func sorted() -> [(record: FoundRecord, order: Int)] { run.finish().map { found[$0] } }

  /// Returns the result without the parts that a page needs. The rows of a projection are passed to it instead.
  func plain() throws -> QueryResult {
    if let count = try run.finishProjection() {
      return QueryResult(records: [], plan: plan, testedCount: testedCount, matchCount: count)
    }
    let places = run.finish()
    return QueryResult(
      records: places.map { found[$0].record }, plan: plan, testedCount: testedCount, matchCount: places.count)
  }
}

/// The records that a query finds, and its plan.
package struct QueryResult {
  /// The records in the order of the query.
  let records: [FoundRecord]
  let plan: QueryPlan
  let testedCount: Int
  let matchCount: Int

  /// Returns the report of the executed query.
  package func report<M: Model>(on query: ModelQuery<M>) -> QueryReport {
    let isTested = query.filter != nil && !plan.isExact
    return QueryReport(
      plan: plan, testedCount: isTested ? testedCount : 0, readCount: testedCount, matchCount: matchCount)
  }
}

/// The result of reading records in the order of an index.
enum OrderedResult<M: Model> {
  case found(FoundRecords<M>)
  /// More records have to be read in the order of the index.
  case needsMore
  /// The matches are so rare in the order of the index that reading all records costs less.
  case takesTooLong
}

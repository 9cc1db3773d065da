@_spi(ModelKitInternals) import StoreProtocol

/// A record that a query found.
typealias FoundRecord = (identifier: String, value: [UInt8])

/// The related records that a query has read so far. The check of a record can't wait for them: it notes the missing ones,
/// which are read, and the record is checked again.
final class QueryMemory {
  struct Join: Hashable {
    let relatedClass: ObjectIdentifier
    let condition: QueryExpression
  }

  var related: [String: [ExactText: [UInt8]?]] = [:]
  var joined: [Join: [[UInt8]]] = [:]
  var missingJoin: (relatedClass: ModelObject.Type, condition: QueryExpression)?

  /// The moment of which all records are; nil as long as those of one selection are enough.
  let moment: JournalContents?

  /// The position of the watch of the transaction under way, before the moment.
  let position: UInt64?

  /// The page that is asked for.
  let page: FilePage?

  init(at moment: JournalContents?, after position: UInt64?, _ page: FilePage?) {
    self.moment = moment
    self.position = position
    self.page = page
  }

  func record(of modelClass: ModelObject.Type, _ identifier: String) throws -> [UInt8]? {
    guard let known = related[modelClass.typeName]?[ExactText(identifier)] else {
      throw RelatedRecordIsMissing(typeName: modelClass.typeName, identifier: identifier)
    }
    return known
  }

  func records(of relatedClass: ModelObject.Type, where condition: QueryExpression) throws -> [[UInt8]] {
    if let known = joined[Join(relatedClass: ObjectIdentifier(relatedClass), condition: condition)] { return known }
    missingJoin = (relatedClass, condition)
    throw RelatedRecordIsMissing(typeName: relatedClass.typeName, identifier: "")
  }
}

/// A record that a query has to look at inside a transaction.
struct Candidate {
  let identifier: String
  let ordinal: UInt64
  /// Where it is in the files; nil if the transaction wrote it.
  let stored: SelectedRecord?
  /// The value that the transaction wrote, or that was read already.
  let written: [UInt8]?

  init(_ record: SelectedRecord) {
    (identifier, ordinal, stored, written) = (record.identifier, record.ordinal, record, nil)
  }

  init(_ record: FileTransaction.WrittenRecord, ordinal: UInt64) {
    (identifier, self.ordinal, stored, written) = (record.identifier, ordinal, nil, record.bytes)
  }

  init(_ record: FoundRecord, ordinal: UInt64) {
    (identifier, self.ordinal, stored, written) = (record.identifier, ordinal, nil, record.value)
  }
}

/// The records that a query has found so far.
struct FoundRecords<M: Model> {
  let run: QueryRun<M>
  let plan: QueryPlan
  private(set) var lookedAt = 0
  private var found: [(record: FoundRecord, order: Int)] = []

  init(_ run: QueryRun<M>, _ plan: QueryPlan) {
    self.run = run
    self.plan = plan
  }

  /// Looks at the next record. Where that throws, it can be looked at again.
  mutating func take(_ record: FoundRecord, at order: Int) throws {
    if let place = try run.take(record.value, at: order).place { found.put((record, order), at: place) }
    lookedAt += 1
  }

  /// The records in the order asked for, with their numbers in the order of creation.
  func sorted() -> [(record: FoundRecord, order: Int)] { run.finish().map { found[$0] } }

  /// The same without what a page needs.
  var plain: (records: [FoundRecord], plan: QueryPlan, lookedAt: Int) {
    (run.finish().map { found[$0].record }, plan, lookedAt)
  }
}

/// The result of reading records in the order of an index.
enum LookedAt<M: Model> {
  case found(FoundRecords<M>)
  /// The order of the index has to be followed farther.
  case needsMore
  /// The order of the index finds so few records that reading all of them costs less.
  case takesTooLong
}

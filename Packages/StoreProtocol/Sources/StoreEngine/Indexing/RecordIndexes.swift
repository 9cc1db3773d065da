@_spi(ModelKitInternals) public import StoreProtocol

/// The indexes of one type in a snapshot.
public struct RecordIndexes<Location: Sendable> {
  /// The indexed fields.
  let fields: [StoredKeyPath]
  /// The number of records that can be read sequentially in the time of one random read.
  let scatteredCost: Int
  let select: (QueryPlanner, _ orderedLimit: Int, _ offset: Int, QueryPosition?) throws -> IndexedRecords<Location>
  let count: (QueryPlanner) -> Int?
  let plan: (QueryPlanner) -> QueryPlan
  let read: (ArraySlice<IndexedRecord<Location>>) async throws -> [[UInt8]]

  /// Creates the indexes of a type.
  ///
  /// - Parameters:
  ///   - fields: the indexed fields.
  ///   - scatteredCost: the number of records that can be read sequentially in the time of one random read.
  ///   - select: finds the matches of indexes. It gets the largest number of records to read in the order of an index,
  ///     and the offset of the query. The last argument is the position after which records are found.
  ///   - count: returns the number of matches without limit and offset, if indexes can count them.
  ///   - plan: returns the plan of a query.
  ///   - read: reads the selected records.
  @_spi(ModelKitInternals)
  public init(
    fields: [StoredKeyPath], scatteredCost: Int,
    select:
      @escaping (QueryPlanner, _ orderedLimit: Int, _ offset: Int, QueryPosition?) throws -> IndexedRecords<Location>,
    count: @escaping (QueryPlanner) -> Int?, plan: @escaping (QueryPlanner) -> QueryPlan,
    read: @escaping (ArraySlice<IndexedRecord<Location>>) async throws -> [[UInt8]]
  ) {
    self.fields = fields
    self.scatteredCost = scatteredCost
    self.select = select
    self.count = count
    self.plan = plan
    self.read = read
  }
}

/// A match of an index.
@_spi(ModelKitInternals)
public struct IndexedRecord<Location: Sendable>: Sendable {
  /// The location of the record.
  public let location: Location
  /// The position in the order of creation.
  public let order: UInt64
  /// The identifier.
  public let identifier: String
  /// Whether the key differs from that of the previous record, if records are in the order of an index.
  let isNewKey: Bool

  /// Creates a record.
  public init(location: Location, order: UInt64, identifier: String, isNewKey: Bool) {
    (self.location, self.order, self.identifier, self.isNewKey) = (location, order, identifier, isNewKey)
  }
}

/// The matches of indexes, all from one snapshot.
@_spi(ModelKitInternals)
public struct IndexedRecords<Location: Sendable>: Sendable {
  /// The plan.
  public let plan: QueryPlan
  /// The records; nil if all records of the type match or have to be tested, which is faster sequentially.
  public let records: [IndexedRecord<Location>]?
  /// Whether the index has more records after the last one.
  let hasMore: Bool
  /// The number of omitted records, which the offset of the query skips.
  let skippedCount: Int

  /// Creates a selection.
  public init(plan: QueryPlan, records: [IndexedRecord<Location>]?, hasMore: Bool, skippedCount: Int = 0) {
    (self.plan, self.records, self.hasMore, self.skippedCount) = (plan, records, hasMore, skippedCount)
  }
}

@_spi(ModelKitInternals)
extension IndexedRecords {
  /// Selects the records that a query has to test.
  ///
  /// - Parameters:
  ///   - planner: the query.
  ///   - indexes: the indexes of the type, in the order of the planner's fields.
  ///   - totalCount: the number of records of the type.
  ///   - orderedLimit: the largest number of records to read in the order of an index.
  ///   - offset: the number of records that the query skips.
  ///   - position: the position after which records are found; nil for the beginning.
  ///   - record: returns the record at a place of an index; nil if there is none.
  public init(
    _ planner: QueryPlanner, _ indexes: [OrderedIndex], totalCount: Int, orderedLimit: Int, offset: Int,
    after position: QueryPosition?, record: (_ place: Int, _ isNewKey: Bool) -> IndexedRecord<Location>?
  ) {
    let plan = planner.plan(with: indexes, totalCount: totalCount)
    if let (places, skippedCount) = plan.places(in: indexes, after: position, offset: offset) {
      let records = places.compactMap { record($0, false) }
      self.init(plan: plan, records: records, hasMore: false, skippedCount: skippedCount)
    } else if plan.isSortedByIndex {
      let (start, skippedCount) = plan.start(after: position, offset: offset, in: indexes)
      let (wanted, isAll) = orderedLimit.addingReportingOverflow(offset - skippedCount)
      var (records, hasMore): ([IndexedRecord<Location>], Bool) = ([], false)
      plan.forEachInOrder(indexes, from: start) { place, isNewKey in
        if !isAll, records.count >= wanted {
          hasMore = true
        } else if let found = record(place, isNewKey) {
          records.append(found)
        }
        return !hasMore
      }
      self.init(plan: plan, records: records, hasMore: hasMore, skippedCount: skippedCount)
    } else {
      self.init(plan: plan, records: nil, hasMore: false)
    }
  }
}

@_spi(ModelKitInternals) public import StoreProtocol

/// The indexes of one type in a snapshot.
public struct RecordIndexes<Place: Sendable> {
  /// The indexed fields.
  @_spi(ModelKitInternals) public let fields: [StoredKeyPath]
  /// The number of records that can be read one after the other in the time that it takes to read one somewhere else.
  let scatteredCost: Int
  let select: (QueryPlanner, _ orderedLimit: Int, _ offset: Int, QueryPosition?) throws -> IndexedRecords<Place>
  let count: (QueryPlanner) -> Int?
  let read: (ArraySlice<IndexedRecord<Place>>) async throws -> [[UInt8]]

  /// Creates the indexes of a type.
  ///
  /// - Parameters:
  ///   - fields: the indexed fields.
  ///   - scatteredCost: the number of records that can be read one after the other in the time that it takes to read one
  ///     somewhere else.
  ///   - select: finds the matches of indexes. It gets the greatest number of records to take from an index whose order is
  ///     followed, and the offset of the query. The last argument is the position after which records are found.
  ///   - count: returns the number of records that a query finds, if indexes know it; limit and offset do not count.
  ///   - read: reads the records that were selected.
  @_spi(ModelKitInternals)
  public init(
    fields: [StoredKeyPath], scatteredCost: Int,
    select:
      @escaping (QueryPlanner, _ orderedLimit: Int, _ offset: Int, QueryPosition?) throws -> IndexedRecords<Place>,
    count: @escaping (QueryPlanner) -> Int?,
    read: @escaping (ArraySlice<IndexedRecord<Place>>) async throws -> [[UInt8]]
  ) {
    self.fields = fields
    self.scatteredCost = scatteredCost
    self.select = select
    self.count = count
    self.read = read
  }
}

/// A match of an index.
@_spi(ModelKitInternals)
public struct IndexedRecord<Place: Sendable>: Sendable {
  /// Where it can be read.
  public let place: Place
  /// Its position in the order of creation.
  public let order: UInt64
  /// Its identifier.
  public let identifier: String
  /// Whether it has another key than the one before, in the index whose order is followed.
  public let isNewKey: Bool

  /// Creates a record.
  public init(place: Place, order: UInt64, identifier: String, isNewKey: Bool) {
    (self.place, self.order, self.identifier, self.isNewKey) = (place, order, identifier, isNewKey)
  }
}

/// The matches of indexes, all as of one moment.
@_spi(ModelKitInternals)
public struct IndexedRecords<Place: Sendable>: Sendable {
  /// The plan.
  public let plan: QueryPlan
  /// The records; nil if these are all of the type, which are better read one after the other.
  public let records: [IndexedRecord<Place>]?
  /// Whether the order of an index goes on behind the last of them.
  public let goesOn: Bool
  /// The number of records that the query passes over and that are left out.
  public let skippedCount: Int

  /// Creates a selection.
  public init(plan: QueryPlan, records: [IndexedRecord<Place>]?, goesOn: Bool, skippedCount: Int = 0) {
    (self.plan, self.records, self.goesOn, self.skippedCount) = (plan, records, goesOn, skippedCount)
  }
}

@_spi(ModelKitInternals) import FieldKit

/// The part of an index that has the value of an aggregate, so that not all records are read.
package enum IndexShortcut {
  /// The aggregate is the first value in an order.
  case first(QueryOrder)
  /// The aggregate is the number of different values of a field.
  case distinctCount(QueryPath)

  /// The path of the field.
  package var path: QueryPath {
    switch self {
    case .first(let order): order.term.path
    case .distinctCount(let path): path
    }
  }
}

extension QueryColumn {
  /// Whether an index of the field has the values of the column.
  private var isIndexable: Bool { derivation == nil && term.form == .value && !field.isRelation }

  /// The path of the field that has the values of the column; nil if they are calculated, or models.
  var fieldPath: QueryPath? { isIndexable ? term.path : nil }

  /// The shortcut to the least value, or to the greatest.
  func shortcut(isDescending: Bool) -> IndexShortcut? {
    isIndexable ? .first(QueryOrder(term, isDescending: isDescending, nils: .last)) : nil
  }

  /// The shortcut to the number of different values.
  var distinctShortcut: IndexShortcut? { isIndexable ? .distinctCount(term.path) : nil }
}

extension ModelQuery {
  /// Returns a query for the first record with a value in an order; nil if this query has a limit or an offset.
  package func first(in order: QueryOrder) -> ModelQuery? {
    guard limit == nil, offset == 0 else { return nil }
    var query = self
    let hasValue = QueryExpression.comparison(QueryComparison(order.term, .notEqual, .value(.null)))
    query.filter = filter.map { .and([$0, hasValue]) } ?? hasValue
    query.sort = [ModelSort(order)]
    query.limit = 1
    return query
  }
}

extension QueryProgram {
  /// Passes the columns of a record to the projection, as if it were the only one; nil for no record.
  package func project(only record: [UInt8]?) throws {
    guard let projection else { return }
    projection.begin(isStreamed: true)
    guard let record else { return }
    let surroundings = QueryRelatedRecords(nil)
    try projection.take(try record.withUnsafeBytes { try projectedValues(of: $0, surroundings) })
  }
}

@_spi(ModelKitInternals)
extension OrderedIndex {
  /// Returns the number of different values, nil excepted.
  ///
  /// - Returns: nil if a value can't be read.
  /// - Complexity: O(*d* log *n*) for *d* different values.
  public var distinctCount: Int? {
    guard isComplete else { return nil }
    var count = 0
    var position = position(of: .after(.null))
    while let entry = entry(at: position) {
      count += 1
      let next = Position(leaf: position.leaf, number: position.number + 1)
      let isNext = next.number < leaves[next.leaf].count && leaves[next.leaf][next.number].key != entry.key
      position = isNext ? next : self.position(of: .after(entry.key))
    }
    return count
  }
}

extension QueryPlan {
  /// Returns the plan of a store that reads nothing but the different keys of an index.
  package static func keys(of field: StoredKeyPath, distinctCount: Int, totalCount: Int) -> QueryPlan {
    QueryPlan(
      access: .index(0, .values), order: nil, isExact: true, isSorted: false, fields: [field],
      estimatedCount: distinctCount, totalCount: totalCount)
  }
}

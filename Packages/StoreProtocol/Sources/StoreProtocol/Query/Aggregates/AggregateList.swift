@_spi(ModelKitInternals) import FieldKit

/// A list of aggregates with their columns. A separate type, because Swift 6.3 crashes over a closure that captures a
/// pack.
struct AggregateList<each Result> {
  let aggregates: (repeat QueryAggregate<each Result>)

  /// The paths of the columns, one for each aggregate; nil for a count of records.
  var paths: [QueryPath?] {
    var paths: [QueryPath?] = []
    for aggregate in repeat each aggregates { paths.append(aggregate.path) }
    return paths
  }

  /// The values that an engine has to calculate; nil for one of something else than a field.
  var values: [RecordAggregation.Value?] {
    var values: [RecordAggregation.Value?] = []
    for aggregate in repeat each aggregates { values.append(aggregate.value) }
    return values
  }

  /// Creates the states of a group without records.
  func makeStates(_ context: ValueTransformerContext) -> [AnyAggregateState] {
    var states: [AnyAggregateState] = []
    for aggregate in repeat each aggregates { states.append(aggregate.makeState(context)) }
    return states
  }

  /// Returns the values of a group.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if a sum does not fit its type.
  func results(of states: [AnyAggregateState]) throws -> (repeat each Result) {
    var index = 0
    func result<One>(_ aggregate: QueryAggregate<One>) throws -> One {
      defer { index += 1 }
      // Created by `makeStates` in the same order.
      return try unsafeDowncast(states[index], to: AggregateState<One>.self).result
    }
    return (repeat try result(each aggregates))
  }
}

/// A list of columns, which reads their values from a row. A separate type for the same reason.
struct ColumnList<each Value> {
  let columns: (repeat QueryColumn<each Value>)

  var paths: [QueryPath] {
    var paths: [QueryPath] = []
    for column in repeat each columns { paths.append(column.storedPath) }
    return paths
  }

  /// The paths of the fields; nil for a column of something else.
  var fieldPaths: [QueryPath?] {
    var paths: [QueryPath?] = []
    for column in repeat each columns { paths.append(column.fieldPath) }
    return paths
  }

  /// Throws an error if there are no columns. Swift takes a closure that returns a condition for one without a result.
  func checkIsNotEmpty() throws {
    guard paths.isEmpty else { return }
    throw ModelStoreError.noColumns
  }

  /// Returns the values of a row.
  func values(of row: ArraySlice<JSONValue>, in context: ValueTransformerContext) throws -> (repeat (each Value)?) {
    var index = row.startIndex
    func value<One>(_ column: QueryColumn<One>) throws -> One? {
      defer { index += 1 }
      return try column.value(of: row[index], in: context)
    }
    return (repeat try value(each columns))
  }
}

/// Reads rows of columns. A separate type, because Swift 6.3 crashes over a closure that captures a pack.
struct RowReader<each Value> {
  let list: ColumnList<repeat each Value>
  let context: ValueTransformerContext

  func values(of row: [JSONValue]) throws -> (repeat (each Value)?) { try list.values(of: row[...], in: context) }
}

extension ModelStoreError {
  /// The error for a closure that returns no columns.
  static var noColumns: ModelStoreError {
    ModelStoreError(
      .invalid,
      """
      The closure returns no column: return columns without labels. A Boolean field is a condition: where a column is \
      expected, write ($0.isPaid as QueryColumn<Bool>).
      """)
  }
}

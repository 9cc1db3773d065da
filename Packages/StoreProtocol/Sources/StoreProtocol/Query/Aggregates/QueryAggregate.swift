@_spi(ModelKitInternals) import FieldKit

/// A value that is calculated from all records of a group, such as a sum. Get one from ``GroupColumns``.
///
/// ```swift
/// let totals = try await store.groups(Expense.self, by: { $0.category.name }) {
///   ($0.count, $0.sum(\.amount))
/// }
/// ```
public struct QueryAggregate<Result> {
  /// The column; nil to count records.
  let path: QueryPath?
  /// The value that an engine has to calculate; nil for a column of something else than a field.
  let value: RecordAggregation.Value?
  let makeState: (ValueTransformerContext) -> AggregateState<Result>
  /// The part of an index that has the value for all records.
  var shortcut: IndexShortcut?
}

/// The columns of the records of a group, from which ``ModelStore/groups(_:by:where:sort:limit:evaluation:_:)``
/// calculates values.
///
/// ```swift
/// let byYear = try await store.groups(Book.self, by: { $0.year }) {
///   ($0.count, $0.average(\.rating))
/// }
/// ```
public struct GroupColumns<M: Model> {
  /// The number of records.
  public var count: QueryAggregate<Int> {
    QueryAggregate(path: nil, value: .count) { _ in CountState() }
  }

  /// Returns the number of different values; nil is not one of them.
  public func count<Value: Hashable>(distinct column: (ModelColumns<M>) -> QueryColumn<Value>) -> QueryAggregate<Int> {
    let column = column(ModelColumns())
    return QueryAggregate(
      path: column.storedPath, value: column.fieldPath.map { .distinctCount($0) },
      makeState: { DistinctState(column, $0) }, shortcut: column.distinctShortcut)
  }

  /// Returns the sum of the values that are not nil; nil if there are none.
  public func sum<Value: Summable>(_ column: (ModelColumns<M>) -> QueryColumn<Value>) -> QueryAggregate<Value?> {
    let column = column(ModelColumns())
    return QueryAggregate(path: column.storedPath, value: column.fieldPath.map { .sum($0) }) { SumState(column, $0) }
  }

  /// Returns the average of the values that are not nil; nil if there are none.
  public func average<Value: Summable>(
    _ column: (ModelColumns<M>) -> QueryColumn<Value>
  ) -> QueryAggregate<Value.Average?> {
    let column = column(ModelColumns())
    return QueryAggregate(path: column.storedPath, value: column.fieldPath.map { .sum($0) }) {
      AverageState(column, $0)
    }
  }

  /// Returns the least of the values that are not nil; nil if there are none.
  public func minimum<Value: Comparable>(_ column: (ModelColumns<M>) -> QueryColumn<Value>) -> QueryAggregate<Value?> {
    let column = column(ModelColumns())
    return QueryAggregate(
      path: column.storedPath, value: column.fieldPath.map { .minimum($0) },
      makeState: { ExtremeState(column, $0) { ScalarOrder.isLess($0, $1) } },
      shortcut: column.shortcut(isDescending: false))
  }

  /// Returns the greatest of the values that are not nil; nil if there are none.
  public func maximum<Value: Comparable>(_ column: (ModelColumns<M>) -> QueryColumn<Value>) -> QueryAggregate<Value?> {
    let column = column(ModelColumns())
    return QueryAggregate(
      path: column.storedPath, value: column.fieldPath.map { .maximum($0) },
      makeState: { ExtremeState(column, $0) { ScalarOrder.isLess($1, $0) } },
      shortcut: column.shortcut(isDescending: true))
  }
}

extension QueryColumn {
  /// Returns the value of the column in a record.
  ///
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if the record has a value of another type, or `unsupported`
  ///   for a relation.
  func value(of json: JSONValue, in context: ValueTransformerContext) throws -> Value? {
    if field.isRelation, !field.hasTransformer(in: context) { throw unsupportedRelation }
    // A list that is nil has a number of elements.
    if json.isNull, term.form != .count { return nil }
    do {
      return try derivation.map { try $0.value(of: json, in: context) } ?? field.value(readFrom: json, in: context)
    } catch let error as ModelStoreError {
      throw error
    } catch {
      let error = field.withoutSecrets(error)
      throw ModelStoreError(
        .corrupt, "A stored value of \("\(term)".quotedForMessage) can't be read: \(error)", cause: error)
    }
  }

  /// The error for a relation that is used as a column.
  private var unsupportedRelation: ModelStoreError {
    let related = (field as? any RelationField)?.relatedClass.init()
    let key = withExtendedLifetime(related) { related?.identifierField?.key } ?? "name"
    return ModelStoreError(
      .unsupported,
      """
      The relation \("\(term)".quotedForMessage) has models, which are not values of a record. Name a field of the related \
      model, such as \("\(term).\(key)".quotedForMessage).
      """)
  }
}

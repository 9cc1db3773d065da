@_spi(ModelKitInternals) import FieldKit

/// A value that is calculated from all records of a group, such as a sum. Get one from ``GroupColumns``.
///
/// ```swift
/// let totals = try await store.groups(Expense.self, by: { $0.category }) { ($0.count, $0.sum(\.amount)) }
/// ```
public struct QueryAggregate<Result> {
  /// The column; nil to count records.
  let path: QueryPath?
  let makeState: (ValueTransformerContext) -> AggregateState<Result>
}

/// The columns of the records of a group, from which ``ModelStore/groups(_:by:where:_:)`` calculates values.
///
/// ```swift
/// let byYear = try await store.groups(Book.self, by: { $0.year }) { ($0.count, $0.average(\.rating)) }
/// ```
public struct GroupColumns<M: Model> {
  /// The number of records.
  public var count: QueryAggregate<Int> {
    QueryAggregate(path: nil) { _ in CountState() }
  }

  /// Returns the number of different values; nil is not one of them.
  public func count<Value: Hashable>(distinct column: (ModelColumns<M>) -> QueryColumn<Value>) -> QueryAggregate<Int> {
    let column = column(ModelColumns())
    return QueryAggregate(path: column.term.path) { DistinctState(column, $0) }
  }

  /// Returns the sum of the values that are not nil; nil if there are none.
  public func sum<Value: Summable>(_ column: (ModelColumns<M>) -> QueryColumn<Value>) -> QueryAggregate<Value?> {
    let column = column(ModelColumns())
    return QueryAggregate(path: column.term.path) { SumState(column, $0) }
  }

  /// Returns the average of the values that are not nil; nil if there are none.
  public func average<Value: Summable>(
    _ column: (ModelColumns<M>) -> QueryColumn<Value>
  ) -> QueryAggregate<Value.Average?> {
    let column = column(ModelColumns())
    return QueryAggregate(path: column.term.path) { AverageState(column, $0) }
  }

  /// Returns the least of the values that are not nil; nil if there are none.
  public func minimum<Value: Comparable>(_ column: (ModelColumns<M>) -> QueryColumn<Value>) -> QueryAggregate<Value?> {
    let column = column(ModelColumns())
    return QueryAggregate(path: column.term.path) { ExtremeState(column, $0) { $0 < $1 } }
  }

  /// Returns the greatest of the values that are not nil; nil if there are none.
  public func maximum<Value: Comparable>(_ column: (ModelColumns<M>) -> QueryColumn<Value>) -> QueryAggregate<Value?> {
    let column = column(ModelColumns())
    return QueryAggregate(path: column.term.path) { ExtremeState(column, $0) { $0 > $1 } }
  }
}

/// A value of any aggregate while records are read.
class AnyAggregateState {
  /// Adds the value of one record.
  func add(_ json: JSONValue) throws {}
}

/// A value of one aggregate while records are read.
class AggregateState<Result>: AnyAggregateState {
  /// The value for the records that were added.
  var result: Result { preconditionFailure("\(Self.self) has no result") }
}

private final class CountState: AggregateState<Int> {
  private var count = 0
  override func add(_ json: JSONValue) { count += 1 }
  override var result: Int { count }
}

private final class DistinctState<Value: Hashable>: AggregateState<Int> {
  private let column: QueryColumn<Value>
  private let context: ValueTransformerContext
  private var values: Set<Value> = []

  init(_ column: QueryColumn<Value>, _ context: ValueTransformerContext) {
    self.column = column
    self.context = context
  }

  override func add(_ json: JSONValue) throws {
    if let value = try column.value(of: json, in: context) { values.insert(value) }
  }

  override var result: Int { values.count }
}

private final class Total<Value: Summable> {
  let column: QueryColumn<Value>
  private let context: ValueTransformerContext
  private(set) var sum = Value.zero
  private(set) var count = 0

  init(_ column: QueryColumn<Value>, _ context: ValueTransformerContext) {
    self.column = column
    self.context = context
  }

  func add(_ json: JSONValue) throws {
    guard let value = try column.value(of: json, in: context) else { return }
    guard let next = sum.adding(value) else {
      throw ModelStoreError(
        .invalid,
        """
        The sum of \("\(column.term)".quotedForMessage) does not fit \(Value.self). Narrow the condition, or add up the \
        values in a larger type.
        """)
    }
    sum = next
    count += 1
  }
}

private final class SumState<Value: Summable>: AggregateState<Value?> {
  private let total: Total<Value>
  init(_ column: QueryColumn<Value>, _ context: ValueTransformerContext) { total = Total(column, context) }
  override func add(_ json: JSONValue) throws { try total.add(json) }
  override var result: Value? { total.count == 0 ? nil : total.sum }
}

private final class AverageState<Value: Summable>: AggregateState<Value.Average?> {
  private let total: Total<Value>
  init(_ column: QueryColumn<Value>, _ context: ValueTransformerContext) { total = Total(column, context) }
  override func add(_ json: JSONValue) throws { try total.add(json) }
  override var result: Value.Average? { total.count == 0 ? nil : total.sum.divided(by: total.count) }
}

private final class ExtremeState<Value: Comparable>: AggregateState<Value?> {
  private let column: QueryColumn<Value>
  private let context: ValueTransformerContext
  private let isBetter: (Value, Value) -> Bool
  private var best: Value?

  init(
    _ column: QueryColumn<Value>, _ context: ValueTransformerContext, _ isBetter: @escaping (Value, Value) -> Bool
  ) {
    self.column = column
    self.context = context
    self.isBetter = isBetter
  }

  override func add(_ json: JSONValue) throws {
    guard let value = try column.value(of: json, in: context) else { return }
    guard let best else { return best = value }
    if isBetter(value, best) { self.best = value }
  }

  override var result: Value? { best }
}

extension QueryColumn {
  /// Returns the value of the column in a record.
  ///
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if the record has a value of another type.
  func value(of json: JSONValue, in context: ValueTransformerContext) throws -> Value? {
    if json.isNull { return nil }
    do {
      return try field.value(readFrom: json, in: context)
    } catch {
      throw ModelStoreError(
        .corrupt, "A stored value of \("\(term)".quotedForMessage) can't be read: \(error)", cause: error)
    }
  }
}

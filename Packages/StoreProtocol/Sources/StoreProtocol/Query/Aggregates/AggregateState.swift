@_spi(ModelKitInternals) import FieldKit
import Foundation

/// A value of any aggregate while records are read.
class AnyAggregateState {
  /// Checks the value of one record before it is added.
  func check(_ json: JSONValue) throws {}

  /// Adds the value of one record.
  func add(_ json: JSONValue) throws {}

  /// Whether ``remove(_:)`` can remove values.
  var isReversible: Bool { true }

  /// Removes the value of a record that was added.
  ///
  /// - Returns: `false` if the values of the remaining records have to be added again.
  func remove(_ json: JSONValue) throws -> Bool { false }

  /// Adds a value that an engine calculated from several records.
  ///
  /// - Throws: ``ModelStoreError`` if the type can't hold it. The records have to be added then.
  func take(_ json: JSONValue, count: Int) throws {}

  /// Adds the values of records to the states of their groups. Called on the first of these.
  ///
  /// - Parameters:
  ///   - column: the column; nil for a count of records.
  ///   - members: the records, each with its group.
  ///   - states: the states, by the number of the group.
  func fold(_ column: ValueColumn?, _ members: GroupMembers, into states: [AnyAggregateState]) throws {
    try members.forEach { row, group in try states[group].add(column?.json(row) ?? .null) }
  }
}

/// The records of a query with their groups.
struct GroupMembers {
  /// The numbers of the records; nil for all.
  let rows: [Int32]?
  /// The number of all records.
  let count: Int
  /// The groups of the records, in their order; nil if all are in the first.
  let groups: [Int32]?

  @inline(__always)
  func forEach(_ body: (_ row: Int, _ group: Int) throws -> Void) rethrows {
    switch (rows, groups) {
    case (nil, nil): for row in 0..<count { try body(row, 0) }
    case (let rows?, nil): for row in rows { try body(Int(row), 0) }
    case (nil, let groups?): for row in 0..<count { try body(row, Int(groups[row])) }
    case (let rows?, let groups?): for index in rows.indices { try body(Int(rows[index]), Int(groups[index])) }
    }
  }
}

/// A value of one aggregate while records are read.
class AggregateState<Result>: AnyAggregateState {
  /// The value for the records that were added.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if it does not fit its type.
  var result: Result { get throws { preconditionFailure("\(Self.self) has no result") } }
}

/// The number of records.
final class CountState: AggregateState<Int> {
  private var count = 0
  override func add(_ json: JSONValue) { count += 1 }

  override func take(_ json: JSONValue, count: Int) { self.count += count }

  override func remove(_ json: JSONValue) -> Bool {
    count -= 1
    return true
  }

  override func fold(_ column: ValueColumn?, _ members: GroupMembers, into states: [AnyAggregateState]) {
    var counts = Array(repeating: 0, count: states.count)
    members.forEach { _, group in counts[group] += 1 }
    for (state, count) in zip(states, counts) { unsafeDowncast(state, to: CountState.self).count += count }
  }

  override var result: Int { count }
}

/// The number of different values.
final class DistinctState<Value: Hashable>: AggregateState<Int> {
  private let column: QueryColumn<Value>
  private let context: ValueTransformerContext
  /// The number of records with each value.
  private var values: [AnyHashable: Int] = [:]
  /// The number of different values, if they were counted elsewhere.
  private var knownCount: Int?

  init(_ column: QueryColumn<Value>, _ context: ValueTransformerContext) {
    self.column = column
    self.context = context
  }

  override func check(_ json: JSONValue) throws { _ = try column.value(of: json, in: context) }

  override func add(_ json: JSONValue) throws {
    if let value = try column.value(of: json, in: context) { values[ScalarOrder.identity(value), default: 0] += 1 }
  }

  override func remove(_ json: JSONValue) throws -> Bool {
    guard let value = try column.value(of: json, in: context) else { return true }
    let identity = ScalarOrder.identity(value)
    guard let count = values[identity] else { return false }
    values[identity] = count == 1 ? nil : count - 1
    return true
  }

  override func take(_ json: JSONValue, count: Int) { knownCount = count }

  override var result: Int { knownCount ?? values.count }
}

/// The total of the values of a column.
final class ColumnTotal<Value: Summable> {
  let column: QueryColumn<Value>
  private let context: ValueTransformerContext
  private var total = Value.Total()
  private(set) var count = 0

  init(_ column: QueryColumn<Value>, _ context: ValueTransformerContext) {
    self.column = column
    self.context = context
  }

  func check(_ json: JSONValue) throws { _ = try column.value(of: json, in: context) }

  func add(_ json: JSONValue, count: Int = 1) throws {
    guard let value = try column.value(of: json, in: context) else { return }
    add(value, count: count)
  }

  /// Whether values can be removed from the total.
  var isReversible: Bool { !(Value.self is any BinaryFloatingPoint.Type) }

  /// Removes a value.
  ///
  /// - Returns: `false` if the remaining ones have to be added again.
  func remove(_ json: JSONValue) throws -> Bool {
    guard let value = try column.value(of: json, in: context) else { return true }
    count -= 1
    return total.remove(value)
  }

  /// Adds a sum of several values.
  private func add(_ part: Value, count: Int) {
    total.add(part)
    self.count += count
  }

  /// The sum; nil if there are no values.
  var sum: Value? {
    get throws {
      if count == 0 { return nil }
      guard let sum = total.sum else { throw misfit("sum", of: Value.self) }
      return sum
    }
  }

  /// The average; nil if there are no values.
  var average: Value.Average? {
    get throws {
      if count == 0 { return nil }
      guard let average = total.average(of: count) else { throw misfit("average", of: Value.Average.self) }
      return average
    }
  }

  private func misfit(_ what: String, of type: Any.Type) -> ModelStoreError {
    // A Decimal has the most digits of all types.
    let isLargest = type == Decimal.self
    return ModelStoreError(
      .invalid,
      """
      The \(what) of \("\(column.term)".quotedForMessage) does not fit \(type)\
      \(isLargest ? ", which has 38 digits" : ""). Narrow the condition\
      \(isLargest ? "" : ", or declare the field with a larger type").
      """)
  }

  /// Adds the values of records to totals, if the column has them as numbers of the type.
  ///
  /// - Returns: `false` if it has not; nothing was added then.
  static func fold(_ column: ValueColumn, _ members: GroupMembers, into totals: [ColumnTotal]) throws -> Bool {
    switch column.values {
    case .integers(let values) where Value.self == Int.self:
      var sums = Array(repeating: 0, count: totals.count)
      var counts = sums
      var isOverflow = false
      values.withUnsafeBufferPointer { values in
        members.forEach { row, group in
          if column.isNil(row) { return }
          let (sum, overflow) = sums[group].addingReportingOverflow(values[row])
          sums[group] = sum
          counts[group] += 1
          isOverflow = isOverflow || overflow
        }
      }
      // The values one by one, in the wider total.
      if isOverflow { return false }
      for (group, total) in totals.enumerated() where counts[group] > 0 {
        guard let sum = sums[group] as? Value else { return false }
        total.add(sum, count: counts[group])
      }
      return true
    case .doubles(let values) where Value.self == Double.self:
      var sums = Array(repeating: 0.0, count: totals.count)
      var counts = Array(repeating: 0, count: totals.count)
      values.withUnsafeBufferPointer { values in
        members.forEach { row, group in
          if column.isNil(row) { return }
          sums[group] += values[row]
          counts[group] += 1
        }
      }
      for (group, total) in totals.enumerated() where counts[group] > 0 {
        guard let sum = sums[group] as? Value else { return false }
        total.add(sum, count: counts[group])
      }
      return true
    case .codes(let codes, let distinct):
      // Each distinct value of the members is read once. Others may be ones that can't be read.
      var values: [Value??] = Array(repeating: nil, count: distinct.count)
      try members.forEach { row, group in
        if column.isNil(row) { return }
        let code = Int(codes[row])
        let value: Value?
        if let known = values[code] {
          value = known
        } else {
          value = try totals[0].column.value(of: distinct[code], in: totals[0].context)
          values[code] = .some(value)
        }
        if let value { totals[group].add(value, count: 1) }
      }
      return true
    default: return false
    }
  }
}

/// The sum of the values.
final class SumState<Value: Summable>: AggregateState<Value?> {
  private let total: ColumnTotal<Value>
  init(_ column: QueryColumn<Value>, _ context: ValueTransformerContext) { total = ColumnTotal(column, context) }
  override func check(_ json: JSONValue) throws { try total.check(json) }

  override func add(_ json: JSONValue) throws { try total.add(json) }

  override func take(_ json: JSONValue, count: Int) throws { try total.add(json, count: count) }

  override var isReversible: Bool { total.isReversible }

  override func remove(_ json: JSONValue) throws -> Bool { try total.remove(json) }

  override func fold(_ column: ValueColumn?, _ members: GroupMembers, into states: [AnyAggregateState]) throws {
    let totals = states.map { unsafeDowncast($0, to: SumState.self).total }
    if let column, try ColumnTotal.fold(column, members, into: totals) { return }
    try super.fold(column, members, into: states)
  }

  override var result: Value? { get throws { try total.sum } }
}

/// The average of the values.
final class AverageState<Value: Summable>: AggregateState<Value.Average?> {
  private let total: ColumnTotal<Value>
  init(_ column: QueryColumn<Value>, _ context: ValueTransformerContext) { total = ColumnTotal(column, context) }
  override func check(_ json: JSONValue) throws { try total.check(json) }

  override func add(_ json: JSONValue) throws { try total.add(json) }

  override func take(_ json: JSONValue, count: Int) throws { try total.add(json, count: count) }

  override var isReversible: Bool { total.isReversible }

  override func remove(_ json: JSONValue) throws -> Bool { try total.remove(json) }

  override func fold(_ column: ValueColumn?, _ members: GroupMembers, into states: [AnyAggregateState]) throws {
    let totals = states.map { unsafeDowncast($0, to: AverageState.self).total }
    if let column, try ColumnTotal.fold(column, members, into: totals) { return }
    try super.fold(column, members, into: states)
  }

  override var result: Value.Average? { get throws { try total.average } }
}

/// The least or the greatest value.
final class ExtremeState<Value: Comparable>: AggregateState<Value?> {
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

  override func check(_ json: JSONValue) throws { _ = try column.value(of: json, in: context) }

  override func add(_ json: JSONValue) throws {
    guard let value = try column.value(of: json, in: context) else { return }
    guard let best else { return best = value }
    if isBetter(value, best) { self.best = value }
  }

  override func take(_ json: JSONValue, count: Int) throws { try add(json) }

  override func remove(_ json: JSONValue) throws -> Bool {
    guard let value = try column.value(of: json, in: context), let best else { return true }
    // The best of the remaining values is not known.
    return isBetter(best, value)
  }

  override var result: Value? { best }
}

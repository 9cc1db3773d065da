@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A value that closures of a projection change.
final class Box<Content> {
  var content: Content
  init(_ content: Content) { self.content = content }
}

/// The groups of a query while its records are read.
final class Groups {
  struct Group {
    /// A row whose first values are the key.
    let row: [JSONValue]
    let states: [AnyAggregateState]
  }

  private(set) var groups: [Group] = []
  private let keyCount: Int
  private let hasColumn: [Bool]
  private let identity: (ArraySlice<JSONValue>) throws -> [AnyHashable?]
  private let makeStates: () -> [AnyAggregateState]
  /// States that check the values of records.
  private lazy var checks = makeStates()
  /// The indexes of the groups, by the JSON of their key. A key can have several spellings.
  private var byText: [KeyText: Int] = [:]
  private var byIdentity: [[AnyHashable?]: Int] = [:]

  init(
    keyCount: Int, hasColumn: [Bool], identity: @escaping (ArraySlice<JSONValue>) throws -> [AnyHashable?],
    makeStates: @escaping () -> [AnyAggregateState]
  ) {
    self.keyCount = keyCount
    self.hasColumn = hasColumn
    self.identity = identity
    self.makeStates = makeStates
  }

  func removeAll() { (groups, byText, byIdentity) = ([], [:], [:]) }

  /// Throws if a record can't be read.
  func check(_ row: [JSONValue]) throws {
    try forEachState(checks, row) { try $0.check($1) }
    if byText[KeyText(row[..<keyCount])] == nil { _ = try identity(row[..<keyCount]) }
  }

  /// Adds a record. One that can't be read changes no group.
  func add(_ row: [JSONValue]) throws {
    try forEachState(checks, row) { try $0.check($1) }
    try forEachState(groups[try index(of: row)].states, row) { try $0.add($1) }
  }

  private func forEachState(
    _ states: [AnyAggregateState], _ row: [JSONValue], _ body: (AnyAggregateState, JSONValue) throws -> Void
  ) rethrows {
    try Self.forEachState(states, hasColumn, row[keyCount...], body)
  }

  /// Calls a closure with each state and its value.
  ///
  /// - Parameters:
  ///   - states: the states.
  ///   - hasColumn: whether they have a column.
  ///   - values: the values of the columns.
  static func forEachState(
    _ states: [AnyAggregateState], _ hasColumn: [Bool], _ values: ArraySlice<JSONValue>,
    _ body: (AnyAggregateState, JSONValue) throws -> Void
  ) rethrows {
    var values = values
    for (state, hasColumn) in zip(states, hasColumn) {
      try body(state, hasColumn ? values.removeFirst() : .null)
    }
  }

  /// Adds groups that an engine calculated, each of them once.
  func take(_ found: [RecordAggregation.Group]) throws {
    for group in found {
      let states = groups[try index(of: group.key)].states
      for (state, value) in zip(states, group.values) { try state.take(value.json, count: value.count) }
    }
  }

  /// Adds all records at once.
  ///
  /// - Parameters:
  ///   - columns: those of the keys, then those of the aggregates that have one.
  ///   - rows: the numbers of the records; nil for all.
  ///   - count: the number of all records.
  func fold(_ columns: [ValueColumn], _ rows: [Int32]?, _ count: Int) throws {
    let numbers = try numbersOfGroups(columns.prefix(keyCount).map(\.self), rows, count)
    let members = GroupMembers(rows: rows, count: count, groups: numbers)
    var next = keyCount
    for (index, hasColumn) in hasColumn.enumerated() {
      let states = groups.map { $0.states[index] }
      try states.first?.fold(hasColumn ? columns[next] : nil, members, into: states)
      if hasColumn { next += 1 }
    }
  }

  /// Returns the group of each record.
  private func numbersOfGroups(_ keys: [ValueColumn], _ rows: [Int32]?, _ count: Int) throws -> [Int32] {
    let all = GroupMembers(rows: rows, count: count, groups: nil)
    var numbers: [Int32] = []
    numbers.reserveCapacity(rows?.count ?? count)
    if keys.count == 1, case .codes(let codes, let distinct) = keys[0].values {
      // The last one is that of nil.
      var known = Array(repeating: Int32(-1), count: distinct.count + 1)
      try all.forEach { row, _ in
        let code = keys[0].isNil(row) ? distinct.count : Int(codes[row])
        if known[code] < 0 { known[code] = Int32(try index(of: [keys[0].json(row)])) }
        numbers.append(known[code])
      }
    } else if keys.count == 1, case .integers(let values) = keys[0].values {
      var known: [Int: Int32] = [:]
      try all.forEach { row, _ in
        if !keys[0].isNil(row), let number = known[values[row]] { return numbers.append(number) }
        let number = Int32(try index(of: [keys[0].json(row)]))
        if !keys[0].isNil(row) { known[values[row]] = number }
        numbers.append(number)
      }
    } else {
      try all.forEach { row, _ in numbers.append(Int32(try index(of: keys.map { $0.json(row) }))) }
    }
    return numbers
  }

  private func index(of row: [JSONValue]) throws -> Int {
    let key = row[..<keyCount]
    if let index = byText[KeyText(key)] { return index }
    let identity = try identity(key)
    let index = byIdentity[identity] ?? groups.count
    if index == groups.count { groups.append(Group(row: row, states: makeStates())) }
    byText[KeyText(key)] = index
    byIdentity[identity] = index
    return index
  }
}

/// The JSON of a key. Texts are equal if their scalars are.
private struct KeyText: Hashable {
  private let values: ArraySlice<JSONValue>

  init(_ values: ArraySlice<JSONValue>) { self.values = values }

  static func == (left: KeyText, right: KeyText) -> Bool {
    left.values.elementsEqual(right.values) { left, right in
      guard case .string(let first) = left, case .string(let second) = right else { return left == right }
      return ExactText(first) == ExactText(second)
    }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

/// The columns of a key, whose values identify a group. A separate type, because Swift 6.3 crashes over a closure that
/// captures a pack.
struct GroupIdentity<each Key: Hashable> {
  let columns: ColumnList<repeat each Key>
  let context: ValueTransformerContext

  func identity(of row: ArraySlice<JSONValue>) throws -> [AnyHashable?] {
    var identity: [AnyHashable?] = []
    let values = try columns.values(of: row, in: context)
    for value in repeat each values { identity.append(value.map { ScalarOrder.identity($0) }) }
    return identity
  }
}

/// Returns the values of groups, in the order of their criteria.
func values<M: Model, each Key: Hashable, each Result>(
  of groups: [Groups.Group], _ keys: ColumnList<repeat each Key>, _ aggregates: AggregateList<repeat each Result>,
  _ order: GroupOrder<M>, in context: ValueTransformerContext
) throws -> [(key: (repeat (each Key)?), values: (repeat each Result))] {
  let keyCount = keys.paths.count
  var result: [(key: (repeat (each Key)?), values: (repeat each Result))] = []
  for group in try order.sorted(groups, statesFrom: aggregates.paths.count) {
    result.append(
      (
        key: try keys.values(of: group.row[..<keyCount], in: context),
        values: try aggregates.results(of: group.states)
      ))
  }
  return result
}

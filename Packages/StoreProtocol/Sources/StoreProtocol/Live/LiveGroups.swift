@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The aggregates of groups of records, updated by the differences of commits. A changed record is removed from its
/// group with its previous values, and added with its new ones.
final class LiveGroups<M: Model> {
  private final class Group {
    let row: [JSONValue]
    let states: [AnyAggregateState]
    var count = 0
    /// The first record in the order of creation.
    var first: (order: UInt64, identifier: String)

    init(_ row: [JSONValue], _ states: [AnyAggregateState], _ first: (order: UInt64, identifier: String)) {
      (self.row, self.states, self.first) = (row, states, first)
    }
  }

  /// The parts of a value that is calculated from groups.
  struct Parts {
    /// The columns of the key, then those of the aggregates that have one.
    let paths: [QueryPath]
    let keyCount: Int
    let hasColumn: [Bool]
    let identity: (ArraySlice<JSONValue>) throws -> [AnyHashable?]
    let makeStates: () -> [AnyAggregateState]
  }

  private let store: any LiveModelStore
  private let parts: Parts
  private let program: QueryProgram<M>
  private var groups: [[AnyHashable?]: Group] = [:]
  /// The position of the feed whose writes the groups contain.
  private var position: UInt64 = 0

  /// Creates groups without records.
  ///
  /// - Returns: nil if differences don't determine the value of the query.
  init?(_ store: any LiveModelStore, _ query: ModelQuery<M>, _ parts: Parts) throws {
    let context = store.scope.transformers
    // The engine counts all records at once.
    if query.filter == nil, parts.paths.isEmpty { return nil }
    let fields = LiveFields(query, columns: parts.paths, in: context)
    guard store.canReadRecords, fields.related.isEmpty, query.limit == nil, query.offset == 0,
      parts.makeStates().allSatisfy(\.isReversible)
    else { return nil }
    let projection = QueryProjection.discarding(parts.paths)
    program = try QueryProgram(query, in: context, canJoin: true, projection: projection)
    guard program.joinedClasses.isEmpty, program.relationsOfColumns.isEmpty else { return nil }
    self.store = store
    self.parts = parts
  }

  /// Reads all records.
  ///
  /// - Returns: `false` if it is unknown which commits they contain.
  func readAll() async throws -> Bool {
    groups = [:]
    let position = try await store.readRecords(of: M.typeName) { records in
      for record in records {
        if let row = try row(of: record.bytes) { try add(row, (record.order, record.identifier)) }
      }
    }
    guard let position else { return false }
    self.position = position
    return true
  }

  /// Applies commits.
  ///
  /// - Returns: `false` if all records have to be read again. Then a record before or after a change is unknown, or a
  ///   group lost its first record, its least value or its greatest one.
  func apply(_ changes: some Sequence<RoutedChange>) async throws -> Bool {
    for routed in changes where routed.position > position {
      let change = routed.change
      guard change.typeName == M.typeName, !change.isPartial, change.kind == .created || change.before != nil,
        change.kind == .deleted || change.after != nil
      else { return false }
      let before = change.kind == .created ? nil : try change.before.flatMap { try row(of: $0) }
      let after = change.kind == .deleted ? nil : try change.after.flatMap { try row(of: $0) }
      if before == nil, after == nil { continue }
      let keys = (try before.map { try identity(of: $0) }, try after.map { try identity(of: $0) })
      if let key = keys.0, let before {
        guard let group = groups[key], try remove(before, from: group) else { return false }
        if keys.0 == keys.1, let after {
          // The record stays in its group, and so does its position.
          try put(after, into: group)
          continue
        }
        group.count -= 1
        if group.count == 0 {
          groups[key] = nil
        } else if parts.keyCount > 0, group.first.identifier == change.identifier {
          return false
        }
      }
      if let after {
        guard let order = try await order(of: change.identifier) else { return false }
        try add(after, (order, change.identifier))
      }
    }
    return true
  }

  /// The groups in the order of their first records.
  var sorted: [Groups.Group] {
    groups.values.sorted { $0.first.order < $1.first.order }.map { Groups.Group(row: $0.row, states: $0.states) }
  }

  /// Returns the values of the columns in a record; nil if the query does not find it.
  private func row(of bytes: [UInt8]) throws -> [JSONValue]? {
    let surroundings = QueryRelatedRecords(nil)
    return try bytes.withUnsafeBytes { bytes in
      try program.matches(bytes, surroundings) ? try program.projectedValues(of: bytes, surroundings) : nil
    }
  }

  private func identity(of row: [JSONValue]) throws -> [AnyHashable?] { try parts.identity(row[..<parts.keyCount]) }

  /// Returns the position of a record in the order of creation; nil if it was deleted meanwhile.
  private func order(of identifier: String) async throws -> UInt64? {
    if parts.keyCount == 0 { return 0 }
    return try await store.readRecord(of: M.typeName, identifier: identifier)?.order
  }

  private func add(_ row: [JSONValue], _ place: (order: UInt64, identifier: String)) throws {
    let key = try identity(of: row)
    let group = groups[key] ?? Group(row, parts.makeStates(), place)
    groups[key] = group
    if place.order < group.first.order { group.first = place }
    group.count += 1
    try put(row, into: group)
  }

  private func put(_ row: [JSONValue], into group: Group) throws {
    try Groups.forEachState(group.states, parts.hasColumn, row[parts.keyCount...]) { try $0.add($1) }
  }

  private func remove(_ row: [JSONValue], from group: Group) throws -> Bool {
    var isComplete = true
    try Groups.forEachState(group.states, parts.hasColumn, row[parts.keyCount...]) {
      isComplete = try $0.remove($1) && isComplete
    }
    return isComplete
  }
}

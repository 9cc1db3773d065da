@_spi(ModelKitInternals) import ModelCore

extension QueryNode {
  /// Adds the fields that the condition tests.
  ///
  /// - Returns: whether it only tests fields of the records themselves.
  func addSlots(to slots: inout [QuerySlot]) -> Bool {
    switch kind {
    case .constant: return true
    case .test(let slot, _):
      if !slots.contains(where: { $0 === slot }) { slots.append(slot) }
      return true
    case .and, .or, .not: return children.allSatisfy { $0.addSlots(to: &slots) }
    default: return false
    }
  }

  /// Returns 1 for each record for which the condition holds.
  func mask(_ count: Int, _ column: (QuerySlot) -> ValueColumn?) throws -> [UInt8] {
    switch kind {
    case .constant(let value): return Array(repeating: value ? 1 : 0, count: count)
    case .test(let slot, let test): return try column(slot)?.mask(of: test) ?? Array(repeating: 0, count: count)
    case .not: return try children[0].mask(count, column).map { $0 ^ 1 }
    case .and:
      guard var mask = try children.first?.mask(count, column) else { return Array(repeating: 1, count: count) }
      for child in children.dropFirst() { Self.combine(&mask, try child.mask(count, column), &) }
      return mask
    default:
      guard var mask = try children.first?.mask(count, column) else { return Array(repeating: 0, count: count) }
      for child in children.dropFirst() { Self.combine(&mask, try child.mask(count, column), |) }
      return mask
    }
  }

  @inline(__always)
  private static func combine(_ mask: inout [UInt8], _ other: [UInt8], _ operation: (UInt8, UInt8) -> UInt8) {
    mask.withUnsafeMutableBufferPointer { mask in
      other.withUnsafeBufferPointer { other in
        for row in mask.indices { mask[row] = operation(mask[row], other[row]) }
      }
    }
  }
}

extension QueryProgram {
  /// The keys of the fields whose columns answer the query, as records spell them. Nil if the query also reads other
  /// records, or the class of a record.
  private var slotsForColumns: [QuerySlot]? {
    guard isEveryRecordOfType else { return nil }
    var slots: [QuerySlot] = []
    if let node, !node.addSlots(to: &slots) { return nil }
    // A column has the values of a field, not their members.
    return slots.allSatisfy(\.inner.isEmpty) ? slots : nil
  }

  /// The keys of the columns in which the condition can be evaluated; nil if it can't, or there is none.
  public var keysOfCondition: [String]? {
    guard node != nil, let slots = slotsForColumns, !slots.isEmpty else { return nil }
    return slots.map(\.spelledKey)
  }

  /// Returns the keys of the columns that give the values of a projection that folds columns; nil if they can't.
  ///
  /// - Parameter isTested: whether the condition is tested, too.
  package func keysOfProjection(isTested: Bool = true) -> [String]? {
    guard let projection, projection.fold != nil, !isSorted, query.limit == nil, query.offset == 0,
      columns.allSatisfy({ $0.steps.isEmpty ? $0.slot.inner.isEmpty : !$0.slotOfRecord.isNested }),
      var slots = slotsForColumns
    else { return nil }
    if !isTested { slots = [] }
    for slot in columns.map(\.slotOfRecord) where !slots.contains(where: { $0 === slot }) { slots.append(slot) }
    return slots.isEmpty ? nil : slots.map(\.spelledKey)
  }

  /// Returns the numbers of the records in columns for which the condition holds; nil for all.
  ///
  /// - Parameters:
  ///   - found: the columns, by key.
  ///   - plan: the plan that selected the records of the columns; nil if they have all records.
  package func rows(_ found: [String: ValueColumn], selectedBy plan: QueryPlan?) throws -> [Int32]? {
    guard let node, plan?.isExact != true, let count = found.first?.value.count else { return nil }
    return try translating { Self.rows(of: try node.mask(count) { found[$0.spelledKey] }) }
  }

  /// Passes the columns of the projection to it.
  ///
  /// - Parameters:
  ///   - values: the columns of the projection, in its order.
  ///   - rows: the numbers of the records for which the condition holds; nil for all.
  ///   - count: the number of all records.
  ///   - isRead: whether their records were read to build some of them.
  ///   - plan: the plan that selected the records of the columns; nil if they have all records.
  /// - Returns: the report; nil if the projection needs rows.
  package func fold(
    _ values: [ValueColumn], _ rows: [Int32]?, _ count: Int, isRead: Bool, selectedBy plan: QueryPlan?
  ) throws -> QueryReport? {
    guard let projection else { return nil }
    projection.begin(isStreamed: true)
    try projection.fold?(values, rows, count)
    var report = QueryReport(
      plan: plan ?? .all(count), testedCount: rows == nil ? 0 : count, readCount: isRead ? count : 0,
      matchCount: rows?.count ?? count)
    report.usesColumns = plan == nil
    return report
  }

  /// Returns the numbers of the records for which the condition holds.
  public func rows(in search: ColumnTable) throws -> [Int32] {
    try translating {
      guard let node else { return Array(0..<Int32(search.count)) }
      return Self.rows(of: try node.mask(search.count) { search.columns[$0.spelledKey] })
    }
  }

  private static func rows(of mask: [UInt8]) -> [Int32] {
    let count = mask.reduce(0) { $0 &+ Int($1) }
    // Each number is written, and the next one replaces it if its record is not in. A branch would often be
    // mispredicted.
    return [Int32](unsafeUninitializedCapacity: count + 1) { rows, written in
      mask.withUnsafeBufferPointer { mask in
        for row in mask.indices {
          rows[written] = Int32(truncatingIfNeeded: row)
          written &+= Int(mask[row])
        }
      }
    }
  }

  /// Returns a builder of columns from all records of the type.
  public func columnBuilder(for keys: [String]) -> ColumnTableBuilder {
    ColumnTableBuilder(slots.filter { $0.inner.isEmpty && keys.contains($0.spelledKey) }, context)
  }
}

/// Columns of a type, by the keys of their fields.
@_spi(ModelKitInternals)
public struct ColumnTable {
  let columns: [String: ValueColumn]
  let count: Int

  package init(_ columns: [String: ValueColumn]) {
    self.columns = columns
    count = columns.first?.value.count ?? 0
  }
}

/// A builder of the columns of a type from all its records, in the order of creation.
@_spi(ModelKitInternals)
public final class ColumnTableBuilder {
  private let slots: [QuerySlot]
  private let builders: [ColumnBuilder]
  // Not retained for each record: `builders` has them.
  private let columns: [(builder: Unmanaged<ColumnBuilder>, index: Int)]
  private let keys: BytesRow.Keys
  // Unchecked, because it is used for every record, and only here.
  @exclusivity(unchecked) private var search: KeySearch?
  private let offsets: UnsafeMutablePointer<Int>

  init(_ slots: [QuerySlot], _ context: ValueTransformerContext) {
    self.slots = slots
    builders = slots.map { ColumnBuilder($0, context) }
    keys = BytesRow.Keys(slots)
    search = KeySearch(slots)
    columns = zip(slots, builders).map { (Unmanaged.passUnretained($1), $0.index) }
    offsets = .allocate(capacity: (slots.map(\.index).max() ?? 0) + 1)
  }

  deinit { offsets.deallocate() }

  /// Reserves memory for a number of records.
  public func reserve(_ count: Int) { for builder in builders { builder.reserve(count) } }

  /// Adds the next record.
  ///
  /// - Throws: an error if it is not a JSON object.
  public func add(_ record: [UInt8]) throws {
    try record.withUnsafeBytes { try add($0) }
  }

  /// Adds the next record as its bytes.
  ///
  /// - Throws: an error if it is not a JSON object.
  public func add(_ record: UnsafeRawBufferPointer) throws {
    if search?.locate(in: record, offsets) != true { try keys.locate(in: record, offsets) }
    for column in columns {
      try column.builder._withUnsafeGuaranteedRef { try $0.add(record, at: offsets[column.index]) }
    }
  }

  /// Adds the records of another builder of the same columns after these.
  package func append(_ next: ColumnTableBuilder) {
    for (builder, next) in zip(builders, next.builders) { builder.append(next) }
  }

  /// Whether the value of a record can't be stored in its column. Further records need not be added then.
  public var isImpossible: Bool { builders.contains(where: \.isImpossible) }

  /// Returns the columns by key; only those that can't be built, as nil, if there are some.
  package func finish() -> [String: ValueColumn?] {
    let isImpossible = isImpossible
    var columns: [String: ValueColumn?] = [:]
    for (slot, builder) in zip(slots, builders) where builder.isImpossible == isImpossible {
      columns[slot.spelledKey] = .some(builder.finish())
    }
    return columns
  }
}

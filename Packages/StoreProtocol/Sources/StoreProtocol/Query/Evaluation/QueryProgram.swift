@_spi(ModelKitInternals) public import ModelCore

/// A query that is prepared for many records of one model type and one spelling of keys.
///
/// ```swift
/// let program = try QueryProgram(query, in: scope.transformers)
/// let found = try records.filter { try program.matches($0) }
/// ```
///
/// The names of fields are looked up, and operands converted, once: when the program is created. It gives the same
/// result for a live model, for its record as a dictionary and for the bytes of its record.
@_spi(ModelKitInternals)
public final class QueryProgram<M: Model> {
  /// The query.
  public let query: ModelQuery<M>
  let level: QueryLevel
  /// The fields of the level. `offsets` has capacity for exactly these.
  let slots: [QuerySlot]
  let node: QueryNode?
  private let orders: [(reference: QueryReference, order: QueryOrder)]
  /// The receiver of the column values of the found records; nil for a query that finds models.
  let projection: QueryProjection?
  let columns: [QueryReference]
  let context: ValueTransformerContext
  private let choosesClasses: Bool
  private let isTopOfHierarchy: Bool
  private let offsets: UnsafeMutablePointer<Int>
  private let keys: BytesRow.Keys
  private let single: SingleTest?
  /// The classes whose records are searched for references to a model.
  let joinedClasses: [ModelObject.Type]

  /// Prepares a query.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - context: the transformers and the spelling of the records.
  ///   - isForRecords: whether fields that stores don't keep are rejected. Live models have them.
  ///   - canJoin: whether the records of related models that reference a model can be found. Otherwise conditions
  ///     about relations whose links only these store are rejected.
  ///   - projection: receives the column values of the found records.
  /// - Throws: ``ModelStoreError`` with the code `invalid` for an invalid query, `unsupported` for a condition about
  ///   values that records don't have.
  public init(
    _ query: ModelQuery<M>, in context: ValueTransformerContext, isForRecords: Bool = true, canJoin: Bool = false,
    projection: QueryProjection? = nil
  ) throws {
    try query.validateRange()
    self.query = query
    self.context = context
    let maker = QueryMaker(context: context, isForRecords: isForRecords, canJoin: canJoin && isForRecords)
    let level = QueryLevel(M.self, context, isForRecords: isForRecords)
    node = try query.filter.map { try maker.node($0, level) }
    orders = try query.sort.map { sort in
      try maker.checkOrder(sort.order.term, level)
      let found = try maker.reference(sort.order.term.path, level)
      _ = try QuerySortKeys.keys(of: found.slot.field, sort.order, context)
      return (found, sort.order)
    }
    self.projection = projection
    columns = try projection?.paths.map { try maker.reference($0, level) } ?? []
    joinedClasses = maker.asked.all
    self.level = level
    choosesClasses = M.hierarchyChoosesClasses
    isTopOfHierarchy = M.isTopOfHierarchy
    slots = level.slots
    keys = BytesRow.Keys(slots)
    single = choosesClasses || !isTopOfHierarchy ? nil : node?.single.map(SingleTest.init)
    offsets = .allocate(capacity: max(slots.count, 1))
  }

  deinit { offsets.deallocate() }

  /// Whether the query has sort criteria.
  public var isSorted: Bool { !orders.isEmpty }

  /// Whether the query finds every record of the type in the order of creation, apart from limit and offset.
  @_spi(ModelKitInternals)
  public var selectsAllRecords: Bool { query.isPlain && isEveryRecordOfType }

  /// Whether every record that is stored under the name of the type is a model of the type.
  var isEveryRecordOfType: Bool { !choosesClasses && isTopOfHierarchy }

  // MARK: Records as dictionaries

  /// Returns whether a record is of a model of the type, and the condition holds for it.
  ///
  /// - Parameter surroundings: the records of related models.
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if a value does not fit its field.
  func matches(_ record: AttributeDictionary, _ surroundings: QueryRelatedRecords) throws -> Bool {
    guard isOfType(record) else { return false }
    guard let node else { return true }
    return try translating { try node.holds(for: JSONRow(value: .object(record), surroundings: surroundings)) }
  }

  private func isOfType(_ record: @autoclosure () throws -> AttributeDictionary) rethrows -> Bool {
    if !choosesClasses { return isTopOfHierarchy }
    return M.includes(try record())
  }

  // MARK: Records as bytes

  /// Returns whether the bytes of a record are of a model of the type, and the condition holds for it.
  ///
  /// - Parameters:
  ///   - bytes: one JSON object without duplicate keys.
  ///   - surroundings: the records of related models.
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if the bytes are not JSON, or a value does not fit its
  ///   field.
  func matches(_ bytes: UnsafeRawBufferPointer, _ surroundings: QueryRelatedRecords) throws -> Bool {
    do {
      if let single { return try single.matches(bytes) }
      guard try isOfType(Self.dictionary(bytes)) else { return false }
      guard let node else { return true }
      try keys.locate(in: bytes, offsets)
      return try node.holds(for: BytesRow(bytes: bytes, offsets: offsets, surroundings: surroundings))
    } catch {
      throw translated(error)
    }
  }

  private static func dictionary(_ bytes: UnsafeRawBufferPointer) throws -> AttributeDictionary {
    try JSONValue(json: bytes).objectValue ?? [:]
  }

  // MARK: Live models

  /// Returns whether the condition holds for a live model, as it would after a save.
  func matches(_ model: ModelObject) throws -> Bool {
    guard let node else { return true }
    return try translating { try node.holds(for: ModelRow(model: model, context: context)) }
  }

  // MARK: Order

  /// Returns the sorter for the order of the query.
  func sorter() throws -> QuerySorter {
    QuerySorter(
      try orders.map { reference, order in
        (reference, try QuerySortKeys.keys(of: reference.slot.field, order, context), order)
      })
  }

  func add(_ record: AttributeDictionary, to sorter: QuerySorter, _ surroundings: QueryRelatedRecords) throws {
    try translating { try sorter.add(JSONRow(value: .object(record), surroundings: surroundings)) }
  }

  func add(_ bytes: UnsafeRawBufferPointer, to sorter: QuerySorter, _ surroundings: QueryRelatedRecords) throws {
    try translating {
      try keys.locate(in: bytes, offsets)
      try sorter.add(BytesRow(bytes: bytes, offsets: offsets, surroundings: surroundings))
    }
  }

  /// - Parameter isStored: whether the values are those of the store, without local changes.
  func add(_ model: ModelObject, to sorter: QuerySorter, isStored: Bool = false) throws {
    try translating { try sorter.add(ModelRow(model: model, context: context, isStored: isStored)) }
  }

  /// Returns the values by which a record is sorted.
  func sortValues(of bytes: UnsafeRawBufferPointer, _ surroundings: QueryRelatedRecords) throws -> [JSONValue] {
    if orders.isEmpty { return [] }
    return try translating {
      try keys.locate(in: bytes, offsets)
      return try sorter().values(of: BytesRow(bytes: bytes, offsets: offsets, surroundings: surroundings))
    }
  }

  /// Returns the stored values by which a live model is sorted, whose related models were read.
  func sortValues(of model: ModelObject) throws -> [JSONValue] {
    try translating { try sorter().values(of: ModelRow(model: model, context: context, isStored: true)) }
  }

  // MARK: Projection

  /// Returns the values of the projection's columns in a record.
  func projectedValues(of bytes: UnsafeRawBufferPointer, _ surroundings: QueryRelatedRecords) throws -> [JSONValue] {
    try translating {
      try keys.locate(in: bytes, offsets)
      let row = BytesRow(bytes: bytes, offsets: offsets, surroundings: surroundings)
      return try columns.map { try $0.json(in: row) }
    }
  }

  /// The relations on the paths of the projection's columns.
  var relationsOfColumns: [QueryPath] { Self.relations(on: columns) }

  /// The relations on the paths of the order.
  var relationsOfOrder: [QueryPath] { Self.relations(on: orders.map(\.reference)) }

  private static func relations(on references: [QueryReference]) -> [QueryPath] {
    references.filter { !$0.steps.isEmpty }.map { QueryPath($0.steps.map(\.slot.key)) }
  }

  /// Returns the values of the projection's columns in a live model, whose related models were read.
  func projectedValues(of model: ModelObject) throws -> [JSONValue] {
    let row = ModelRow(model: model, context: context, isStored: true)
    return try translating { try columns.map { try $0.json(in: row) } }
  }

  // MARK: Errors

  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw translated(error) }
  }

  /// Whether the query reads sensitive fields. Their elements and members have no such mark of their own.
  private var readsSecrets: Bool {
    guard let model = level.prototype else { return false }
    let paths = orders.map(\.order.term.path) + (projection?.paths ?? [])
    return query.filter?.readsSecrets(of: model) == true
      || paths.contains { QueryExpression.place($0, in: model).isSensitive }
  }

  private func translated(_ error: any Error) -> any Error {
    switch error {
    case is ModelStoreError, is CancellationError, is MissingRelatedRecord: error
    default:
      ModelStoreError(
        .corrupt,
        "A stored \(M.typeName) does not fit the query \"\(query)\": "
          + (readsSecrets ? "a value has the wrong type" : "\(error)"),
        cause: readsSecrets ? nil : error)
    }
  }
}

/// The error of a store that has to wait for a related record. The store reads the record and tries again.
@_spi(ModelKitInternals)
public struct MissingRelatedRecord: Error {
  /// The type name of the model.
  package let typeName: String
  /// The identifier of the model.
  package let identifier: String

  /// Creates the error for a record.
  public init(typeName: String, identifier: String) {
    self.typeName = typeName
    self.identifier = identifier
  }
}

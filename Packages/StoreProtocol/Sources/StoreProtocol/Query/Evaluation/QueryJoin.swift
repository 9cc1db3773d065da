@_spi(ModelKitInternals) import ModelCore

/// A condition about a relation that only the records of the related models store. It is evaluated for these once,
/// which gives the identifiers of the referenced models.
final class QueryJoin {
  let relatedClass: ModelObject.Type
  /// The condition for the related models.
  let condition: QueryExpression
  /// The field by which the related models reference the model.
  let key: QuerySlot
  let isToMany: Bool
  /// The identifier of the model.
  let identifier: QuerySlot
  /// The condition for the number of related models that match.
  let test: (Int) throws -> Bool
  private let relatedLevel: QueryLevel
  /// The key of the identifier as records spell it.
  private let spelledIdentifier: String

  init(
    _ relatedLevel: QueryLevel, _ relatedClass: ModelObject.Type, _ condition: QueryExpression, key: QuerySlot,
    isToMany: Bool, identifier: QuerySlot, test: @escaping (Int) throws -> Bool
  ) {
    self.relatedLevel = relatedLevel
    self.relatedClass = relatedClass
    self.condition = condition
    self.key = key
    self.isToMany = isToMany
    self.identifier = identifier
    self.test = test
    spelledIdentifier = identifier.spelledKey
  }

  /// Returns the number of references to each model.
  func counts(of foreignKeys: [JSONValue]) -> [LinkKey: Int] {
    var counts: [LinkKey: Int] = [:]
    for json in foreignKeys {
      if isToMany {
        for identifier in Set((json.arrayValue ?? []).map { LinkKey(identifier(in: $0)) }) {
          counts[identifier, default: 0] += 1
        }
      } else if !json.isNull {
        counts[LinkKey(identifier(in: json)), default: 0] += 1
      }
    }
    return counts
  }

  /// Returns the identifier of a related model, which is written as its identifier or in full.
  private func identifier(in json: JSONValue) -> JSONValue {
    guard case .object(let record) = json else { return json }
    return (try? record.value(atNestedKey: spelledIdentifier)) ?? json
  }

  /// Returns the foreign key in the bytes of a record.
  func foreignKey(in record: [UInt8]) throws -> JSONValue {
    try record.withUnsafeBytes { bytes in
      guard let offset = try BytesRow.offset(of: key.spelledKey, key.parts, in: bytes) else { return .null }
      var scanner = JSONScanner(bytes, offset: offset, depth: 1, maximumDepth: 512)
      return try scanner.readValue()
    }
  }

  /// Returns the foreign key in a record.
  func foreignKey(in record: AttributeDictionary) throws -> JSONValue {
    try record.value(atNestedKey: key.spelledKey) ?? .null
  }
}

extension QueryMaker {
  /// Returns the condition about a relation whose links are stored in records of the related models.
  ///
  /// - Returns: the condition, and the one for the related models with their level; nil if only records of the level
  ///   store the links.
  func join(
    _ key: String, _ level: QueryLevel, where condition: QueryExpression, test: @escaping (Int) throws -> Bool
  ) throws -> (node: QueryNode, related: QueryNode, relatedLevel: QueryLevel)? {
    guard canJoin, let prototype = level.prototype,
      let relation = prototype.field(declaredAs: key) as? any RelationField, relation.isToMany || !level.keeps(key)
    else { return nil }
    let relatedClass = relation.relatedClass
    let relatedLevel = QueryLevel(relatedClass, context, isForRecords: true)
    guard let related = relatedLevel.prototype, let inverse = prototype.inverseField(of: relation, on: related),
      let inverseKey = inverse.key, relatedLevel.keeps(inverseKey),
      let identifier = level.identifierKey
    else { return nil }
    // An invalid condition is rejected before any record is read.
    let child = try node(condition, relatedLevel)
    asked.add(relatedClass)
    let join = QueryJoin(
      relatedLevel, relatedClass, condition, key: try relatedLevel.slot(inverseKey), isToMany: inverse.isToMany,
      identifier: try level.slot(identifier), test: test)
    return (QueryNode(.joined(join)), child, relatedLevel)
  }

  /// Returns the condition of a comparison whose path contains a to-one relation that records don't store.
  func joinedComparison(_ comparison: QueryComparison, _ level: QueryLevel) throws -> QueryNode? {
    guard canJoin, case .value = comparison.operand else { return nil }
    var current = level
    var steps: [(slot: QuerySlot, level: QueryLevel)] = []
    let keys = comparison.term.path.keys
    for (number, key) in keys.enumerated() {
      guard current.modelClass != nil else { return nil }
      if !current.keeps(key) {
        guard let node = try joined(comparison, keys[(number + 1)...], key, current) else { return nil }
        return wrapped(node, in: steps)
      }
      let slot = try current.slot(key)
      guard let relation = slot.field as? any RelationField, !relation.isToMany else { return nil }
      current = current.level(through: slot, relation, isForRecords: isForRecords)
      steps.append((slot, current))
    }
    return nil
  }

  private func joined(
    _ comparison: QueryComparison, _ rest: ArraySlice<String>, _ key: String, _ level: QueryLevel
  ) throws -> QueryNode? {
    let relation = level.prototype?.field(declaredAs: key) as? any RelationField
    if comparison.term.form == .count, rest.isEmpty {
      let test = try QueryTestMaker.counting(comparison)
      return try join(key, level, where: .constant(true)) { try test.matches(.int($0)) }?.node
    }
    guard let relation, !relation.isToMany else { return nil }
    if rest.isEmpty {
      guard comparison.operand == .value(.null), comparison.operator == .equal || comparison.operator == .notEqual
      else { return nil }
      let expectsNone = comparison.operator == .equal
      return try join(key, level, where: .constant(true)) { ($0 == 0) == expectsNone }?.node
    }
    var inner = comparison
    inner.term.path = QueryPath(Array(rest))
    guard let some = try join(key, level, where: .comparison(inner), test: { $0 > 0 }),
      let none = try join(key, level, where: .constant(true), test: { $0 == 0 })
    else { return nil }
    // Where there is no related model, its fields are nil.
    return try some.related.holds(for: NoRow()) ? QueryNode(.or, [some.node, none.node]) : some.node
  }
}

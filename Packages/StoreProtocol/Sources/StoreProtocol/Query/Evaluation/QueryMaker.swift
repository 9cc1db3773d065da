@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A builder that prepares conditions for evaluation.
struct QueryMaker {
  let context: ValueTransformerContext
  let isForRecords: Bool
  /// Whether the related models that reference a model can be found.
  var canJoin = false
  /// The classes whose records have to be searched for these references.
  let asked = JoinedClasses()

  func node(_ expression: QueryExpression, _ level: QueryLevel) throws -> QueryNode {
    switch expression {
    case .constant(let value): return QueryNode(.constant(value))
    case .and(let terms): return QueryNode(.and, try terms.map { try node($0, level) })
    case .or(let terms): return QueryNode(.or, try terms.map { try node($0, level) })
    case .not(let term): return QueryNode(.not, [try node(term, level)])
    case .comparison(let comparison): return try node(comparison, level)
    case .any(let path, let condition):
      if canJoin, let key = path.keys.last, let owner = try owner(of: path, level),
        let join = try join(key, owner.level, where: condition, test: { $0 > 0 })
      {
        guard owner.level.keeps(key) else { return wrapped(join.node, in: owner.steps) }
        // The condition is prepared only once, because it can contain others of this kind.
        let list = QueryList(slot: try owner.level.slot(key), level: join.relatedLevel)
        return wrapped(QueryNode(.any(list), [join.related]).or(join.node, ifNotIn: list.slot), in: owner.steps)
      }
      let list = try reference(path, level)
      let (found, child) = try elements(of: list.slot, condition)
      return wrapped(QueryNode(.any(found), [child]), in: list)
    }
  }

  private func node(_ comparison: QueryComparison, _ level: QueryLevel) throws -> QueryNode {
    if let node = try joinedComparison(comparison, level) { return node }
    let found = try reference(comparison.term.path, level)
    switch comparison.operand {
    case .value:
      let test = try QueryTestMaker(slot: found.slot, comparison: comparison, context: context).make()
      var other: QueryNode?
      if canJoin, comparison.term.form == .count, let key = comparison.term.path.keys.last,
        let owner = try owner(of: comparison.term.path, level)
      {
        let test = try QueryTestMaker.counting(comparison)
        other = try join(key, owner.level, where: .constant(true)) { try test.matches(.int($0)) }?.node
      }
      return wrapped(QueryNode(.test(found.slot, test)).or(other, ifNotIn: found.slot), in: found)
    case .term(let other):
      guard comparison.term.form != .count, other.form != .count else {
        throw ModelStoreError(
          .invalid, "The condition \(comparison) can't be evaluated: compare a count with a number.")
      }
      let second = try reference(other.path, level)
      let test = try QueryPairTest(found.slot.field, context, second.slot.field, comparison, with: other)
      return QueryNode(.pair(found, second, test))
    case .unwritable(let reason):
      throw ModelStoreError(.invalid, "The condition on \"\(comparison.term)\" can't be evaluated: \(reason)")
    }
  }

  /// Throws if an order is that of the number of models of a relation that records of these models store.
  func checkOrder(_ term: QueryTerm, _ level: QueryLevel) throws {
    guard term.form == .count, let key = term.path.keys.last, let owner = try owner(of: term.path, level),
      try join(key, owner.level, where: .constant(true), test: { _ in true }) != nil
    else { return }
    throw ModelStoreError(
      .unsupported,
      """
      \(owner.level.name) can't be sorted by the number of \(key.quotedForMessage): it may be stored in the records of the \
      related models only. List the models with including:, and sort them.
      """)
  }

  private func elements(of slot: QuerySlot, _ condition: QueryExpression) throws -> (QueryList, QueryNode) {
    if let relation = slot.field as? any RelationField {
      guard relation.isToMany else {
        throw ModelStoreError(
          .invalid, "\(slot.key.quotedForMessage) references one model: use its fields, as in \(slot.key).name.")
      }
      let level = QueryLevel(relation.relatedClass, context, isForRecords: isForRecords)
      return (QueryList(slot: slot, level: level), try node(condition, level))
    }
    let reader = try ListElements.reader(of: slot.field, context)
    guard let element = ListElements.prototype(of: slot.field, context) else {
      throw ModelStoreError(.invalid, "\"\(slot.key)\" is not a list: its type is \(slot.field.valueType).")
    }
    let level = QueryLevel(elementsAs: element, context)
    return (QueryList(slot: slot, level: level, elements: reader), try node(condition, level))
  }

  /// Returns the field at the end of a path.
  ///
  /// - Throws: ``ModelStoreError`` if there is no such field.
  func reference(_ path: QueryPath, _ level: QueryLevel) throws -> QueryReference {
    guard !path.keys.isEmpty else {
      guard level.modelClass == nil else {
        throw ModelStoreError(.invalid, "A condition needs the path of a field; this one is empty.")
      }
      return QueryReference(slot: try level.slot(""))
    }
    let owner = try steps(of: path, level)
    return QueryReference(steps: owner.steps, slot: try owner.level.slot(owner.rest))
  }

  /// Returns the level of the last key of a path, and the steps to it; nil if the key is inside a value.
  func owner(
    of path: QueryPath, _ level: QueryLevel
  ) throws -> (steps: [(slot: QuerySlot, level: QueryLevel)], level: QueryLevel)? {
    let owner = try steps(of: path, level)
    return owner.rest.count == 1 ? (owner.steps, owner.level) : nil
  }

  /// Returns the steps of a path through relations, and the rest of its keys.
  private func steps(
    of path: QueryPath, _ level: QueryLevel
  ) throws -> (steps: [(slot: QuerySlot, level: QueryLevel)], level: QueryLevel, rest: ArraySlice<String>) {
    var current = level
    var steps: [(slot: QuerySlot, level: QueryLevel)] = []
    var rest = path.keys[...]
    while rest.count > 1, current.modelClass != nil, let key = rest.first {
      let slot = try current.slot(key)
      guard let relation = slot.field as? any RelationField else { break }
      guard !relation.isToMany else {
        throw ModelStoreError(
          .invalid,
          "\("\(path)".quotedForMessage) is not a valid path: \(key.quotedForMessage) of \(current.name) is not a to-one relation."
        )
      }
      current = current.level(through: slot, relation, isForRecords: isForRecords)
      steps.append((slot, current))
      rest = rest.dropFirst()
    }
    return (steps, current, rest)
  }

  private func wrapped(_ node: QueryNode, in reference: QueryReference) -> QueryNode {
    wrapped(node, in: reference.steps)
  }

  func wrapped(_ node: QueryNode, in steps: [(slot: QuerySlot, level: QueryLevel)]) -> QueryNode {
    steps.reversed().reduce(node) { inner, step in QueryNode(.related(step.slot, step.level), [inner]) }
  }
}

extension QueryLevel {
  var name: String { modelClass?.displayName ?? "an element" }

  /// Returns the level of the models that a relation references. All paths through the relation share it.
  func level(through slot: QuerySlot, _ relation: any RelationField, isForRecords: Bool) -> QueryLevel {
    if let known = related[slot.key] { return known }
    let level = QueryLevel(relation.relatedClass, context, isForRecords: isForRecords)
    related[slot.key] = level
    return level
  }
}

extension QueryNode {
  /// Returns a node that evaluates this condition for records with a field, and the other one for records without it.
  ///
  /// - Returns: this node if there is no other condition.
  fileprivate func or(_ other: QueryNode?, ifNotIn slot: QuerySlot) -> QueryNode {
    other.map { QueryNode(.keptOrJoined(slot), [self, $0]) } ?? self
  }
}

/// The classes whose records are searched for references to a model.
final class JoinedClasses {
  private(set) var all: [ModelObject.Type] = []

  func add(_ modelClass: ModelObject.Type) {
    if !all.contains(where: { $0 == modelClass }) { all.append(modelClass) }
  }
}

@_spi(ModelKitInternals) import ModelCore

/// A condition that is prepared for many records: names are resolved to slots, operands have the type of their field.
final class QueryNode {
  enum Kind {
    case constant(Bool)
    case and, or, not
    /// The test of a field of this level.
    case test(QuerySlot, QueryTest)
    /// The comparison of two fields, each of which can be of a related model.
    case pair(QueryReference, QueryReference, QueryPairTest)
    /// The only child holds for the related model, or for nil if there is none.
    case related(QuerySlot, QueryLevel)
    /// The only child holds for an element or a related model.
    case any(QueryList)
    /// A relation whose links only the related models store.
    case joined(QueryJoin)
    /// A relation whose links both sides store. The first child holds for a record that has the field. For other
    /// records the second child holds, which reads the related models.
    case keptOrJoined(QuerySlot)
  }

  let kind: Kind
  let children: [QueryNode]
  // The payload of the most frequent case. To extract it from the enumeration would retain it for every record.
  private let slot: QuerySlot?
  private let test: QueryTest?
  /// Whether the condition reads related models, or the elements of a list.
  private let followsRelations: Bool

  init(_ kind: Kind, _ children: [QueryNode] = []) {
    self.kind = kind
    self.children = children
    switch kind {
    case .related, .any, .keptOrJoined: followsRelations = true
    default: followsRelations = children.contains(where: \.followsRelations)
    }
    if case .test(let slot, let test) = kind {
      self.slot = slot
      self.test = test
    } else {
      slot = nil
      test = nil
    }
  }
}

/// A field of this level, or of a model that is reached through relations of this level.
struct QueryReference {
  var steps: [(slot: QuerySlot, level: QueryLevel)] = []
  var slot: QuerySlot
}

/// A list of values or a to-many relation, with the access to its elements.
struct QueryList {
  let slot: QuerySlot
  let level: QueryLevel
  /// A function that returns the elements of the list as JSON; nil if it is written element by element.
  var elements: ((JSONValue) throws -> [JSONValue])?
}

/// A record, an element of a list or a model for which a condition is evaluated.
protocol QueryRow {
  /// Returns whether a field passes a test.
  func test(_ test: QueryTest, at slot: QuerySlot) throws -> Bool
  /// Returns the value of a field; `null` for nil.
  func json(at slot: QuerySlot) throws -> JSONValue
  /// Returns the model that a to-one relation references; nil for none.
  func related(at slot: QuerySlot, _ level: QueryLevel) throws -> (any QueryRow)?
  /// Returns the elements of a list or a to-many relation.
  func elements(of list: QueryList) throws -> [any QueryRow]
  /// Returns the number of related models that reference this one and for which a condition holds.
  func count(of join: QueryJoin) throws -> Int
  /// Returns whether the row determines the value of a field: it has a value, or is known to have none.
  func knows(_ slot: QuerySlot) throws -> Bool
}

extension QueryNode {
  /// The field and the test, if the condition is one test of a field that is not inside a nested object.
  var single: (slot: QuerySlot, test: QueryTest)? {
    guard let slot, let test, !slot.isNested else { return nil }
    return (slot, test)
  }

  /// Returns whether the condition holds for a row.
  @inline(__always)
  func holds(for row: some QueryRow) throws -> Bool {
    // The fast path: most conditions are one comparison.
    if let slot, let test { return try row.test(test, at: slot) }
    return try holdsInside(row)
  }

  private func holdsInside<Row: QueryRow>(_ row: Row) throws -> Bool {
    switch kind {
    case .constant(let value): return value
    case .test(let slot, let test): return try row.test(test, at: slot)
    case .and:
      for child in children where try !child.holds(for: row) { return false }
      return true
    case .or:
      for child in children where try child.holds(for: row) { return true }
      return false
    case .not: return try !children[0].holdsInside(row)
    case .pair(let left, let right, let test): return try test.matches(left.json(in: row), right.json(in: row))
    case .related(let slot, let level):
      guard let related = try row.related(at: slot, level) else { return try children[0].holdsInside(NoRow()) }
      return try children[0].open(related)
    case .any(let list):
      for element in try row.elements(of: list) where try children[0].open(element) { return true }
      return false
    case .joined(let join): return try join.test(row.count(of: join))
    case .keptOrJoined(let slot): return try children[row.knows(slot) ? 0 : 1].holdsInside(row)
    }
  }

  private func open(_ row: any QueryRow) throws -> Bool {
    // Many paths can end at one related model. Their number grows with each relation that a condition follows.
    guard followsRelations, let related = row as? RelatedRow else { return try holdsInside(row) }
    return try related.surroundings.result(of: self, for: related.identifier) { try holdsInside(related) }
  }
}

extension QueryReference {
  /// Returns the value in a row; `null` if a relation on the path is nil.
  func json(in row: any QueryRow) throws -> JSONValue {
    var row = row
    for step in steps {
      guard let next = try row.related(at: step.slot, step.level) else { return .null }
      row = next
    }
    return try row.json(at: slot)
  }
}

/// The stand-in for a related model that does not exist: every field is nil.
struct NoRow: QueryRow {
  func test(_ test: QueryTest, at slot: QuerySlot) throws -> Bool { try test.matches(.null) }
  func json(at slot: QuerySlot) throws -> JSONValue { .null }
  func related(at slot: QuerySlot, _ level: QueryLevel) throws -> (any QueryRow)? { nil }
  func elements(of list: QueryList) throws -> [any QueryRow] { [] }
  func count(of join: QueryJoin) throws -> Int { 0 }
  func knows(_ slot: QuerySlot) throws -> Bool { true }
}

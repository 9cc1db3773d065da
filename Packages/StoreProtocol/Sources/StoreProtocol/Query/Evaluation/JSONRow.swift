@_spi(ModelKitInternals) import ModelCore

/// The records of related models, which a query needs to follow foreign keys.
final class QueryRelatedRecords {
  /// A function that returns the record of a related model, or nil for an unknown identifier. Nil if none can be read.
  private let lookup: ((ModelObject.Type, String) throws -> AttributeDictionary?)?
  private var known: [ObjectIdentifier: [ExactText: AttributeDictionary?]] = [:]
  /// The foreign keys of the records for which the condition of a join holds.
  private let join: ((QueryJoin) throws -> [JSONValue])?
  private var joined: [ObjectIdentifier: [LinkKey: Int]] = [:]
  /// Whether conditions hold for related models, by the identifiers of these.
  private var results: [ObjectIdentifier: [LinkKey: Bool]] = [:]

  init(
    _ lookup: ((ModelObject.Type, String) throws -> AttributeDictionary?)?,
    join: ((QueryJoin) throws -> [JSONValue])? = nil
  ) {
    self.lookup = lookup
    self.join = join
  }

  /// Returns the number of records that reference a model and for which the condition of a join holds.
  func count(of join: QueryJoin, _ identifier: JSONValue) throws -> Int {
    if let counts = joined[ObjectIdentifier(join)] { return counts[LinkKey(identifier)] ?? 0 }
    guard let foreignKeys = try self.join?(join) else {
      throw ModelStoreError(
        .unsupported,
        """
        This store can't search the records of \(join.relatedClass.displayName) for references to a model. List the models \
        with including:, and test them with matches(_:).
        """)
    }
    let counts = join.counts(of: foreignKeys)
    joined[ObjectIdentifier(join)] = counts
    return counts[LinkKey(identifier)] ?? 0
  }

  /// Returns whether a condition holds for a related model. It is evaluated once for each model.
  func result(of node: QueryNode, for identifier: JSONValue, _ evaluate: () throws -> Bool) throws -> Bool {
    let key = LinkKey(identifier)
    if let known = results[ObjectIdentifier(node)]?[key] { return known }
    let result = try evaluate()
    results[ObjectIdentifier(node), default: [:]][key] = result
    return result
  }

  var canLookUp: Bool { lookup != nil }

  func record(of modelClass: ModelObject.Type, _ identifier: String) throws -> AttributeDictionary? {
    let key = ObjectIdentifier(modelClass)
    if let found = known[key]?[ExactText(identifier)] { return found }
    guard let lookup else {
      throw ModelStoreError(
        .unsupported,
        """
        This store can't read fields of a related \(modelClass.displayName): only its identifier is loaded. List the models \
        with including:, and test them with matches(_:).
        """)
    }
    let found = try lookup(modelClass, identifier)
    known[key, default: [:]][ExactText(identifier)] = .some(found)
    return found
  }
}

/// A record as a dictionary, or an element of a list.
struct JSONRow: QueryRow {
  let value: JSONValue
  let surroundings: QueryRelatedRecords

  @inline(__always)
  private func found(at slot: QuerySlot) throws -> JSONValue {
    guard !slot.key.isEmpty else { return slot.inner.isEmpty ? value : value.member(at: slot.inner) }
    guard case .object(let record) = value else { return slot.missing }
    if slot.isNested { return try slot.value(in: record) ?? slot.missing }
    return record[slot.spelledKey] ?? slot.missing
  }

  func test(_ test: QueryTest, at slot: QuerySlot) throws -> Bool { try test.matches(found(at: slot)) }

  func json(at slot: QuerySlot) throws -> JSONValue { try found(at: slot) }

  func related(at slot: QuerySlot, _ level: QueryLevel) throws -> (any QueryRow)? {
    let json = try found(at: slot)
    return json.isNull ? nil : RelatedRow.row(for: json, level, surroundings)
  }

  func elements(of list: QueryList) throws -> [any QueryRow] {
    try RelatedRow.elements(in: found(at: list.slot), of: list, surroundings)
  }

  func count(of join: QueryJoin) throws -> Int { try surroundings.count(of: join, found(at: join.identifier)) }

  func knows(_ slot: QuerySlot) throws -> Bool {
    guard case .object(let record) = value else { return false }
    return try record.value(atNestedKey: slot.spelledKey)?.isNull == false
  }
}

/// A related model of which a record has only the identifier. It is looked up when another field is needed.
struct RelatedRow: QueryRow {
  let identifier: JSONValue
  let level: QueryLevel
  let surroundings: QueryRelatedRecords

  /// Returns the row of a related model, which a record contains in full or as its identifier.
  static func row(for json: JSONValue, _ level: QueryLevel, _ surroundings: QueryRelatedRecords) -> any QueryRow {
    guard case .object(let record) = json else {
      return RelatedRow(identifier: json, level: level, surroundings: surroundings)
    }
    // An object with only an identifier stands for a model that is written in full elsewhere.
    if surroundings.canLookUp, record.count == 1, let (key, identifier) = record.first,
      let expected = level.identifierKey, level.context.key(expected) == key
    {
      return RelatedRow(identifier: identifier, level: level, surroundings: surroundings)
    }
    return JSONRow(value: json, surroundings: surroundings)
  }

  static func elements(
    in json: JSONValue, of list: QueryList, _ surroundings: QueryRelatedRecords
  ) throws -> [any QueryRow] {
    if json.isNull { return [] }
    let elements = try list.elements?(json) ?? json.arrayValue ?? []
    if list.level.modelClass == nil { return elements.map { JSONRow(value: $0, surroundings: surroundings) } }
    return elements.map { row(for: $0, list.level, surroundings) }
  }

  private func record() throws -> JSONRow? {
    guard let modelClass = level.modelClass, let prototype = level.prototype else { return nil }
    let text: String
    switch identifier {
    case .string(let value) where prototype.identifierField?.valueType == String.self: text = value
    case .int(let value) where prototype.identifierField?.valueType == Int.self: text = String(value)
    default:
      // A transformer or another type spells the identifier in its own form.
      let sample = modelClass.init()
      guard let field = sample.identifierField else { return nil }
      try field.staged(identifier, by: FieldReader(context: level.context))()
      guard let found = sample.storedIdentifier else { return nil }
      text = found
    }
    return try surroundings.record(of: modelClass, text).map {
      JSONRow(value: .object($0), surroundings: surroundings)
    }
  }

  func test(_ test: QueryTest, at slot: QuerySlot) throws -> Bool {
    if slot.key == level.identifierKey, slot.inner.isEmpty { return try test.matches(identifier) }
    return try record()?.test(test, at: slot) ?? NoRow().test(test, at: slot)
  }

  func json(at slot: QuerySlot) throws -> JSONValue {
    if slot.key == level.identifierKey, slot.inner.isEmpty { return identifier }
    return try record()?.json(at: slot) ?? .null
  }

  func related(at slot: QuerySlot, _ level: QueryLevel) throws -> (any QueryRow)? {
    try record()?.related(at: slot, level)
  }

  func elements(of list: QueryList) throws -> [any QueryRow] { try record()?.elements(of: list) ?? [] }

  func count(of join: QueryJoin) throws -> Int { try surroundings.count(of: join, identifier) }

  func knows(_ slot: QuerySlot) throws -> Bool { try record()?.knows(slot) ?? true }
}

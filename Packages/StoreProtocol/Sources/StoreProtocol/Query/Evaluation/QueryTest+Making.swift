@_spi(ModelKitInternals) import ModelCore

/// A builder of the test of one field, from the type of the field and the comparison of the query.
struct QueryTestMaker {
  let slot: QuerySlot
  let comparison: QueryComparison
  let context: ValueTransformerContext

  private var field: AnyField { slot.field.isUntypedMember ? UntypedMember.field(for: comparison) : slot.field }

  func make() throws -> QueryTest {
    guard case .value(let operand) = comparison.operand else { throw refused("it compares with a value") }
    if comparison.term.form == .count { return try counting(operand) }
    if operand.isNull {
      switch comparison.operator {
      case .equal: return nilTest(expectsNil: true)
      case .notEqual: return nilTest(expectsNil: false)
      case .isIn: throw refused("\"in\" needs a list")
      // No value is less or greater than nil, or contains it.
      default: return ValueTestOfNothing()
      }
    }
    // A conformance that is isolated to an actor must not be used, because a store can have any isolation.
    if let type = field.valueType as? any (Comparable & SendableMetatype).Type { return try comparing(type, operand) }
    if let type = field.valueType as? any (Equatable & SendableMetatype).Type { return try equating(type, operand) }
    throw refused("values of the type \(field.valueType) can't be compared")
  }

  func refused(_ reason: String, because error: (any Error)? = nil) -> ModelStoreError {
    var shown = comparison
    let isSecret = slot.owner.isSensitive
    if isSecret, case .value(let value) = comparison.operand, !value.isNull { shown.operand = .unwritable("redacted") }
    let reason = error.map { isSecret ? reason : "\($0)" } ?? reason
    return ModelStoreError(.invalid, "The condition \(shown) can't be evaluated: \(reason).")
  }

  private func nilTest(expectsNil: Bool) -> QueryTest {
    func open<Value>(_ type: Value.Type) -> QueryTest {
      guard !(self.field is any RelationField), let field = field as? Field<Value>, !field.isPlain(in: context) else {
        return NilTest(expectsNil: expectsNil)
      }
      // A transformer can read nil from a value that is not null.
      return ValueTest(field, context) { ($0 == nil) == expectsNil }
    }
    return _openExistential(field.valueType, do: open)
  }

  // MARK: Operands

  /// Returns the operand as a value of the field; nil for `null`.
  private func value<Value>(_ json: JSONValue, of field: Field<Value>) throws -> Value? {
    if let type = Value.self as? Double.Type, case .double(let number) = json, type == Double.self {
      return number as? Value
    }
    do {
      return try ValueTransformerContext.standard.value(of: json, as: Value.self)
    } catch {
      // Only the field can write and read this type.
      if let value = try? field.value(readFrom: json, in: .standard) { return value }
      throw refused("its value has the wrong type", because: error)
    }
  }

  private func list<Value>(_ json: JSONValue, of field: Field<Value>) throws -> [Value?] {
    guard case .array(let elements) = json else { throw refused("\"in\" needs a list") }
    return try elements.map { try value($0, of: field) }
  }

  // MARK: Tests by type

  private func comparing<Value: Comparable>(_ type: Value.Type, _ operand: JSONValue) throws -> QueryTest {
    if let type = type as? String.Type, type == String.self { return try text(operand) }
    guard let field = field as? Field<Value> else { throw refused("its field has another type") }
    let compare: (Value, Value) -> Bool
    switch comparison.operator {
    case .less: compare = { $0 < $1 }
    case .lessOrEqual: compare = { $0 <= $1 }
    case .greater: compare = { $0 > $1 }
    case .greaterOrEqual: compare = { $0 >= $1 }
    default: return try equating(type, operand)
    }
    guard let operand = try value(operand, of: field) else { return ValueTestOfNothing() }
    let general = ValueTest(field, context) { value in value.map { compare($0, operand) } ?? false }
    return number(operand, general) ?? general
  }

  private func equating<Value: Equatable>(_ type: Value.Type, _ operand: JSONValue) throws -> QueryTest {
    guard let field = field as? Field<Value> else { throw refused("its field has another type") }
    switch comparison.operator {
    case .equal, .notEqual:
      let expected = comparison.operator == .equal
      let operand = try value(operand, of: field)
      let general = ValueTest(field, context) { ($0 == operand) == expected }
      return operand.flatMap { number($0, general) } ?? general
    case .isIn:
      let list = try list(operand, of: field)
      if let set = list as? any HashableOptionals { return set.test(field, context) ?? general(field, list) }
      return general(field, list)
    default: throw refused("values of the type \(type) have no order, and are not text")
    }
  }

  private func general<Value: Equatable>(_ field: Field<Value>, _ list: [Value?]) -> QueryTest {
    ValueTest(field, context) { list.contains($0) }
  }

  private func number<Value>(_ operand: Value, _ general: ValueTest<Value>) -> QueryTest? {
    if let operand = operand as? Double, let general = general as? ValueTest<Double>,
      (field as? Field<Double>)?.isPlain(in: context) == true
    {
      return DoubleTest(comparison.operator, operand, general)
    }
    guard let operand = operand as? Int, let general = general as? ValueTest<Int>,
      (field as? Field<Int>)?.isPlain(in: context) == true
    else { return nil }
    return IntegerTest(comparison.operator, operand, general)
  }

  // MARK: Text

  private func text(_ json: JSONValue) throws -> QueryTest {
    guard let field = field as? Field<String> else { throw refused("its field has another type") }
    let form = comparison.term.form
    let folds = form.folding != nil
    func prepared(_ text: String) -> String { form.folded(text) }
    switch comparison.operator {
    case .isIn:
      let list = Set(try list(json, of: field).map { $0.map { Array(prepared($0).utf8) } })
      return ValueTest(field, context) { text in list.contains(text.map { Array(prepared($0).utf8) }) }
    case .matches, .containsMatch: return try matching(json, field, form)
    case .matchesWords:
      guard case .string(let words) = json else { throw refused("the words of a search are a text") }
      let search = WordSearch(words)
      return ValueTest(field, context) { text in text.map(search.matches) ?? false }
    default: break
    }
    guard let operand = try value(json, of: field).map(prepared) else { throw refused("it needs a text") }
    let utf8 = Array(operand.utf8)
    let operation = comparison.operator
    let general = ValueTest(field, context) { text in
      guard let text else { return operation == .notEqual }
      return ScalarOrder.compare(prepared(text), operation, utf8)
    }
    return !folds && field.isPlain(in: context) ? TextTest(operation, operand, general) : general
  }

  private func matching(_ json: JSONValue, _ field: Field<String>, _ form: QueryTerm.Form) throws -> QueryTest {
    // The pattern has accents where the text has none, and can't be folded.
    if form == .ignoringCaseAndAccents { throw refused("a regular expression can't ignore accents") }
    guard case .string(let pattern) = json else { throw refused("a regular expression is a text") }
    let isWhole = comparison.operator == .matches
    do {
      var regex = try Regex(pattern)
      if form == .ignoringCase { regex = regex.ignoresCase() }
      return ValueTest(field, context) { text in
        guard let text else { return false }
        return isWhole ? try regex.wholeMatch(in: text) != nil : try regex.firstMatch(in: text) != nil
      }
    } catch {
      let shown = slot.owner.isSensitive ? "its value" : "/\(pattern)/"
      throw refused("\(shown) is not a regular expression" + (slot.owner.isSensitive ? "" : " (\(error))"))
    }
  }

  // MARK: Counts

  private func counting(_ operand: JSONValue) throws -> QueryTest {
    CountTest(try Self.counting(comparison), try ListElements.reader(of: field, context))
  }

  /// Returns the test of the number of elements or models.
  static func counting(_ comparison: QueryComparison) throws -> QueryTest {
    let slot = QuerySlot(Field<Int>(), key: "", .standard, index: 0)
    let plain = QueryComparison(QueryTerm(comparison.term.path), comparison.operator, comparison.operand)
    return try QueryTestMaker(slot: slot, comparison: plain, context: .standard).make()
  }
}

/// A test that never passes, because no value is less than nil.
private final class ValueTestOfNothing: QueryTest {}

/// A test of the number of elements of a list.
private final class CountTest: QueryTest {
  private let test: QueryTest
  private let elements: ((JSONValue) throws -> [JSONValue])?

  init(_ test: QueryTest, _ elements: ((JSONValue) throws -> [JSONValue])?) {
    self.test = test
    self.elements = elements
  }

  override func matches(_ json: JSONValue) throws -> Bool {
    if json.isNull { return try test.matches(.int(0)) }
    return try test.matches(.int(elements?(json).count ?? json.arrayValue?.count ?? 0))
  }
}

/// A list of values that can become a set, which is faster to search.
private protocol HashableOptionals {
  func test(_ field: AnyField, _ context: ValueTransformerContext) -> QueryTest?
}

extension Array: HashableOptionals where Element: OptionalHashable {
  fileprivate func test(_ field: AnyField, _ context: ValueTransformerContext) -> QueryTest? {
    Element.test(field, context, self)
  }
}

private protocol OptionalHashable {
  static func test(_ field: AnyField, _ context: ValueTransformerContext, _ list: [Self]) -> QueryTest?
}

extension Optional: OptionalHashable where Wrapped: Hashable {
  fileprivate static func test(
    _ field: AnyField, _ context: ValueTransformerContext, _ list: [Wrapped?]
  ) -> QueryTest? {
    guard let field = field as? Field<Wrapped> else { return nil }
    let set = Set(list)
    return ValueTest(field, context) { set.contains($0) }
  }
}

@_spi(ModelKitInternals) import ModelCore

/// A field of a model in a query, which can be compared with a value or with another field.
///
/// ```swift
/// let query = ModelQuery(Person.self, where: { $0.age > 30 && $0.name != "Bob" })
/// ```
///
/// A value that is written as an object can be read inside, such as `$0.receipt.pages > 3`. It is a `Codable` struct,
/// or a `JSONConvertible` type that writes each property under its name. Members of the latter compare as JSON: texts
/// with texts, numbers with numbers. A property that is not a member, such as a computed one, makes the query throw
/// ``ModelStoreError`` with the code `invalid`.
@dynamicMemberLookup
public struct QueryColumn<Value> {
  let field: Field<Value>
  let term: QueryTerm
  /// The derivation of the value from that of a stored field; nil for a stored field.
  var derivation: QueryDerivation<Value>?

  /// The path of the stored field.
  var storedPath: QueryPath { derivation?.path ?? term.path }

  /// The column itself. It is unavailable, because a query is created before there is a model with a value.
  @available(*, unavailable, message: "Compare the field itself, without .value: $0.name == \"Emma\"")
  public var value: QueryColumn { self }

  func compare(_ operation: QueryComparison.Operator, _ value: Value?) -> QueryExpression {
    compare(operation, operand(value))
  }

  func compare(_ operation: QueryComparison.Operator, _ operand: QueryComparison.Operand) -> QueryExpression {
    .comparison(QueryComparison(term, operation, operand))
  }

  private func operand(_ value: Value?) -> QueryComparison.Operand {
    guard let value = value.map(field.normalized) else { return .value(.null) }
    // A query can compare with values that no store can keep.
    if let number = value as? Double, !number.isFinite { return .value(.double(number)) }
    do {
      return .value(try ValueTransformerContext.standard.json(of: value))
    } catch {
      // Only the field can write this type.
      if let json = try? field.json(ofValue: value, in: .standard) { return .value(json) }
      return .unwritable("\(error)")
    }
  }

  func operand(_ values: some Sequence<Value>) -> QueryComparison.Operand {
    var list: [JSONValue] = []
    for value in values {
      switch operand(value) {
      case .value(let json): list.append(json)
      case let failure: return failure
      }
    }
    return .value(.array(list))
  }
}

extension QueryColumn where Value: Equatable {
  /// Returns the condition that the field has this value; with nil, that it has none.
  public static func == (column: QueryColumn, value: Value?) -> QueryExpression { column.compare(.equal, value) }

  /// Returns the condition that the field has another value or none; with nil, that it has one.
  public static func != (column: QueryColumn, value: Value?) -> QueryExpression { column.compare(.notEqual, value) }

  /// Returns the condition that both fields have the same value or none.
  public static func == (left: QueryColumn, right: QueryColumn) -> QueryExpression {
    left.compare(.equal, .term(right.term))
  }

  /// Returns the condition that the fields differ.
  public static func != (left: QueryColumn, right: QueryColumn) -> QueryExpression {
    left.compare(.notEqual, .term(right.term))
  }

  /// Returns the condition that the value of the field is one of these.
  public func isIn(_ values: some Sequence<Value>) -> QueryExpression { compare(.isIn, operand(values)) }
}

extension QueryColumn where Value: Comparable {
  /// Returns the condition that the field is less than a value.
  public static func < (column: QueryColumn, value: Value?) -> QueryExpression { column.compare(.less, value) }

  /// Returns the condition that the field is at most a value.
  public static func <= (column: QueryColumn, value: Value?) -> QueryExpression { column.compare(.lessOrEqual, value) }

  /// Returns the condition that the field is greater than a value.
  public static func > (column: QueryColumn, value: Value?) -> QueryExpression { column.compare(.greater, value) }

  /// Returns the condition that the field is at least a value.
  public static func >= (column: QueryColumn, value: Value?) -> QueryExpression {
    column.compare(.greaterOrEqual, value)
  }

  /// Returns the condition that the field is less than another one.
  public static func < (left: QueryColumn, right: QueryColumn) -> QueryExpression {
    left.compare(.less, .term(right.term))
  }

  /// Returns the condition that the field is at most another one.
  public static func <= (left: QueryColumn, right: QueryColumn) -> QueryExpression {
    left.compare(.lessOrEqual, .term(right.term))
  }

  /// Returns the condition that the field is greater than another one.
  public static func > (left: QueryColumn, right: QueryColumn) -> QueryExpression {
    left.compare(.greater, .term(right.term))
  }

  /// Returns the condition that the field is at least another one.
  public static func >= (left: QueryColumn, right: QueryColumn) -> QueryExpression {
    left.compare(.greaterOrEqual, .term(right.term))
  }

  /// Returns the condition that the value of the field is in a range.
  public func isIn(_ range: Range<Value>) -> QueryExpression {
    .and([compare(.greaterOrEqual, range.lowerBound), compare(.less, range.upperBound)])
  }

  /// Returns the condition that the value of the field is in a range.
  public func isIn(_ range: ClosedRange<Value>) -> QueryExpression {
    .and([compare(.greaterOrEqual, range.lowerBound), compare(.lessOrEqual, range.upperBound)])
  }

  /// Returns the condition that the value of the field is in a range without an upper bound, such as `18...`.
  public func isIn(_ range: PartialRangeFrom<Value>) -> QueryExpression { compare(.greaterOrEqual, range.lowerBound) }

  /// Returns the condition that the value of the field is in a range without a lower bound, such as `..<18`.
  public func isIn(_ range: PartialRangeUpTo<Value>) -> QueryExpression { compare(.less, range.upperBound) }

  /// Returns the condition that the value of the field is in a range without a lower bound, such as `...18`.
  public func isIn(_ range: PartialRangeThrough<Value>) -> QueryExpression { compare(.lessOrEqual, range.upperBound) }
}

extension ClosedRange {
  /// Returns the condition that the value of a field is in the range.
  @_disfavoredOverload
  public func contains(_ column: QueryColumn<Bound>) -> QueryExpression { column.isIn(self) }
}

extension Range {
  /// Returns the condition that the value of a field is in the range.
  @_disfavoredOverload
  public func contains(_ column: QueryColumn<Bound>) -> QueryExpression { column.isIn(self) }
}

extension Sequence where Element: Equatable {
  /// Returns the condition that the value of a field is one of these.
  @_disfavoredOverload
  public func contains(_ column: QueryColumn<Element>) -> QueryExpression { column.isIn(self) }
}

extension QueryColumn where Value == String {
  /// The text with its case folded, the same for every locale. The operand of a comparison is folded, too.
  ///
  /// Every scalar is replaced by its full case folding, as Unicode defines it. `$0.name.ignoringCase == "STRASSE"`
  /// finds `straße`, and `"ΟΔΟΣ"` finds `οδος`. Accents matter.
  public var ignoringCase: QueryColumn { column(in: .ignoringCase) }

  /// The text without case and accents, the same for every locale. The operand of a comparison is folded, too.
  ///
  /// Every scalar is replaced by its compatibility decomposition. Nonspacing marks and invisible scalars are removed.
  /// Every other scalar is replaced by its full case folding, as Unicode defines it.
  ///
  /// `$0.name.ignoringCaseAndAccents.hasPrefix("jose")` finds `José`. A letter that has no decomposition, such as `ø`,
  /// stays as it is. A regular expression can't ignore accents: such a query throws ``ModelStoreError`` with the code
  /// `invalid`.
  public var ignoringCaseAndAccents: QueryColumn { column(in: .ignoringCaseAndAccents) }

  private func column(in form: QueryTerm.Form) -> QueryColumn {
    QueryColumn(
      field: field, term: QueryTerm(term.path, form: form), derivation: QueryDerivation(self) { form.folded($0) })
  }

  /// Returns the condition that the text has all words of a search, in any order.
  ///
  /// ```swift
  /// let books = try await store.list(
  ///   Book.self, where: { $0.title.matches(words: "jane aust*") })
  /// ```
  ///
  /// Case and accents are ignored as by ``ignoringCaseAndAccents``. A word is a run of letters, numbers and their
  /// marks; everything else separates words. A star at the end of a word finds the words that begin with it. A search
  /// without words, such as `""`, finds every text, but not nil. A memory store and a file store find words by a text
  /// index.
  public func matches(words: String) -> QueryExpression {
    .comparison(QueryComparison(QueryTerm(term.path), .matchesWords, .value(.string(words))))
  }

  /// Returns the condition that the text begins with another one.
  public func hasPrefix(_ text: String) -> QueryExpression { compare(.hasPrefix, text) }

  /// Returns the condition that the text ends with another one.
  public func hasSuffix(_ text: String) -> QueryExpression { compare(.hasSuffix, text) }

  /// Returns the condition that the text contains another one.
  public func contains(_ text: String) -> QueryExpression { compare(.contains, text) }

  /// Returns the condition that a regular expression matches the whole text.
  ///
  /// Regular expressions backtrack: a hostile one can take exponential time.
  public func matches(_ regex: Regex<some Any>) -> QueryExpression { compare(.matches, pattern(of: regex)) }

  /// Returns the condition that a regular expression matches a part of the text.
  public func contains(_ regex: Regex<some Any>) -> QueryExpression { compare(.containsMatch, pattern(of: regex)) }

  private func pattern(of regex: Regex<some Any>) -> QueryComparison.Operand {
    // A query is a value that can be stored and sent, so it keeps the text between the slashes.
    if let pattern = regex._literalPattern { return .value(.string(pattern)) }
    return .unwritable("a regular expression that was not written between slashes can't be part of a query")
  }
}

extension QueryColumn {
  /// Returns the condition that the list contains an element.
  public func contains<Element: Equatable>(_ element: Element) -> QueryExpression where Value == [Element] {
    let column = QueryColumn<Element>(field: Field(), term: QueryTerm(QueryPath()))
    return .any(term.path, column == element)
  }
}

/// A condition of a query, as a tree that stores can read and translate.
///
/// Queries create it from closures such as `{ $0.age > 30 && $0.name != "Bob" }`; see ``ModelColumns``. Values compare
/// in the same way in every store:
///
/// - Values compare as their Swift type does: numbers as numbers, dates as dates, enumerations by their cases. Text
///   compares by its Unicode scalars, independent of the locale.
/// - Nil is equal only to nil. If one side is nil, `<`, `<=`, `>` and `>=` are false, and so are `contains`,
///   `hasPrefix`, `hasSuffix`, `matches(words:)` and regular expressions. Therefore `$0.age != 30` and `!($0.age > 30)` hold for a person
///   without age.
/// - A field that a record lacks has its initial value, as after reading the record.
/// - A path through a relation without a model gives nil.
///
/// A condition has at most 100,000 parts, which are nested at most 500 levels deep. A long chain of `&&` or of `||`
/// counts one level for every 256 terms. A chain in which `&&` and `||` alternate counts one level for each operator:
/// `(a || b) && c` has two. A path has at most 64 keys. A query with a larger condition throws ``ModelStoreError`` with
/// the code `invalid`. Do not build trees by hand that are thousands of levels deep: comparing and releasing them needs
/// stack for every level.
public indirect enum QueryExpression: Hashable, Sendable {
  /// A constant: the condition always holds, or never.
  case constant(Bool)
  /// A comparison of a field.
  case comparison(QueryComparison)
  /// All of these conditions hold.
  case and([QueryExpression])
  /// At least one of these conditions holds.
  case or([QueryExpression])
  /// This condition does not hold.
  case not(QueryExpression)
  /// The condition holds for an element of the list, or for a model of the to-many relation, at the path. Paths in the
  /// condition begin at the element.
  case any(QueryPath, QueryExpression)
}

extension QueryExpression {
  // Disfavoured, because otherwise the compiler would type-check every `&&` of an importing module twice. Long
  // conditions would be a thousand times slower to compile.

  /// Returns the condition that both conditions hold.
  @_disfavoredOverload
  public static func && (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    if case .and(let terms) = left, terms.count < joinedCount { return .and(terms + [right]) }
    return QueryExpression.and([left, right]).limited
  }

  /// Returns the condition that at least one of two conditions holds.
  @_disfavoredOverload
  public static func || (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    if case .or(let terms) = left, terms.count < joinedCount { return .or(terms + [right]) }
    return QueryExpression.or([left, right]).limited
  }

  /// Returns the condition that a condition does not hold.
  @_disfavoredOverload
  public static prefix func ! (expression: QueryExpression) -> QueryExpression {
    if case .not(let term) = expression { return term }
    return QueryExpression.not(expression).limited
  }
}

/// A comparison of a field with an operand.
///
/// ```swift
/// let comparison = QueryComparison(QueryTerm(["age"]), .greater, .value(30))
/// assert("\(comparison)" == "age > 30")
/// ```
public struct QueryComparison: Hashable, Sendable {
  /// An operator of a comparison.
  public enum Operator: String, Hashable, Sendable, CaseIterable {
    /// The values are equal.
    case equal = "=="
    /// The values are not equal.
    case notEqual = "!="
    /// The field is less.
    case less = "<"
    /// The field is less or equal.
    case lessOrEqual = "<="
    /// The field is greater.
    case greater = ">"
    /// The field is greater or equal.
    case greaterOrEqual = ">="
    /// The field is equal to an element of the list.
    case isIn = "in"
    /// The text contains this text.
    case contains
    /// The text begins with this.
    case hasPrefix
    /// The text ends with this.
    case hasSuffix
    /// The whole text matches this regular expression.
    case matches
    /// A part of the text matches this regular expression.
    case containsMatch
    /// The text has all words of this one.
    case matchesWords
  }

  /// The operand of a comparison.
  public enum Operand: Hashable, Sendable {
    /// A value as its type writes it: dates in ISO 8601, enumerations by their raw value. A value that only the field's
    /// transformer can write is as the field writes it.
    case value(JSONValue)
    /// Another field of the same type.
    case term(QueryTerm)
    /// The reason why a value can't be written. The query throws it.
    case unwritable(String)
  }

  /// The field.
  public var term: QueryTerm
  /// The operator.
  public var `operator`: Operator
  /// The operand.
  public var operand: Operand

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - term: the field.
  ///   - operator: the operator.
  ///   - operand: the operand.
  public init(_ term: QueryTerm, _ operator: Operator, _ operand: Operand) {
    self.term = term
    self.operator = `operator`
    self.operand = operand
  }
}

/// A condition of a query, as a tree that stores can look into and translate.
///
/// Queries make it from closures such as `{ $0.age > 30 && $0.name != "Bob" }`; see ``ModelColumns``. How values compare is
/// the same in every store:
///
/// - Values compare as their Swift type does: numbers as numbers, dates as dates, enumerations by their cases. Text
///   compares by its Unicode scalars, whatever the language of the system.
/// - Nil is equal to nil only. `<`, `<=`, `>` and `>=` are false where a side is nil, and so are `contains`, `hasPrefix`,
///   `hasSuffix` and regular expressions. So `$0.age != 30` holds for a person without age, and so does
///   `!($0.age > 30)`.
/// - A field that a record does not have is as it would be after reading the record: it has its initial value.
/// - A path through a relation without a model gives nil.
///
/// A condition has at most 100,000 parts, which are nested at most 500 levels deep; a longer chain of `&&` or of `||` counts
/// one level for every 256 terms. A chain in which `&&` and `||` alternate counts one level for each: `(a || b) && c` has two. A
/// query with a larger one throws ``ModelStoreError`` with the code `invalid`. Do not build trees by hand that are many
/// thousand levels deep: to compare or release them takes stack for every level.
public indirect enum QueryExpression: Hashable, Sendable {
  /// Always, or never.
  case constant(Bool)
  /// A field is compared.
  case comparison(QueryComparison)
  /// All of these hold.
  case and([QueryExpression])
  /// One of these holds, or more.
  case or([QueryExpression])
  /// This does not hold.
  case not(QueryExpression)
  /// For an element of the list, or a model of the relation to many, at the path this holds. Its paths begin at the element.
  case any(QueryPath, QueryExpression)
}

extension QueryExpression {
  // Disfavoured, because otherwise every `&&` of a module that imports this one would be checked twice, which makes long
  // conditions a thousand times slower to compile.

  /// Both hold.
  @_disfavoredOverload
  public static func && (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    if case .and(let terms) = left, terms.count < joinedCount { return .and(terms + [right]) }
    return QueryExpression.and([left, right]).limited
  }

  /// One holds, or both.
  @_disfavoredOverload
  public static func || (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    if case .or(let terms) = left, terms.count < joinedCount { return .or(terms + [right]) }
    return QueryExpression.or([left, right]).limited
  }

  /// It does not hold.
  @_disfavoredOverload
  public static prefix func ! (expression: QueryExpression) -> QueryExpression {
    if case .not(let term) = expression { return term }
    return QueryExpression.not(expression).limited
  }
}

/// How a field is compared.
///
/// ```swift
/// let comparison = QueryComparison(QueryTerm(["age"]), .greater, .value(30))
/// assert("\(comparison)" == "age > 30")
/// ```
public struct QueryComparison: Hashable, Sendable {
  /// Ways to compare.
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
    /// The text has this text in it.
    case contains
    /// The text begins with this.
    case hasPrefix
    /// The text ends with this.
    case hasSuffix
    /// The whole text matches this regular expression.
    case matches
    /// A part of the text matches this regular expression.
    case containsMatch
  }

  /// The operand of a comparison.
  public enum Operand: Hashable, Sendable {
    /// A value, as its type writes it: dates in ISO 8601, enumerations by their raw value. Of a type that can't be written
    /// without the field's transformer, as the field writes it.
    case value(JSONValue)
    /// Another field of the same type.
    case term(QueryTerm)
    /// A value that can't be written, and why. The query throws.
    case unwritable(String)
  }

  /// The field.
  public var term: QueryTerm
  /// The way to compare.
  public var `operator`: Operator
  /// The operand.
  public var operand: Operand

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - term: the field.
  ///   - operator: the way to compare.
  ///   - operand: what the field is compared with.
  public init(_ term: QueryTerm, _ operator: Operator, _ operand: Operand) {
    self.term = term
    self.operator = `operator`
    self.operand = operand
  }
}

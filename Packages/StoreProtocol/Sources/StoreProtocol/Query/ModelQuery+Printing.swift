@_spi(ModelKitInternals) internal import ModelCore

extension ModelQuery: CustomStringConvertible {
  /// The query as a person would write it.
  public var description: String {
    var text = M.displayName
    if let shownFilter { text += " where \(shownFilter)" }
    if !sort.isEmpty { text += " sorted by " + sort.map(\.description).joined(separator: ", ") }
    if let limit { text += " limit \(limit)" }
    if offset != 0 { text += " offset \(offset)" }
    return text
  }
}

extension ModelSort: CustomStringConvertible {
  /// The criterion as it is written in a query.
  public var description: String { order.description }
}

extension QueryExpression: CustomStringConvertible {
  /// The condition as a person would write it.
  public var description: String { excessText ?? text(inside: 0) }

  /// Returns the text, in parentheses if the expression around it has a higher precedence: 0 for none, 1 for or, 2 for
  /// and, 3 for not.
  private func text(inside outer: Int) -> String {
    switch self {
    case .constant(let value): "\(value)"
    case .comparison(let comparison): comparison.text(isNegated: outer == 3)
    case .and(let terms): list(terms, "&&", strength: 2, inside: outer, empty: "true")
    case .or(let terms): list(terms, "||", strength: 1, inside: outer, empty: "false")
    case .not(.any(let path, .constant(true))): "\(path).isEmpty"
    case .not(let term): "!" + term.text(inside: 3)
    case .any(let path, let condition): "\(path).contains\(condition.elementText)"
    }
  }

  /// The text in the parentheses or braces of `contains`.
  private var elementText: String {
    if case .comparison(let comparison) = self, comparison.term == QueryTerm(QueryPath()),
      comparison.operator == .equal, case .value = comparison.operand
    {
      return "(\(comparison.operand))"
    }
    return " { \(text(inside: 0)) }"
  }

  private func list(
    _ terms: [QueryExpression], _ name: String, strength: Int, inside outer: Int, empty: String
  ) -> String {
    if terms.isEmpty { return empty }
    let text = terms.map { $0.text(inside: strength) }.joined(separator: " \(name) ")
    return strength < outer ? "(\(text))" : text
  }
}

extension QueryComparison: CustomStringConvertible {
  /// The comparison as a person would write it.
  public var description: String { text(isNegated: false) }

  fileprivate func text(isNegated: Bool) -> String {
    switch self.operator {
    case .isIn: return "\(term).isIn(\(operand))"
    case .contains, .hasPrefix, .hasSuffix: return "\(term).\(self.operator.rawValue)(\(operand))"
    case .matches: return "\(term).matches(\(pattern))"
    case .containsMatch: return "\(term).contains(\(pattern))"
    case .matchesWords: return "\(term).matches(words: \(operand))"
    case .equal where operand == .value(true): return term.description
    default:
      let text = "\(term) \(self.operator.rawValue) \(operand)"
      return isNegated ? "(\(text))" : text
    }
  }

  private var pattern: String {
    if case .value(.string(let pattern)) = operand { "/\(pattern)/" } else { operand.description }
  }
}

extension QueryComparison.Operand: CustomStringConvertible {
  /// The operand as it is written in a query.
  public var description: String {
    switch self {
    case .value(.null): "nil"
    case .value(let json): (try? json.jsonString(JSONWritingOptions(sortedKeys: true))) ?? "\(json)"
    case .term(let term): term.description
    case .unwritable(let reason): "<\(reason)>"
    }
  }
}

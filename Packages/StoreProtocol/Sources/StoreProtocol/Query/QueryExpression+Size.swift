/// The limits of the size of a condition, because a traversal needs stack for every level.
extension QueryExpression {
  private static let maximumDepth = 500
  private static let maximumSize = 100_000

  /// The largest number of terms that the operators put into one list, because they copy the list for each term.
  static let joinedCount = 256

  private static let depthReason = "it is nested more than \(maximumDepth) levels deep"

  /// The same condition; if it is nested too deeply, one that every query rejects.
  var limited: QueryExpression {
    if excess == nil { return self }
    return .comparison(QueryComparison(QueryTerm(QueryPath()), .equal, .unwritable(Self.depthReason)))
  }

  /// The text that stands for a condition that is too large to traverse; nil for other conditions.
  var excessText: String? { excess.map { "<a condition that is not printed: \($0)>" } }

  /// The reason why a condition is too large; nil if it is not.
  ///
  /// - Complexity: O(*n*) in the size of the condition, without recursion.
  var excess: String? {
    if case .comparison(let comparison) = self, case .value = comparison.operand { return nil }
    var rest = [(expression: self, depth: 1)]
    var size = 0
    while let (expression, depth) = rest.popLast() {
      size += 1
      if depth > Self.maximumDepth { return Self.depthReason }
      if size > Self.maximumSize { return "it has more than \(Self.maximumSize) parts" }
      switch expression {
      case .constant: break
      case .comparison(let comparison):
        if case .unwritable(Self.depthReason) = comparison.operand { return Self.depthReason }
      case .and(let terms), .or(let terms): for term in terms { rest.append((term, depth + 1)) }
      case .not(let term), .any(_, let term): rest.append((term, depth + 1))
      }
    }
    return nil
  }
}

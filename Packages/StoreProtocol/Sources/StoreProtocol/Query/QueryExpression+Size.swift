/// The limits of the size of a condition, because a traversal needs stack for every level.
extension QueryExpression {
  private static let maximumDepth = 500
  private static let maximumSize = 100_000
  private static let maximumPathLength = 64

  /// The largest number of terms that the operators put into one list, because they copy the list for each term.
  static let joinedCount = 256

  private static let depthReason = "it is nested more than \(maximumDepth) levels deep"
  private static let sizeReason = "it has more than \(maximumSize) parts"
  private static let pathReason = "it has a path of more than \(maximumPathLength) keys"

  /// The same condition; if it is too large, one that every query rejects for the same reason.
  var limited: QueryExpression {
    guard let excess else { return self }
    return .comparison(QueryComparison(QueryTerm(QueryPath()), .equal, .unwritable(excess)))
  }

  /// The description of a condition that is too large to traverse; nil for other conditions.
  var excessText: String? { excess.map { "<a condition that is not printed: \($0)>" } }

  /// The reason why a condition is too large; nil if it is not.
  ///
  /// - Complexity: O(*n*) in the size of the condition, without recursion.
  var excess: String? {
    func isTooLong(_ path: QueryPath) -> Bool { path.keys.count > Self.maximumPathLength }
    if case .comparison(let comparison) = self, case .value = comparison.operand {
      return isTooLong(comparison.term.path) ? Self.pathReason : nil
    }
    var rest = [(expression: self, depth: 1)]
    var size = 0
    while let (expression, depth) = rest.popLast() {
      size += 1
      if depth > Self.maximumDepth { return Self.depthReason }
      if size > Self.maximumSize { return Self.sizeReason }
      switch expression {
      case .constant: break
      case .comparison(let comparison):
        if isTooLong(comparison.term.path) { return Self.pathReason }
        switch comparison.operand {
        case .unwritable(let reason) where [Self.depthReason, Self.sizeReason, Self.pathReason].contains(reason):
          return reason
        case .term(let other) where isTooLong(other.path): return Self.pathReason
        default: break
        }
      case .and(let terms), .or(let terms): for term in terms { rest.append((term, depth + 1)) }
      case .any(let path, let term):
        if isTooLong(path) { return Self.pathReason }
        rest.append((term, depth + 1))
      case .not(let term): rest.append((term, depth + 1))
      }
    }
    return nil
  }
}

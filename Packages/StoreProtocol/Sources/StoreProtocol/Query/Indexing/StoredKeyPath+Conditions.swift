@_spi(ModelKitInternals) import ModelCore

extension StoredKeyPath {
  /// Returns the keys that the field can have in records for which a condition holds.
  ///
  /// - Returns: nil if the condition does not restrict the keys.
  func ranges(where condition: QueryExpression) -> IndexRanges? {
    switch condition {
    case .constant(let value): return value ? nil : IndexRanges.none
    case .comparison(let comparison): return ranges(where: comparison)
    case .and(let terms):
      return IndexRanges.intersection(ofKnown: terms.map(ranges(where:)))
    case .or(let terms): return IndexRanges.union(ofKnown: terms.map(ranges(where:)))
    case .not(let term):
      // Where the term holds for only some values in its ranges, its negation can hold for the others.
      guard let ranges = ranges(where: term), ranges.isExact else { return nil }
      return ranges.complement
    case .any: return nil
    }
  }

  private func ranges(where comparison: QueryComparison) -> IndexRanges? {
    guard let ranges = rangesOfValues(where: comparison), let absent else { return rangesOfValues(where: comparison) }
    if ranges.contains(absent) { return ranges.union(.null).inexact }
    return ranges.contains(.null) ? ranges.inexact : ranges
  }

  private func rangesOfValues(where comparison: QueryComparison) -> IndexRanges? {
    guard comparison.term.form == .value, isAbout(comparison.term.path), case .value(let operand) = comparison.operand
    else { return nil }
    // A relation itself is compared with nil. Other comparisons with it can be invalid, which an index can't detect.
    if relatedPath != nil, comparison.term.path == path, !operand.isNull {
      return ranges(of: comparison, operand)?.inexact
    }
    return ranges(of: comparison, operand)
  }

  private func ranges(of comparison: QueryComparison, _ operand: JSONValue) -> IndexRanges? {
    switch comparison.operator {
    case .equal: return point(operand)
    // Another value can have the same hash.
    case .notEqual: return reader.isHashed && !operand.isNull ? nil : point(operand)?.complement
    case .isIn:
      guard case .array(let list) = operand else { return nil }
      var all: [IndexRange] = []
      for element in list {
        guard let key = reader.key(ofOperand: element) else { return nil }
        all.append(IndexRange(key))
      }
      return IndexRanges(all, isExact: !reader.isHashed)
    case .hasPrefix:
      guard isOrdered, reader.isText, case .string(let text) = operand else { return nil }
      return Self.prefix(text)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      // No value is less or greater than nil.
      if operand.isNull { return IndexRanges.none }
      guard isOrdered, let key = reader.key(ofOperand: operand) else { return nil }
      return Self.side(comparison.operator, key)
    default: return nil
    }
  }

  private func point(_ operand: JSONValue) -> IndexRanges? {
    reader.key(ofOperand: operand).map { IndexRanges([IndexRange($0)], isExact: !reader.isHashed || $0.isNull) }
  }

  private static func side(_ operation: QueryComparison.Operator, _ key: IndexKey) -> IndexRanges {
    switch operation {
    case .less: IndexRanges([IndexRange(.after(.null), .before(key))])
    case .lessOrEqual: IndexRanges([IndexRange(.after(.null), .after(key))])
    case .greater: IndexRanges([IndexRange(.after(key), nil)])
    default: IndexRanges([IndexRange(.before(key), nil)])
    }
  }

  private static func prefix(_ text: String) -> IndexRanges {
    var bytes = Array(text.utf8)
    guard let last = bytes.last else { return .values }
    // No byte of UTF-8 is 0xFF, so that each byte has a successor.
    bytes[bytes.count - 1] = last + 1
    return IndexRanges([
      IndexRange(.before(IndexKey(text)), .before(bytes.withUnsafeBufferPointer { IndexKey($0) }))
    ])
  }
}

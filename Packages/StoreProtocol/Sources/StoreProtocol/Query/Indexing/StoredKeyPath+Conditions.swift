@_spi(ModelKitInternals) import ModelCore

extension StoredKeyPath {
  /// Returns the keys that the field can have in records for which a condition holds.
  ///
  /// - Returns: nil if the condition does not restrict the keys.
  func ranges(where condition: QueryExpression) -> IndexRanges? {
    // A record has many words: ranges of several conditions can't be combined.
    if hasWords { return nil }
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

  /// Returns the keys of each word of a search, if a condition is one that an index of words serves.
  ///
  /// - Returns: a record has a key in each range if the condition holds for it; nil for another condition, or a search
  ///   without words.
  func words(where condition: QueryExpression) -> [IndexRanges]? {
    guard hasWords else { return nil }
    // Other conditions are invalid, which an index can't detect.
    if case .any(path, .comparison(let comparison)) = condition, hasWordsOfList, comparison.term.path.keys.isEmpty,
      let parts = Self.words(comparison)
    {
      // Several words may be those of several elements.
      return parts.count == 1 ? parts : parts.map(\.inexact)
    }
    guard !hasWordsOfList, case .comparison(let comparison) = condition, comparison.term.path == path else {
      return nil
    }
    return Self.words(comparison)
  }

  private static func words(_ comparison: QueryComparison) -> [IndexRanges]? {
    guard comparison.operator == .matchesWords, comparison.term.form != .count,
      case .value(.string(let text)) = comparison.operand
    else { return nil }
    let words = WordSearch(text).words
    return words.isEmpty ? nil : words.map(\.ranges)
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
    var text = text
    return text.withUTF8(prefix)
  }

  /// Returns the keys of texts that begin with the UTF-8 of a text.
  static func prefix(_ text: UnsafeBufferPointer<UInt8>) -> IndexRanges {
    var bytes = Array(text)
    guard let last = bytes.last else { return .values }
    // No byte of UTF-8 is 0xFF, so that each byte has a successor.
    bytes[bytes.count - 1] = last + 1
    return IndexRanges([
      IndexRange(.before(IndexKey(text)), .before(bytes.withUnsafeBufferPointer { IndexKey($0) }))
    ])
  }
}

/// The words of texts: the longest runs of letters, numbers and marks in the text without case and accents.
enum TextWords {
  /// Visits the words of a folded text, in their order, until the body returns false.
  ///
  /// - Parameters:
  ///   - folded: the text, folded by `TextFolding.caseAndAccents`.
  ///   - body: receives the UTF-8 of a word, and whether a star follows it.
  static func forEach(
    in folded: String, _ body: (_ word: UnsafeBufferPointer<UInt8>, _ hasStar: Bool) -> Bool
  ) {
    var folded = folded
    folded.withUTF8 { utf8 in
      var (start, offset) = (0, 0)
      while offset <= utf8.count {
        let isEnd = offset == utf8.count
        let width = isEnd ? 1 : width(of: utf8[offset])
        if isEnd || !isWord(utf8, offset, width) {
          if start < offset {
            let hasStar = !isEnd && utf8[offset] == UInt8(ascii: "*")
            guard body(UnsafeBufferPointer(rebasing: utf8[start..<offset]), hasStar) else { return }
          }
          start = offset + width
        }
        offset += width
      }
    }
  }

  /// Returns the distinct words of a text in the order of their bytes.
  ///
  /// - Complexity: O(*n* log *n*).
  static func distinct(in text: String) -> [[UInt8]] {
    var words: [[UInt8]] = []
    forEach(in: TextFolding.caseAndAccents.folded(text)) { word, _ in
      words.append(Array(word))
      return true
    }
    guard words.count > 1 else { return words }
    words.sort(by: isBefore)
    var distinct = [words[0]]
    for word in words.dropFirst() where word != distinct[distinct.count - 1] { distinct.append(word) }
    return distinct
  }

  /// Returns whether a word comes before another one in the order of bytes.
  static func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { ScalarOrder.order(left, $0) < 0 } }
  }

  private static func width(of first: UInt8) -> Int { first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4 }

  private static func isWord(_ utf8: UnsafeBufferPointer<UInt8>, _ offset: Int, _ width: Int) -> Bool {
    let first = utf8[offset]
    if width == 1 { return first &- 0x30 < 10 || (first | 0x20) &- 0x61 < 26 }
    var value = UInt32(first) & (0x7F >> UInt32(width))
    for byte in utf8[offset + 1..<offset + width] { value = value << 6 | UInt32(byte & 0x3F) }
    guard let scalar = Unicode.Scalar(value) else { return false }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .spacingMark, .enclosingMark:
      return true
    default: return false
    }
  }
}

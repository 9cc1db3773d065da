/// The words that a text must have to match a search.
///
/// ```swift
/// let search = WordSearch("jane aust*")
/// assert(search.matches("AUSTEN, Jane"))
/// ```
struct WordSearch: Sendable {
  /// A word of the search.
  struct Word: Sendable {
    /// The UTF-8 of the folded word.
    let utf8: [UInt8]
    /// Whether words match that begin with this one.
    let isPrefix: Bool

    fileprivate func matches(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
      guard isPrefix ? word.count >= utf8.count : word.count == utf8.count else { return false }
      return utf8.withUnsafeBufferPointer {
        ScalarOrder.order(UnsafeBufferPointer(rebasing: word[..<utf8.count]), $0) == 0
      }
    }
  }

  /// The words; empty if every text matches.
  let words: [Word]

  /// Reads a search. A star directly after a word makes it a prefix.
  init(_ text: String) {
    var words: [Word] = []
    TextWords.forEach(in: TextFolding.caseAndAccents.folded(text)) { word, hasStar in
      words.append(Word(utf8: Array(word), isPrefix: hasStar))
      return true
    }
    self.words = words
  }

  /// Returns whether a text has all the words.
  ///
  /// - Complexity: O(*n*) in the size of the text for a few words, O(*n* log *n*) for many.
  func matches(_ text: String) -> Bool {
    guard let last = words.indices.last else { return true }
    if last >= UInt64.bitWidth { return matches(distinct: TextWords.distinct(in: text)) }
    var missing = UInt64.max >> UInt64(UInt64.bitWidth - 1 - last)
    TextWords.forEach(in: TextFolding.caseAndAccents.folded(text)) { found, _ in
      for number in words.indices where missing & 1 << UInt64(number) != 0 && words[number].matches(found) {
        missing &= ~(1 << UInt64(number))
      }
      return missing != 0
    }
    return missing == 0
  }

  /// Returns whether all the words are among those of a text.
  private func matches(distinct found: [[UInt8]]) -> Bool {
    words.allSatisfy { word in
      var (low, high) = (0, found.count)
      while low < high {
        let middle = (low + high) / 2
        if TextWords.isBefore(found[middle], word.utf8) { low = middle + 1 } else { high = middle }
      }
      return low < found.count && found[low].withUnsafeBufferPointer(word.matches)
    }
  }
}

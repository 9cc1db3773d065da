extension IndexKey {
  /// The largest number of bytes of a word in an index. Longer words are cut, so that the condition is tested, too.
  static let maximumWordSize = 100

  /// The number of a list of words instead of that of a text's size.
  static let rankOfWords: UInt8 = .max

  /// Creates the key of a text in an index of words: all of its words. An index has an entry for each of them.
  ///
  /// - Parameter words: distinct words, in the order of their bytes.
  init(words: [[UInt8]]) {
    var parts: [ArraySlice<UInt8>] = []
    parts.reserveCapacity(words.count)
    for word in words {
      let part = word.prefix(Self.maximumWordSize)
      if part.count < Self.maximumWordSize || part != parts.last { parts.append(part) }
    }
    guard parts.count > 1 else {
      self = parts.first.map { $0.withUnsafeBufferPointer { IndexKey($0) } } ?? .null
      return
    }
    var packed: [UInt8] = []
    packed.reserveCapacity(parts.reduce(parts.count) { $0 + $1.count })
    for part in parts {
      packed.append(UInt8(part.count))
      packed += part
    }
    self.init(packedWords: packed)
  }

  /// Calls a closure with the key of each entry that an index has for this key: several for a text of several words.
  @inline(__always)
  func forEachEntry(_ body: (IndexKey) -> Void) {
    guard let packed = packedWords else { return body(self) }
    packed.withUnsafeBufferPointer { packed in
      var offset = 0
      while offset < packed.count {
        let end = offset + 1 + Int(packed[offset])
        body(IndexKey(UnsafeBufferPointer(rebasing: packed[offset + 1..<end])))
        offset = end
      }
    }
  }
}

extension WordSearch.Word {
  /// The keys of the words in an index that match. They are inexact for a word that is longer than those in an index.
  var ranges: IndexRanges {
    let isCut = utf8.count >= IndexKey.maximumWordSize
    let text = utf8.prefix(IndexKey.maximumWordSize)
    let ranges = text.withUnsafeBufferPointer { text in
      isPrefix && !isCut ? StoredKeyPath.prefix(text) : IndexRanges([IndexRange(IndexKey(text))])
    }
    return isCut ? ranges.inexact : ranges
  }
}

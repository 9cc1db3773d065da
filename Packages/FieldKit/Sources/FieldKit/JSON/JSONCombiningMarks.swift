/// A counter of consecutive combining marks inside a string.
///
/// To compare or hash a string, Swift sorts the marks of each character, in time quadratic to their number. A key of
/// 100,000 marks would take seconds, and one of 10 million would not end in practice.
struct JSONCombiningMarks {
  private(set) var count = 0

  /// Ends a run of marks, because another character follows.
  @inline(__always)
  mutating func end() { count = 0 }

  /// Counts a character if it is a combining mark.
  mutating func add(_ value: UInt32) {
    if Self.isMark(value) { count &+= 1 } else { count = 0 }
  }

  private static func isMark(_ value: UInt32) -> Bool {
    switch value {
    // Latin, Greek and Cyrillic letters, Chinese, Japanese and Korean text, and most emoji are excluded without a
    // table.
    case ..<0x300, 0x370..<0x483, 0x3100..<0xA66F, 0xAC00..<0xFB1E, 0x1F000..<0x1FB00, 0x20000...: false
    default: Unicode.Scalar(value).map { $0.properties.canonicalCombiningClass != .notReordered } ?? false
    }
  }
}

extension JSONScanner {
  /// Counts the character of several bytes at `index`.
  @inline(__always)
  func tally(
    _ marks: inout JSONCombiningMarks, characterAt index: Int, _ length: Int
  ) throws(JSONSyntaxError) {
    switch base[index] {
    // Latin, Greek and Cyrillic letters, and Chinese and Korean text begin with these bytes. There are no marks among
    // them.
    case ..<0xCC, 0xCE...0xD1, 0xE4...0xE9, 0xEB...0xED: marks.end()
    default: try tallyRare(&marks, characterAt: index, length)
    }
  }

  @inline(never)
  private func tallyRare(
    _ marks: inout JSONCombiningMarks, characterAt index: Int, _ length: Int
  ) throws(JSONSyntaxError) {
    var value = UInt32(base[index]) & (0xFF >> UInt32(length + 1))
    for offset in 1..<length { value = value << 6 | UInt32(base[index + offset]) & 0x3F }
    marks.add(value)
    try check(marks, at: index)
  }

  /// Counts the character whose escape with digits is at `index`.
  @inline(never)
  func tally(_ marks: inout JSONCombiningMarks, escapeAt index: Int, _ length: Int) throws(JSONSyntaxError) {
    var value = unit(at: index)
    if length == 12 { value = 0x10000 + ((value & 0x3FF) << 10 | unit(at: index + 6) & 0x3FF) }
    marks.add(value)
    try check(marks, at: index)
  }

  private func unit(at index: Int) -> UInt32 {
    (2..<6).reduce(0) { $0 << 4 | UInt32(Self.hexadecimalDigit(base[index + $1])) }
  }

  private func check(_ marks: JSONCombiningMarks, at index: Int) throws(JSONSyntaxError) {
    let limit = JSONReadingOptions.maximumCombiningMarks
    guard marks.count > limit else { return }
    throw failure(.tooLarge, at: index, "expected at most \(limit) combining marks in a row, found one more")
  }
}

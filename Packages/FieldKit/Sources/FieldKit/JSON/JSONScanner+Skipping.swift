extension JSONScanner {
  /// Skips the next value and checks it like every other way of reading; nothing is built.
  ///
  /// Deep nesting takes one bit of memory per level, and no stack.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the value in bytes.
  public mutating func skipValue() throws(JSONSyntaxError) {
    let floor = depth
    // One bit for each open container, the innermost lowest: 1 for an object. Full words move to `outer`.
    var kinds: UInt64 = 0
    var outer: [UInt64] = []
    skipWhitespace()
    value: while true {
      guard position < count else { throw failure(expected: "a value") }
      let byte = base[position]
      switch byte {
      case UInt8(ascii: "\""): _ = try scanString()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let level = depth &- floor
        if level & 63 == 0, level > 0 { outer.append(kinds) }
        try enterContainer()
        let isObject = byte == UInt8(ascii: "{")
        kinds = kinds &<< 1 | (isObject ? 1 : 0)
        if isObject {
          if try nextKey() != nil {
            skipWhitespace()
            continue value
          }
        } else if try nextElement() {
          skipWhitespace()
          continue value
        }
        leaveLevel(&kinds, &outer, floor)
      case UInt8(ascii: "t"): try expect("true", length: 4)
      case UInt8(ascii: "f"): try expect("false", length: 5)
      case UInt8(ascii: "n"): try expect("null", length: 4)
      default: throw failure(expected: "a value")
      }
      while depth > floor {
        let hasMore = kinds & 1 == 1 ? try nextKey() != nil : try nextElement()
        if hasMore {
          skipWhitespace()
          continue value
        }
        leaveLevel(&kinds, &outer, floor)
      }
      return
    }
  }

  /// Removes the bit of a container that has just ended.
  @inline(__always)
  private func leaveLevel(_ kinds: inout UInt64, _ outer: inout [UInt64], _ floor: Int) {
    kinds &>>= 1
    let level = depth &- floor
    if level & 63 == 0, level > 0 { kinds = outer.removeLast() }
  }

  private mutating func skipNumber() throws(JSONSyntaxError) {
    _ = try scanNumber()
  }
}

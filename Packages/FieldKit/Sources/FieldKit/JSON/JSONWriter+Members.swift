/// Members that are written in another order than that of the document.
extension JSONWriter {
  /// Starts a member whose order is decided by ``arrange(_:)``; its key follows.
  ///
  /// - Returns: the offset of the member.
  public mutating func beginLooseMember() -> Int {
    next = .first
    return length
  }

  /// Orders loose members, which are all members since the first loose one.
  ///
  /// - Parameter members: the range of each member, in the order of the document.
  /// - Complexity: O(*n*), where *n* is the length of the members.
  public mutating func arrange(_ members: [Range<Int>]) {
    let members = members.filter { !$0.isEmpty }
    guard let start = members.map(\.lowerBound).min() else {
      next = .first
      return
    }
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: length - start)
    defer { copy.deallocate() }
    copy.update(from: bytes + start, count: length - start)
    length = start
    for (index, member) in members.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      append(UnsafeBufferPointer(start: copy + (member.lowerBound - start), count: member.count))
    }
    next = .separated
  }
}

/// Members that are written in another order than they shall have.
@_spi(ModelKitInternals)
extension JSONWriter {
  /// Starts a member whose place is decided by ``arrange(_:)``; its key follows.
  ///
  /// - Returns: where it begins.
  public mutating func beginLooseMember() -> Int {
    next = .first
    return length
  }

  /// Puts loose members, which are all that was written since the first of them began, in order.
  ///
  /// - Parameter members: where each begins and ends, in the order they shall have.
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

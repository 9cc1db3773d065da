/// The space after the last line of a segment: the end of the preallocation, and the end of written bytes, records or
/// zeros.
struct PreallocatedSpace {
  private let preallocation: UInt64
  private let filling: UInt64

  /// The end of the preallocated space.
  private(set) var reserved: UInt64

  /// The end of the written bytes, records or zeros.
  private var filled: UInt64

  init(_ options: Journal.Options, reserved: UInt64, filled: UInt64) {
    preallocation = options.preallocation
    filling = options.filling
    self.reserved = reserved
    self.filled = filled
  }

  /// Records that the segment was written up to a position.
  mutating func noteWritten(upTo end: UInt64) {
    reserved = max(reserved, end)
    filled = max(filled, end)
  }

  /// Records that the segment ends here, without preallocated space.
  mutating func giveBack(from end: UInt64) { (reserved, filled) = (end, end) }

  /// Returns whether space must be preallocated before `count` bytes are written at the end.
  func isShort(of count: UInt64, at end: UInt64) -> Bool { preallocation > 0 && end + count > reserved }

  /// Preallocates space for `count` bytes and more, if the file system has it.
  mutating func reserve(_ count: UInt64, at end: UInt64, in file: any StoreFile) {
    let target = (end + count + preallocation - 1) / preallocation * preallocation
    do {
      try file.preallocate(from: reserved, length: target - reserved)
      reserved = target
    } catch {}
  }

  /// Returns the number of zeros to write after `count` bytes at the end. They are recorded as written.
  mutating func takeFilling(behind count: UInt64, at end: UInt64) -> Int {
    guard end + count > filled, count < filling else { return 0 }
    filled = max(end + count, min(end + filling, reserved))
    return Int(filled - end - count)
  }
}

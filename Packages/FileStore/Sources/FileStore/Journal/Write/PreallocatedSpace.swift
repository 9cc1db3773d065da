/// The room behind the last line of a segment: how far it is reserved, and how far it was written, with records or zeros.
struct PreallocatedSpace {
  private let preallocation: UInt64
  private let filling: UInt64

  /// How far the segment has room reserved.
  private(set) var reserved: UInt64

  /// How far the segment is known to have been written, records or zeros.
  private var filled: UInt64

  init(_ options: Journal.Options, reserved: UInt64, filled: UInt64) {
    preallocation = options.preallocation
    filling = options.filling
    self.reserved = reserved
    self.filled = filled
  }

  /// Notes that the segment was written up to a place.
  mutating func noteWritten(upTo end: UInt64) {
    reserved = max(reserved, end)
    filled = max(filled, end)
  }

  /// Notes that the segment ends here, with nothing behind it.
  mutating func giveBack(from end: UInt64) { (reserved, filled) = (end, end) }

  /// Whether room is to be reserved before `count` bytes are written at the end.
  func isShort(of count: UInt64, at end: UInt64) -> Bool { preallocation > 0 && end + count > reserved }

  /// Reserves room for `count` bytes and more, if the file system has it.
  mutating func reserve(_ count: UInt64, at end: UInt64, in file: any StoreFile) {
    let target = (end + count + preallocation - 1) / preallocation * preallocation
    do {
      try file.preallocate(from: reserved, length: target - reserved)
      reserved = target
    } catch {}
  }

  /// How many zeros are to be written behind `count` bytes that come to the end. They are taken for written.
  mutating func takeFilling(behind count: UInt64, at end: UInt64) -> Int {
    guard end + count > filled, count < filling else { return 0 }
    filled = max(end + count, min(end + filling, reserved))
    return Int(filled - end - count)
  }
}

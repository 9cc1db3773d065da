#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Splits a file into lines. It reads a window at a time, which grows to the longest line.
struct LineScanner: ~Copyable {
  /// A part of a file up to a line break, which is not included, or up to the end of the file.
  struct Piece {
    var offset: UInt64

    /// Valid until the scanner's next call.
    var bytes: UnsafeRawBufferPointer
    var isTerminated: Bool

    /// Whether zeros are followed by other bytes or by the line break.
    var hasZerosBeforeData: Bool {
      guard let zero = bytes.firstIndex(of: 0) else { return false }
      return isTerminated || bytes[zero...].contains { $0 != 0 }
    }
  }

  private let file: any StoreFile
  private var window: UnsafeMutableRawBufferPointer
  private var unread = 0..<0

  /// The offset in the file of the window's first byte.
  private var base: UInt64
  private let end: UInt64
  private var isAtEnd = false

  /// - Parameter end: The offset at which reading ends.
  init(_ file: any StoreFile, from offset: UInt64 = 0, to end: UInt64 = .max, windowSize: Int = 1 << 20) {
    self.file = file
    self.end = end
    base = offset
    window = .allocate(byteCount: windowSize, alignment: 16)
  }

  deinit { window.deallocate() }

  /// Returns the next piece, or nil at the end of the file.
  mutating func next() throws -> Piece? {
    var searched = 0
    while true {
      let start = unread.lowerBound
      if let address = window.baseAddress, unread.count > searched,
        let hit = memchr(address + start + searched, 0x0a, unread.count - searched)
      {
        let end = UnsafeRawPointer(hit) - UnsafeRawPointer(address)
        unread = end + 1..<unread.upperBound
        return piece(start..<end, isTerminated: true)
      }
      searched = unread.count
      if isAtEnd {
        guard searched > 0 else { return nil }
        let rest = unread
        unread = rest.upperBound..<rest.upperBound
        return piece(rest, isTerminated: false)
      }
      try refill()
    }
  }

  private func piece(_ range: Range<Int>, isTerminated: Bool) -> Piece {
    Piece(
      offset: base + UInt64(range.lowerBound), bytes: UnsafeRawBufferPointer(rebasing: window[range]),
      isTerminated: isTerminated)
  }

  /// Moves the unread bytes to the start of the window, and appends more.
  private mutating func refill() throws {
    let count = unread.count
    if count == window.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: window.count * 2, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: window[unread]))
      window.deallocate()
      window = larger
    } else if unread.lowerBound > 0, let address = window.baseAddress {
      memmove(address, address + unread.lowerBound, count)
    }
    base += UInt64(unread.lowerBound)
    let start = base + UInt64(count)
    let length = Int(min(UInt64(window.count - count), end > start ? end - start : 0))
    let room = UnsafeMutableRawBufferPointer(rebasing: window[count...])
    let added = try file.readFully(into: UnsafeMutableRawBufferPointer(rebasing: room[..<length]), at: start)
    isAtEnd = added < room.count
    unread = 0..<count + added
  }
}

@_spi(ModelKitInternals) import StoreEngine

/// Where a journal ended when it was closed: everything before that is known to have been on the disk.
struct ClosedMark: Equatable, Sendable {
  var segment: UInt32
  var length: UInt64
  var batch: UInt64

  init(segment: UInt32, length: UInt64, batch: UInt64) {
    self.segment = segment
    self.length = length
    self.batch = batch
  }

  /// The mark that a file has; nil if it is none, or damaged.
  init?(parsing bytes: [UInt8]) {
    let mark = bytes.withUnsafeBytes { bytes -> ClosedMark? in
      let line = UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0x0a })
      guard LineParser.isSound(line), case .closed(let number, let length, let batch) = LineParser.parse(line),
        let segment = UInt32(exactly: number), segment <= StoreFormat.largestSegment, batch <= StoreFormat.largestBatch
      else { return nil }
      return ClosedMark(segment: segment, length: length, batch: batch)
    }
    guard let mark else { return nil }
    self = mark
  }
}

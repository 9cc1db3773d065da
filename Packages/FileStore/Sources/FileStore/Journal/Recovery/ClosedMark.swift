@_spi(ModelKitInternals) import StoreEngine

/// The end of a journal when it was closed. Everything before it was synced.
struct ClosedMark: Equatable, Sendable {
  var segment: UInt32
  var length: UInt64
  var batch: UInt64

  init(segment: UInt32, length: UInt64, batch: UInt64) {
    self.segment = segment
    self.length = length
    self.batch = batch
  }

  /// The mark in a file; nil if it is damaged, or another file.
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

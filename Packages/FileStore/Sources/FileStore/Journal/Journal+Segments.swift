@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

// The first line of a segment, and what is left if there is none.
extension Journal {
  /// How long a segment is that has no batches yet.
  static func headerLength(number: UInt32, firstBatch: UInt64, group: String) -> UInt64 {
    var encoder = LineEncoder()
    encoder.segment(number: UInt64(number), firstBatch: firstBatch, group: group)
    return UInt64(encoder.bytes.count)
  }

  /// Makes a segment with its first line, durably. If that fails, what there is of it must not stay.
  static func createSegment(
    _ number: UInt32, firstBatch: UInt64, group: String, folder: String, _ fileSystem: any FileSystem
  ) throws -> (file: any StoreFile, end: UInt64) {
    var encoder = LineEncoder()
    encoder.segment(number: UInt64(number), firstBatch: firstBatch, group: group)
    let file = try fileSystem.open("\(folder)/\(StoreFormat.segment(SegmentNumber(number)))", .create)
    try file.writeFully(encoder.bytes, at: 0)
    try file.synchronize()
    try fileSystem.synchronizeDirectory(folder)
    return (file, UInt64(encoder.bytes.count))
  }

  /// Removes what is there of a segment that could not be begun, durably.
  func removeUnbegun(_ number: UInt32) throws {
    do {
      try fileSystem.remove(contents.path(SegmentNumber(number)))
    } catch let error where error.code == ENOENT {
      return
    }
    try fileSystem.synchronizeDirectory(contents.folder)
  }
}

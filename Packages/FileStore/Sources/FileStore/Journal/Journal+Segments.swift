@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

// The first line of a segment, and segments without one.
extension Journal {
  /// Returns the length of a segment without batches.
  static func headerLength(number: UInt32, firstBatch: UInt64, group: String) -> UInt64 {
    var encoder = LineEncoder()
    encoder.segment(number: UInt64(number), firstBatch: firstBatch, group: group)
    return UInt64(encoder.bytes.count)
  }

  /// Creates a segment with its first line, and syncs it. If that fails, the file must be removed.
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

  /// Removes a segment that could not be begun, and syncs the folder.
  func removeUnbegun(_ number: UInt32) throws {
    do {
      try fileSystem.remove(contents.path(SegmentNumber(number)))
    } catch let error where error.code == ENOENT {
      return
    }
    try fileSystem.synchronizeDirectory(contents.folder)
  }
}

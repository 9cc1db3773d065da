@_spi(ModelKitInternals) import StoreProtocol

/// What can be read of a group's journal, from any thread while the journal is being written.
///
/// The index is behind a lock that is held for moments; segments are read without any. Places stay valid: what is
/// in a segment is never changed.
final class JournalContents: Sendable {
  /// The most segments that are kept open for reading.
  private static let mostOpenFiles = 32

  let folder: String

  /// What was found wrong when the journal was opened.
  let findings: [Finding]
  private let index: Lock<JournalIndex>
  private let files = Lock<[UInt32: any StoreFile]>([:])
  private let fileSystem: any FileSystem

  init(folder: String, index: JournalIndex, findings: [Finding], fileSystem: any FileSystem) {
    self.folder = folder
    self.index = Lock(index)
    self.findings = findings
    self.fileSystem = fileSystem
  }

  /// Runs `body` on the index while nobody else does.
  func withIndex<Result, Failure: Error>(
    _ body: (inout sending JournalIndex) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try index.withLock(body)
  }

  /// The path of a segment.
  func path(_ segment: UInt32) -> String { "\(folder)/\(StoreFormat.segment(segment))" }

  /// The value of the record at `place`, checked against its checksum. May wait for the disk.
  func read(_ place: RecordPlace) throws -> [UInt8] {
    let file = try openFile(place.segment)
    return try withUnsafeTemporaryAllocation(byteCount: Int(place.length), alignment: 8) { buffer in
      let count = try file.readFully(into: buffer, at: UInt64(place.offset))
      return try value(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: place)
    }
  }

  /// The same, if it needs no waiting; nil otherwise.
  func readWithoutWaiting(_ place: RecordPlace) throws -> [UInt8]? {
    guard let file = files.withLock({ $0[place.segment] }) else { return nil }
    return try withUnsafeTemporaryAllocation(byteCount: Int(place.length), alignment: 8) { buffer in
      guard file.readWithoutWaiting(into: buffer, at: UInt64(place.offset)) else { return nil }
      return try value(in: UnsafeRawBufferPointer(buffer), at: place)
    }
  }

  private func value(in line: UnsafeRawBufferPointer, at place: RecordPlace) throws -> [UInt8] {
    guard let range = valueRange(in: line, at: place) else { throw FileEngineError.damaged(damage(at: place)) }
    return Array(line[range])
  }

  /// Where the value stands in the bytes that were found at `place`; nil if they are not the record any more.
  func valueRange(in line: UnsafeRawBufferPointer, at place: RecordPlace) -> Range<Int>? {
    guard line.count == Int(place.length), LineParser.isSound(line), case .record(let record) = LineParser.parse(line)
    else { return nil }
    return record.value
  }

  /// Says that the record at `place` is lost.
  func damage(at place: RecordPlace) -> Finding {
    Finding(
      kind: .damage, file: path(place.segment), offset: UInt64(place.offset), length: UInt64(place.length),
      reason: "the record was sound when the store was opened and is not any more")
  }

  /// The segment, opened for reading.
  func openFile(_ segment: UInt32) throws(FileSystemError) -> any StoreFile {
    if let file = files.withLock({ $0[segment] }) { return file }
    let file = try fileSystem.open(path(segment), .read)
    let dropped = files.withLock { files -> [UInt32: any StoreFile] in
      var dropped: [UInt32: any StoreFile] = [:]
      if files.count >= Self.mostOpenFiles { swap(&dropped, &files) }
      files[segment] = file
      return dropped
    }
    // Those dropped close when their last reader is done, outside the lock.
    _ = dropped
    return file
  }

  /// Closes the files, once those who read them are done.
  func closeFiles() {
    let dropped = files.withLock { files in
      let dropped = files
      files = [:]
      return dropped
    }
    _ = dropped
  }
}

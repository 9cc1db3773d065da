@_spi(ModelKitInternals) import FieldKit
import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The readable content of a group's journal, from any thread while the journal is being written.
///
/// A lock guards the index, and is held briefly; segments are read without a lock. Positions stay valid, because
/// segments are append-only.
final class JournalContents: Sendable {
  let folder: String

  /// The issues that were found when the journal was opened.
  let issues: [IntegrityIssue]
  private let index: Lock<JournalIndex>
  private let files: OpenFiles
  private let fileSystem: any FileSystem

  /// The open transactions. Locked inside the lock of the index.
  let conflictTrackers: ConflictTrackers

  /// The number of times that records were moved.
  private let moves = Lock(0)

  /// The contents of which these are a snapshot; nil for current contents.
  private let source: JournalContents?

  /// The segments that a snapshot keeps open, so that they stay readable after a compaction.
  private let kept = Lock<[SegmentNumber: any StoreFile]>([:])

  /// - Parameter files: Where segments are kept open for reading.
  init(
    folder: String, index: JournalIndex, issues: [IntegrityIssue], fileSystem: any FileSystem,
    files: OpenFiles = OpenFiles(),
    momentOf source: JournalContents? = nil
  ) {
    self.source = source
    conflictTrackers = source?.conflictTrackers ?? ConflictTrackers()
    self.folder = folder
    self.index = Lock(index)
    self.issues = issues
    self.fileSystem = fileSystem
    self.files = files
  }

  deinit { if source == nil { closeFiles() } }

  /// Runs `body` on the index, exclusively.
  func withIndex<Result, Failure: Error>(
    _ body: (inout sending JournalIndex) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try index.withLock(body)
  }

  /// Returns the index entry of a model; nil if there is none.
  func entry(_ type: String, _ identifier: String) -> TypeIndex.Entry? {
    var identifier = identifier
    return withIndex { index in
      guard let number = index.number(of: type) else { return nil }
      return identifier.withUTF8 { bytes in
        index.types[number].find(UnsafeRawBufferPointer(bytes)).map { index.types[number].entries[$0] }
      }
    }
  }

  /// Returns the path of a segment.
  func path(_ segment: SegmentNumber) -> String { "\(folder)/\(StoreFormat.segment(segment))" }

  /// Returns the value of a record. The line is checked against its checksum, and against the name and the revision in
  /// the index. May block on the disk.
  func read(_ entry: TypeIndex.Entry, _ type: String, _ identifier: String) throws -> [UInt8] {
    let place = entry.place
    let file = try openFile(place.segment)
    return try withUnsafeTemporaryAllocation(byteCount: Int(place.length), alignment: 8) { buffer in
      let count = try file.readFully(into: buffer, at: place.offset)
      return try value(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]), of: entry, type, identifier)
    }
  }

  /// Returns the same, if it does not block; nil otherwise.
  func readWithoutWaiting(_ entry: TypeIndex.Entry, _ type: String, _ identifier: String) throws -> [UInt8]? {
    let place = entry.place
    guard let file = files.file(key(place.segment)) else { return nil }
    return try withUnsafeTemporaryAllocation(byteCount: Int(place.length), alignment: 8) { buffer in
      guard file.readWithoutWaiting(into: buffer, at: place.offset) else { return nil }
      return try value(in: UnsafeRawBufferPointer(buffer), of: entry, type, identifier)
    }
  }

  private func value(
    in line: UnsafeRawBufferPointer, of entry: TypeIndex.Entry, _ type: String, _ identifier: String
  ) throws -> [UInt8] {
    let range = type.withBytes { type in
      identifier.withBytes { identifier in
        valueRange(
          in: line, at: entry.place,
          ExpectedRecord(type: type, identifier: identifier, revision: entry.revision))
      }
    }
    guard let range else { throw FileEngineError.damaged(damage(at: entry.place, in: line)) }
    return Array(line[range])
  }

  /// Returns the range of the value in the bytes at `place`; nil if they are not the expected record.
  func valueRange(
    in line: UnsafeRawBufferPointer, at place: RecordLocation, _ expected: ExpectedRecord
  ) -> Range<Int>? {
    guard line.count == Int(place.length), LineParser.isSound(line, salt: place.salt),
      case .record(let record) = LineParser.parse(line), expected.matches(record, in: line)
    else { return nil }
    return record.value
  }

  /// Returns the same for one of many records.
  ///
  /// - Parameter heads: The beginnings of the lines of the type so far.
  @inline(__always)
  func valueRange(
    in line: UnsafeRawBufferPointer, at place: RecordLocation, _ expected: ExpectedRecord,
    _ heads: inout RecordLineHeads
  ) -> Range<Int>? {
    guard line.count == Int(place.length), LineParser.isSound(line, salt: place.salt) else { return nil }
    if let value = heads.value(in: line, of: expected) { return value }
    guard case .record(let record) = LineParser.parse(line), expected.matches(record, in: line) else { return nil }
    heads.note(record, in: line)
    return record.value
  }

  /// Returns the damage of a record that can't be read.
  ///
  /// - Parameter line: The bytes at its position.
  func damage(at place: RecordLocation, in line: UnsafeRawBufferPointer) -> IntegrityIssue {
    var reason = "the record was intact when the store was opened and is damaged now"
    if let salt = LineParser.salt(of: line),
      salt == place.salt || place.segment.distance(of: salt, at: place.offset) != nil
    {
      reason = "another line is at the position of the record"
      if case .record(let record) = LineParser.parse(line) {
        let name = "\(record.type.string(in: line)) \(record.identifier.string(in: line).quotedForMessage)"
        reason += ", that of \(name), revision \(record.revision)"
      }
    }
    return IntegrityIssue(
      kind: .damage, file: path(place.segment), offset: place.offset, length: UInt64(place.length), reason: reason)
  }

  /// Returns the segment, opened for reading.
  func openFile(_ segment: SegmentNumber) throws(FileSystemError) -> any StoreFile {
    if let source {
      if let file = kept.withLock({ $0[segment] }) { return file }
      return try source.openFile(segment)
    }
    if let file = files.file(key(segment)) { return file }
    let file = try fileSystem.open(path(segment), .read)
    files.keep(file, as: key(segment))
    return file
  }

  private func key(_ segment: SegmentNumber) -> OpenFiles.Key {
    OpenFiles.Key(contents: ObjectIdentifier(source ?? self), segment: segment)
  }

  /// Runs a read, and repeats it if the requested records were moved during the read.
  func readingAgainIfMoved<Result>(_ body: () throws -> Result) throws -> Result {
    while true {
      let before = moves.withLock { $0 }
      do {
        return try body()
      } catch let error as FileSystemError where error.code == ENOENT && source != nil {
        throw SnapshotExpired()
      } catch let error as FileSystemError where error.code == ENOENT && moves.withLock({ $0 }) != before {
        continue
      }
    }
  }

  /// Publishes the new positions of compacted records to readers.
  ///
  /// - Parameter areNamed: Whether the index of the compaction has other ordinals.
  func move(_ older: JournalIndex, to places: [[RecordLocation]], areNamed: Bool = false) {
    withIndex { $0.move(older, to: places, areNamed: areNamed) }
    moves.withLock { $0 += 1 }
  }

  /// Returns a snapshot of everything, which later writes do not change.
  ///
  /// A read of it throws ``SnapshotExpired`` if a compaction has removed the file since, unless the files are kept.
  ///
  /// - Parameter keepsFiles: Whether all files are opened now and stay readable as long as the snapshot exists.
  /// - Throws: ``FileSystemError`` if a file can't be opened.
  /// - Complexity: O(1); O(*n*) in the number of models if files are kept. The next write copies the index of its type.
  func moment(keepsFiles: Bool) throws -> JournalContents {
    try readingAgainIfMoved {
      let index = withIndex { $0 }
      let moment = JournalContents(
        folder: folder, index: index, issues: [], fileSystem: fileSystem, files: files, momentOf: self)
      if keepsFiles {
        let segments = index.types.reduce(into: Set<SegmentNumber>()) { segments, type in
          for entry in type.entries where entry.isLive { segments.insert(entry.place.segment) }
        }
        for segment in segments {
          let file = try openFile(segment)
          moment.kept.withLock { $0[segment] = file }
        }
      }
      return moment
    }
  }

  /// Returns the same files with another index.
  func with(_ index: JournalIndex) -> JournalContents {
    JournalContents(folder: folder, index: index, issues: [], fileSystem: fileSystem, files: files)
  }

  /// Replaces the index, as a reader does that could not follow the journal.
  func replace(_ other: JournalIndex) {
    withIndex { index in
      index.noteWriteToAll()
      index.replace(by: other)
    }
    moves.withLock { $0 += 1 }
    closeFiles()
  }

  /// Closes the files after the last reader is done.
  func closeFiles() { files.close(of: ObjectIdentifier(self)) }
}

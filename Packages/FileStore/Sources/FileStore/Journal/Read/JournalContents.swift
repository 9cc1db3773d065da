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
/// The index is behind a lock that is held for moments; segments are read without any. Places stay valid: what is
/// in a segment is never changed.
final class JournalContents: Sendable {
  let folder: String

  /// The issues that were found when the journal was opened.
  let issues: [IntegrityIssue]
  private let index: Lock<JournalIndex>
  private let files: OpenFiles
  private let fileSystem: any FileSystem

  /// The transactions under way. Locked inside the lock of the index.
  let conflictTrackers: ConflictTrackers

  /// How often records were moved.
  private let moves = Lock(0)

  /// The contents of which these are one moment; nil for those that follow the journal.
  private let source: JournalContents?

  /// The segments that a moment keeps open, so that a compaction leaves them readable.
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

  /// Where the model with an identifier stands; nil if there is none.
  func entry(_ type: String, _ identifier: String) -> TypeIndex.Entry? {
    var identifier = identifier
    return withIndex { index in
      guard let number = index.number(of: type) else { return nil }
      return identifier.withUTF8 { bytes in
        index.types[number].find(UnsafeRawBufferPointer(bytes)).map { index.types[number].entries[$0] }
      }
    }
  }

  /// The path of a segment.
  func path(_ segment: SegmentNumber) -> String { "\(folder)/\(StoreFormat.segment(segment))" }

  /// Returns the value of a record. Its line is compared with its checksum, and with the name and the revision that the
  /// index has. May wait for the disk.
  func read(_ entry: TypeIndex.Entry, _ type: String, _ identifier: String) throws -> [UInt8] {
    let place = entry.place
    let file = try openFile(place.segment)
    return try withUnsafeTemporaryAllocation(byteCount: Int(place.length), alignment: 8) { buffer in
      let count = try file.readFully(into: buffer, at: place.offset)
      return try value(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]), of: entry, type, identifier)
    }
  }

  /// The same, if it needs no waiting; nil otherwise.
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

  /// The range of the value in the bytes that were found at `place`; nil if they are not the record that is expected there.
  func valueRange(
    in line: UnsafeRawBufferPointer, at place: RecordLocation, _ expected: ExpectedRecord
  ) -> Range<Int>? {
    guard line.count == Int(place.length), LineParser.isSound(line), case .record(let record) = LineParser.parse(line),
      expected.matches(record, in: line)
    else { return nil }
    return record.value
  }

  /// The damage of a record that can't be read.
  ///
  /// - Parameter line: The bytes at its place.
  func damage(at place: RecordLocation, in line: UnsafeRawBufferPointer) -> IntegrityIssue {
    var reason = "the record was sound when the store was opened and is not any more"
    if line.count == Int(place.length), LineParser.isSound(line) {
      reason = "another line is in the place of the record"
      if case .record(let record) = LineParser.parse(line) {
        let name = "\(record.type.string(in: line)) \(record.identifier.string(in: line).quotedForMessage)"
        reason += ", that of \(name), revision \(record.revision)"
      }
    }
    return IntegrityIssue(
      kind: .damage, file: path(place.segment), offset: place.offset, length: UInt64(place.length), reason: reason)
  }

  /// The segment, opened for reading.
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

  /// Runs a read, and once more if the records that it was after were moved meanwhile.
  func readingAgainIfMoved<Result>(_ body: () throws -> Result) throws -> Result {
    while true {
      let before = moves.withLock { $0 }
      do {
        return try body()
      } catch let error as FileSystemError where error.code == ENOENT && source != nil {
        throw SnapshotIsGone()
      } catch let error as FileSystemError where error.code == ENOENT && moves.withLock({ $0 }) != before {
        continue
      }
    }
  }

  /// Lets readers find records where compaction has put them.
  ///
  /// - Parameter areNamed: Whether the index that they were moved by has other ordinals.
  func move(_ older: JournalIndex, to places: [[RecordLocation]], areNamed: Bool = false) {
    withIndex { $0.move(older, to: places, areNamed: areNamed) }
    moves.withLock { $0 += 1 }
  }

  /// Everything as of now: later writes do not show in it.
  ///
  /// A read of it throws ``SnapshotIsGone`` if a compaction has removed the file since, unless the files are kept.
  ///
  /// - Parameter keepsFiles: Whether all files are opened now and stay readable as long as the moment is there.
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

  /// The same files with another index.
  func with(_ index: JournalIndex) -> JournalContents {
    JournalContents(folder: folder, index: index, issues: [], fileSystem: fileSystem, files: files)
  }

  /// Takes over another state of the whole, as a reader does that could not follow.
  func replace(_ other: JournalIndex) {
    withIndex { index in
      index.noteWriteToAll()
      index.replace(by: other)
    }
    moves.withLock { $0 += 1 }
    closeFiles()
  }

  /// Closes the files, once those who read them are done.
  func closeFiles() { files.close(of: ObjectIdentifier(self)) }
}

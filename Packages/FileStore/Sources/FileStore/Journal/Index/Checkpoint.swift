@_spi(ModelKitInternals) import StoreEngine

/// The first line of a checkpoint: the state of the journal that its index describes.
struct CheckpointHeader: Equatable {
  /// The version of the format.
  var version: UInt64

  /// The memory layout of the entries. A reader with another layout ignores the checkpoint.
  var layout: UInt64

  /// The segment and the offset at which the journal continues, and the last batch before it.
  var position: ClosedMark

  /// The secret of the hash.
  var hash: IdentifierHash

  /// The number of bytes after this line, and their checksum.
  var length: UInt64
  var checksum: UInt64

  /// The size of an entry in bytes, and whether the machine is little-endian.
  static var ownLayout: UInt64 {
    UInt64(MemoryLayout<TypeIndex.Entry>.stride) * 2 + (UInt16(1).littleEndian == 1 ? 1 : 0)
  }

  var numbers: [UInt64] {
    [
      version, layout, UInt64(position.segment), position.length, position.batch, hash.first, hash.second, length,
      checksum,
    ]
  }

  init(position: ClosedMark, hash: IdentifierHash, length: UInt64, checksum: UInt64) {
    version = StoreFormat.version
    layout = Self.ownLayout
    self.position = position
    self.hash = hash
    self.length = length
    self.checksum = checksum
  }

  init?(numbers: [UInt64]) {
    guard numbers.count == 9, let segment = UInt32(exactly: numbers[2]), segment <= StoreFormat.largestSegment,
      numbers[4] <= StoreFormat.largestBatch
    else { return nil }
    version = numbers[0]
    layout = numbers[1]
    position = ClosedMark(segment: segment, length: numbers[3], batch: numbers[4])
    hash = IdentifierHash(first: numbers[5], second: numbers[6])
    length = numbers[7]
    checksum = numbers[8]
  }
}

/// A file, and the length that a checkpoint covers.
struct SegmentExtent: Sendable, Equatable {
  var segment: SegmentNumber
  var length: UInt64
}

/// The index of a journal at a point in time, when all its content was synced. It only makes opening faster: the
/// journal has the same information.
struct Checkpoint: Sendable {
  var position: ClosedMark
  var index: JournalIndex

  /// The files of the journal at that time. The checkpoint is invalid if one of them is missing.
  var files: [SegmentExtent]

  /// Writes the checkpoint, atomically replacing an older one.
  ///
  /// - Parameter shouldStop: is called at intervals.
  func write(to folder: String, _ fileSystem: any FileSystem, shouldStop: () -> Bool = { false }) throws {
    // Checked before the file is created: after a stop, another store may own the directory soon.
    if shouldStop() { throw CancellationError() }
    let unfinished = "\(folder)/\(StoreFormat.checkpoint)\(StoreFormat.unfinishedSuffix)"
    var writer = try CheckpointWriter(file: fileSystem.open(unfinished, .create))
    do {
      try writer.begin(self)
      for (name, type) in zip(index.names, index.types) {
        if shouldStop() { throw CancellationError() }
        try writer.add(type, name: name)
      }
      try writer.finish(self)
    } catch let error as FileSystemError where error.isAboutRoom {
      // The unfinished file occupies space.
      try? fileSystem.remove(unfinished)
      throw error
    }
    try fileSystem.rename(unfinished, to: "\(folder)/\(StoreFormat.checkpoint)")
    try fileSystem.synchronizeDirectory(folder)
  }

  /// Reads the checkpoint of a journal; nil if there is no usable one. The journal can be opened without it.
  ///
  /// - Throws: ``FileEngineError/newerFormat(path:version:supported:)``.
  init?(of folder: String, _ fileSystem: any FileSystem) throws {
    do {
      let file = try fileSystem.open("\(folder)/\(StoreFormat.checkpoint)", .read)
      guard var reader = try CheckpointReader(file), let checkpoint = try reader.read() else { return nil }
      self = checkpoint
    } catch is FileSystemError {
      return nil
    }
  }

  /// The number of records of the last file that are compared with the checkpoint.
  private static let sampleSize = 8

  /// Returns whether the last file has the recorded end and some of the records: another file may have its
  /// name.
  func belongs(to file: any StoreFile, in folder: String, _ fileSystem: any FileSystem) throws -> Bool {
    guard position.length > 0, try file.bytes(from: position.length - 1, count: 1) == [0x0a] else { return false }
    let contents = JournalContents(folder: folder, index: JournalIndex(), issues: [], fileSystem: fileSystem)
    var isSame = true
    for (number, type) in index.types.enumerated() {
      let recent = type.entries.suffix(1_024).filter { $0.place.segment == SegmentNumber(position.segment) }
      let sample = index.selection(recent.suffix(Self.sampleSize), ofType: number)
      try contents.forEachRecord(sample) { _, _, value in isSame = isSame && value != nil }
    }
    return isSame
  }

  init(position: ClosedMark, index: JournalIndex, files: [SegmentExtent]) {
    self.position = position
    self.index = index
    self.files = files
  }
}

/// Writes the parts of a checkpoint in order, and its first line last, because it has their checksum.
private struct CheckpointWriter {
  let file: any StoreFile
  private var end: UInt64 = 0
  private var checksum = Fingerprint()

  init(file: any StoreFile) { self.file = file }

  /// The length of the first line, padded with spaces.
  static let headerLength: UInt64 = 256

  mutating func begin(_ checkpoint: Checkpoint) throws {
    try file.truncate(to: 0)
    end = Self.headerLength
    // In the same parts as when they are read, because their fingerprint depends on the parts.
    try add([UInt64(checkpoint.files.count)])
    for extent in checkpoint.files {
      try add([UInt64(extent.segment.rawValue)])
      try add([extent.length])
    }
    try add([UInt64(checkpoint.index.types.count)])
  }

  mutating func add(_ type: TypeIndex, name: [UInt8]) throws {
    try add([
      UInt64(name.count), UInt64(type.entries.count), UInt64(type.identifiers.count), UInt64(type.slots.count),
      UInt64(type.liveCount), type.liveBytes, type.nextOrdinal, UInt64(type.largestInteger),
    ])
    try add(name)
    try add(type.entries)
    try add(type.identifiers)
    try add(type.slots)
  }

  mutating func finish(_ checkpoint: Checkpoint) throws {
    var encoder = LineEncoder()
    encoder.checkpoint(
      CheckpointHeader(
        position: checkpoint.position, hash: checkpoint.index.hash, length: end - Self.headerLength,
        checksum: checksum.value))
    // The line break is at the end of the padding, so that the next part always has the same offset.
    let line = encoder.bytes.dropLast()
    let room = Int(Self.headerLength) - line.count - 1
    try file.writeFully(line + [UInt8](repeating: 0x20, count: room) + [0x0a], at: 0)
    try file.synchronize()
  }

  private mutating func add<Element: BitwiseCopyable>(_ elements: [Element]) throws {
    try elements.withUnsafeBytes { bytes in
      checksum.add(bytes)
      try file.writeFully(bytes, at: end)
      end += UInt64(bytes.count)
    }
  }
}

/// Reads the output of ``CheckpointWriter``. Any inconsistency makes the checkpoint invalid.
private struct CheckpointReader {
  let file: any StoreFile
  private let header: CheckpointHeader
  private var position = CheckpointWriter.headerLength
  private let end: UInt64
  private var checksum = Fingerprint()

  /// - Throws: ``FileEngineError/newerFormat(path:version:supported:)``.
  init?(_ file: any StoreFile) throws {
    self.file = file
    var line = [UInt8](repeating: 0, count: Int(CheckpointWriter.headerLength))
    let count = try line.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
    guard count == line.count, let last = line.dropLast().lastIndex(where: { $0 != 0x20 }) else { return nil }
    let parsed = line[...last].withUnsafeBytes { line in LineParser.isSound(line) ? LineParser.parse(line) : nil }
    guard case .checkpoint(let header)? = parsed else { return nil }
    guard header.version <= StoreFormat.version else {
      throw FileEngineError.newerFormat(path: file.path, version: header.version, supported: StoreFormat.version)
    }
    guard header.version == StoreFormat.version, header.layout == CheckpointHeader.ownLayout, header.length < 1 << 46
    else { return nil }
    self.header = header
    end = position + header.length
    guard try file.size() >= end else { return nil }
  }

  mutating func read() throws -> Checkpoint? {
    guard let fileCount = try number(), fileCount < 1 << 20 else { return nil }
    var files: [SegmentExtent] = []
    for _ in 0..<fileCount {
      guard let segment = try number(), let length = try number(), let raw = UInt32(exactly: segment) else {
        return nil
      }
      files.append(SegmentExtent(segment: SegmentNumber(rawValue: raw), length: length))
    }
    guard let typeCount = try number(), typeCount < 1 << 20 else { return nil }
    var index = JournalIndex(hash: header.hash)
    for _ in 0..<typeCount {
      guard let sizes: [UInt64] = try elements(8, 0), let name: [UInt8] = try elements(sizes[0], 0),
        let entries: [TypeIndex.Entry] = try elements(
          sizes[1],
          TypeIndex.Entry(
            place: RecordLocation(segment: .none, length: 0, offset: 0), identifierStart: 0, identifierLength: 0,
            revision: 0, ordinal: 0)),
        let identifiers: [UInt8] = try elements(sizes[2], 0), let slots: [UInt32] = try elements(sizes[3], 0),
        let liveCount = Int(exactly: sizes[4]), let largest = Int(exactly: sizes[7])
      else { return nil }
      index.add(
        name,
        TypeIndex(
          hash: header.hash, entries: entries, identifiers: identifiers, slots: slots, liveCount: liveCount,
          liveBytes: sizes[5], nextOrdinal: sizes[6], largestInteger: largest))
    }
    guard position == end, checksum.value == header.checksum else { return nil }
    return Checkpoint(position: header.position, index: index, files: files)
  }

  private mutating func number() throws -> UInt64? {
    let list: [UInt64]? = try elements(1, 0)
    return list?.first
  }

  /// Returns the next elements, read into their final memory; nil if there are fewer.
  private mutating func elements<Element: BitwiseCopyable>(_ count: UInt64, _ example: Element) throws -> [Element]? {
    let size = UInt64(MemoryLayout<Element>.stride)
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow, bytes <= end - position else { return nil }
    // As in `StoreFile.bytes(from:count:)`.
    if count == 0 { return [] }
    let list = try [Element](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      let read = try file.readFully(into: raw, at: position)
      guard read == raw.count else { return }
      checksum.add(UnsafeRawBufferPointer(raw))
      initialized = Int(count)
    }
    guard list.count == Int(count) else { return nil }
    position += bytes
    return list
  }
}

@_spi(ModelKitInternals) import StoreProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The format of exported files, which `JSONFiles.md` describes.
enum ExportFormat {
  static let name = "modelkit-models"
  static let version = 1
}

extension FileEngine {
  /// The approximate number of bytes that are read and written at a time.
  private static let pieceSize = 1 << 20

  /// Writes a snapshot of all models to a file.
  func exportJSON(
    to path: String, unreadable: UnreadableRecords = .fail, _ progress: (FileStoreProgress) -> Void
  ) async throws -> Int {
    // Nothing keeps another process from removing the files.
    if isReadOnly { return try await export(try await moment(keepsFiles: true), to: path, unreadable, progress) }
    let contents = try await contents()
    return try await service.holding(group) { try await export(contents, to: path, unreadable, progress) }
  }

  private func export(
    _ contents: JournalContents, to path: String, _ unreadable: UnreadableRecords,
    _ progress: (FileStoreProgress) -> Void
  ) async throws -> Int {
    // The current index: records don't move while the files are locked.
    let index = contents.withIndex { $0.withoutFieldIndexes }
    for loss in index.losses { try unreadable.skip([loss], of: loss.typeName) }
    let (directory, fileSystem) = (service.directory, service.fileSystem)
    let (target, file) = try await reading {
      let target = try FileLocation.following(path)
      try Self.refuseOwnFiles(target, of: directory)
      return (target, try Self.createUnfinished(target, fileSystem))
    }
    do {
      var end: UInt64 = 0
      var count = 0
      var done: UInt64 = 0
      var bytes = try Self.header(index, contents)
      for (number, (name, type)) in zip(index.names, index.types).enumerated() where type.liveCount > 0 {
        let typeName = String(decoding: name, as: UTF8.self)
        if typeName == ModelVersions.typeName { continue }
        var cursor: CreationCursor? = .start
        while let position = cursor {
          try Task.checkCancellation()
          let (entries, next) = type.liveEntries(after: position, limit: 4_096, byteLimit: Self.pieceSize)
          let (start, isFirst) = (end, count == 0)
          let begun = bytes
          let skipped: Int
          (end, skipped) = try await reading {
            var piece = begun
            let skipped = try Self.append(
              index.selection(entries, ofType: number), typeName, isFirst: isFirst, contents, unreadable, to: &piece)
            try file.writeFully(piece, at: start)
            return (start + UInt64(piece.count), skipped)
          }
          bytes = []
          count += entries.count - skipped
          done += entries.reduce(0) { $0 + UInt64($1.place.length) + 1 }
          progress(FileStoreProgress(count, done, of: index.liveBytes - (index.versions?.liveBytes ?? 0)))
          cursor = next
        }
      }
      let (start, rest) = (end, bytes + Array("\n]}\n".utf8))
      try await reading {
        try file.writeFully(rest, at: start)
        try file.synchronize()
        try fileSystem.rename(file.path, to: target)
        try fileSystem.synchronizeDirectory(PosixFileSystem.parent(of: target))
      }
      if count == 0 { progress(FileStoreProgress(0, 0, of: 0)) }
      return count
    } catch {
      try? await reading { try fileSystem.remove(file.path) }
      throw error
    }
  }

  /// - Throws: ``FileEngineError/insideStore(path:directory:)`` for a file of the store itself.
  private static func refuseOwnFiles(_ path: String, of directory: String) throws {
    let (target, store) = (FileLocation.resolved(path), FileLocation.resolved(directory))
    let parts = target.dropFirst(store.count).split(separator: "/", omittingEmptySubsequences: true)
    if FileLocation.isInside(target, store), let name = parts.first, StoreFormat.isOwnName(name) {
      throw FileEngineError.insideStore(path: path, directory: directory)
    }
  }

  /// Creates a file next to the target, under an unused name.
  ///
  /// - Throws: ``FileEngineError/noFolder(_:)``; ``FileSystemError`` that names the target.
  private static func createUnfinished(_ target: String, _ fileSystem: any FileSystem) throws -> any StoreFile {
    var number = 1
    while true {
      let name = target + StoreFormat.unfinishedSuffix + (number > 1 ? "-\(number)" : "")
      do {
        return try fileSystem.open(name, .createNew)
      } catch let error where error.code == EEXIST {
        number += 1
      } catch let error where error.code == ENOENT {
        throw FileEngineError.noFolder(PosixFileSystem.parent(of: target))
      } catch {
        throw FileSystemError(error.operation, target, code: error.code)
      }
    }
  }

  /// Returns the text before the first model.
  private static func header(_ index: JournalIndex, _ contents: JournalContents) throws -> [UInt8] {
    let versions = try ModelVersions.all(in: index, contents)
    var text = #"{"format":"\#(ExportFormat.name)","version":\#(ExportFormat.version),"#
    if !versions.isEmpty {
      let object = JSONValue.object(versions.mapValues { .int($0) })
      text +=
        #""modelVersions":"#
        + String(decoding: try object.jsonData(JSONWritingOptions(sortedKeys: true)), as: UTF8.self) + ","
    }
    return Array((text + #""models":["#).utf8)
  }

  /// Appends models, one per line.
  ///
  /// - Returns: The number of skipped models.
  private static func append(
    _ records: RecordSelection, _ typeName: String, isFirst: Bool, _ contents: JournalContents,
    _ unreadable: UnreadableRecords, to bytes: inout [UInt8]
  ) throws -> Int {
    var skipped = 0
    var isFirst = isFirst
    var start = Array(#"{"type":"#.utf8)
    appendText(typeName, to: &start)
    start += Array(#","identifier":"#.utf8)
    try contents.forEachRecord(records) { number, line, value in
      guard let value else {
        let damage = contents.damage(at: records.entries[number].place, in: line)
        try unreadable.skip(typeName, records.identifier(number), damage)
        skipped += 1
        return
      }
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes.append(0x0a)
      bytes.append(contentsOf: start)
      appendText(records.identifier(number), to: &bytes)
      bytes.append(contentsOf: #","value":"#.utf8)
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[value]))
      bytes.append(UInt8(ascii: "}"))
    }
    return skipped
  }

  private static func appendText(_ text: String, to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

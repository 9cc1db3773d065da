import Foundation

@testable import FileStore

extension Journal {
  /// Opens the journal of the script's group, with segments so small that there are several if `segmentSize` is given.
  static func scripted(
    _ fileSystem: FaultyFileSystem, segmentSize: UInt64 = 1 << 20, preallocation: UInt64 = 256,
    checkpointInterval: UInt64 = 1 << 20
  ) throws -> Journal {
    var options = Options()
    options.checkpointInterval = checkpointInterval
    options.segmentSize = segmentSize
    options.preallocation = preallocation
    try fileSystem.createDirectories(JournalScript.directory)
    return try open(group: "books", in: JournalScript.directory, options: options, fileSystem: fileSystem)
  }

  /// Writes one batch durably, or not.
  @discardableResult
  func write(_ changes: [Change], isDurable: Bool = true) throws -> [UInt64] {
    try commit([changes], isDurable: isDurable)[0].get()
  }

  /// Compacts it, from beginning to end; `meanwhile` is called when that is half done.
  func compact(meanwhile: () throws -> Void = {}) throws {
    guard let compaction = try beginCompaction() else { return }
    let outcome = try compaction.run(fileSystem)
    try meanwhile()
    try finish(compaction, outcome)
    try writeDueCheckpoint()
  }

  /// Does what the engine leaves to another thread.
  func writeDueCheckpoint() throws { try takeDueCheckpoint()?.write(to: contents.folder, fileSystem) }

  /// Everything in it, read in small chunks.
  func snapshot() throws -> Snapshot { try contents.snapshot() }
}

extension JournalContents {
  func snapshot() throws -> Snapshot {
    var snapshot = Snapshot()
    for name in withIndex({ $0.typeNames }) {
      var cursor: CreationCursor? = .start
      while let position = cursor {
        let chunk = try chunk(of: name, after: position, limit: 2, byteLimit: 1 << 20)
        if let issue = chunk.damages.first { throw FileEngineError.damaged(issue) }
        snapshot.types[name, default: []] += chunk.rows.map {
          .init(
            identifier: $0.identifier, revision: $0.revision, value: String(decoding: chunk.value($0), as: UTF8.self))
        }
        cursor = chunk.next
      }
    }
    return snapshot
  }
}

public import Foundation
@_spi(ModelKitInternals) import StoreEngine
import StoreProtocol

extension FileModelStore {
  /// Copies the whole store, with all its groups, as of one moment, into another directory, which can be opened as a store.
  /// Reading and writing go on meanwhile.
  ///
  /// ```swift
  /// try await store.backup(to: URL(filePath: "backups/monday.store"))
  /// ```
  ///
  /// Every change that was acknowledged before this was called is in the copy, and no part of a batch or a transaction. The
  /// copy is made under another name, brought to the disk, and gets its own name at the end: an error or a crash leaves no
  /// half of one. Quarantine files are not copied.
  ///
  /// That other name is `monday.store.unfinished`, or with a number behind it if something is called so. An error removes the
  /// folder; a process that is killed leaves it, and it can be removed then.
  ///
  /// - Parameter directory: a folder that does not exist yet, or is empty, outside of the store.
  /// - Throws: `ModelStoreError` with the code
  ///   - `conflict` if the folder is not empty, `invalid` if it is in that of the store,
  ///   - `unsupported` if the store was opened for reading only,
  ///   - `corrupt` if the group of a folder is unknown,
  ///   - `cancelled`, or that of an error of the disk.
  /// - Complexity: O(*n*) in the size of the journals, older revisions included: ``compact()`` first makes a smaller copy.
  public func backup(to directory: URL) async throws {
    try await translating {
      _ = try directory.filePath()
      let target = directory.standardizedFileURL.path(percentEncoded: false)
      let trimmed = target.count > 1 && target.hasSuffix("/") ? String(target.dropLast()) : target
      try await handle.engine.backup(to: trimmed)
    }
  }
}

extension FileEngine {
  func backup(to target: String) async throws {
    if isReadOnly { throw FileEngineError.readOnly(directory: service.directory) }
    _ = try await contents()
    let (directory, fileSystem) = (service.directory, service.fileSystem)
    try await reading {
      if FileLocation.isInside(target, directory) {
        throw FileEngineError.insideStore(path: target, directory: directory)
      }
    }
    try await reading { try StoreBackup.refuseIfNotEmpty(target, fileSystem) }
    let groups = try await service.writing { writer in try writer.openAll() }
    var held: [String] = []
    do {
      for group in groups {
        try await service.hold(group)
        held.append(group)
      }
      let backup = try await service.writing { writer in try writer.backup(of: groups) }
      try await service.caretaking { shouldStop in try backup.write(to: target, fileSystem, shouldStop: shouldStop) }
    } catch {
      for group in held { await service.release(group) }
      throw error
    }
    for group in held { await service.release(group) }
  }
}

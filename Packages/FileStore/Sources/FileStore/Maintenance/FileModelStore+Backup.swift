public import Foundation
@_spi(ModelKitInternals) import StoreEngine
import StoreProtocol

extension FileModelStore {
  /// Copies a snapshot of the whole store, with all groups, into another directory, which can be opened as a store.
  /// Reads and writes continue during the call.
  ///
  /// ```swift
  /// try await store.backup(to: URL(filePath: "backups/monday.store"))
  /// ```
  ///
  /// The copy contains every change that was acknowledged before the call, and only complete batches and transactions.
  /// It is written under a temporary name, synced, and renamed at the end, so an error or a crash leaves no partial
  /// copy. Quarantine files are not copied.
  ///
  /// The temporary name is `monday.store.unfinished`, with a number if that name exists. An error removes the folder. A
  /// killed process leaves it behind, and you can remove it.
  ///
  /// - Parameter directory: a folder that does not exist yet, or is empty, outside of the store.
  /// - Throws: `ModelStoreError` with the code
  ///   - `conflict` if the folder is not empty, `invalid` if it is inside the store,
  ///   - `unsupported` if the store was opened for reading only,
  ///   - `corrupt` if the group of a folder can't be determined,
  ///   - `cancelled`, or that of an error of the disk.
  /// - Complexity: O(*n*) in the size of the journals, including older revisions. Call ``compact()`` before for a
  ///   smaller copy.
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
      try await service.runMaintenance { shouldStop in try backup.write(to: target, fileSystem, shouldStop: shouldStop)
      }
    } catch {
      for group in held { await service.release(group) }
      throw error
    }
    for group in held { await service.release(group) }
  }
}

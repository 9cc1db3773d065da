public import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore {
  /// Exports all models of this group, of all types, to one JSON file, for people, other programs, and
  /// ``importJSON(from:existing:checking:progress:)``. <doc:JSONFiles> has the format.
  ///
  /// ```swift
  /// try await store.exportJSON(to: URL(filePath: "people.json"))
  /// ```
  ///
  /// The file contains a snapshot of the group, without open transactions. Reads and writes continue during the call.
  /// The file is written under a temporary name, and replaces an older file when it is complete. An error or a crash
  /// leaves the older file. If the file is a symbolic link, its target is replaced.
  ///
  /// The temporary name is `people.json.new`, with a number if that name exists. An error removes the file. A killed
  /// process leaves it behind, and you can remove it.
  ///
  /// - Parameters:
  ///   - url: the file, in a folder that exists.
  ///   - progress: receives the progress at intervals.
  /// - Returns: the number of written models.
  /// - Throws: `ModelStoreError` with the code `invalid` if the file is one of the store's own. The code is `corrupt`
  ///   if a record can't be read, `cancelled`, or that of a disk error.
  /// - Complexity: O(*n*) in the size of the models, with a few megabytes of memory.
  @discardableResult
  public func exportJSON(to url: URL, progress: ((FileStoreProgress) -> Void)? = nil) async throws -> Int {
    try await translating {
      try await handle.engine.exportJSON(to: url.filePath(), unreadable: handle.options.unreadable) { progress?($0) }
    }
  }

  /// Imports a file that ``exportJSON(to:progress:)``, or another program, wrote in the format of exported files.
  ///
  /// It restores the exported records unchanged. For other documents use `importModels(_:fromJSON:at:options:)`, which
  /// validates each entry, and updates stored models.
  ///
  /// ```swift
  /// let outcome = try await store.importJSON(
  ///   from: URL(filePath: "people.json"), checking: [Person.self])
  /// print(outcome.createdCount)
  /// ```
  ///
  /// The whole file is checked first. If it is invalid, or contains stored models and `existing` is `reject`, the error
  /// has the position, and nothing is imported. The file is also invalid if a class can't decode a model, or decodes
  /// another identifier. Such a record would make lists of its type fail. This is checked for the classes in `types`,
  /// and for those whose models this store instance has created, read or written. Models of other classes are imported
  /// unchecked. If one can't be read later, the error names it, and you can delete it.
  ///
  /// Then the file is read again, and written in batches. If a batch fails, as on a full disk or for a unique index,
  /// the error has the number of written models. These stay stored, and another import with `existing` as `keep` or
  /// `replace` continues.
  ///
  /// Rules are not checked, hooks don't run, and live models are updated when they are read next. Records of an older
  /// model version are migrated.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - existing: the treatment of models that are already stored.
  ///   - types: further classes of models in the file, which this store instance has not used yet.
  ///   - progress: receives the progress at intervals.
  /// - Returns: the numbers of created, replaced and kept models.
  /// - Throws: `ModelStoreError` with the code
  ///   - `invalid` for a malformed file, or a model that its class can't decode, with line and offset,
  ///   - `conflict` if a model exists already, or occurs twice in the file,
  ///   - `unsupported` if the file is of a newer version,
  ///   - `cancelled`, or that of an error of the disk.
  /// - Complexity: O(*n*) in the size of the file, with a few megabytes of memory, and some 30 bytes for each model. To
  ///   check models of known classes, it creates them in the isolation of the caller, a megabyte at a time.
  @discardableResult
  public func importJSON(
    from url: URL, existing: FileStoreImport.Existing = .reject, checking types: [any Model.Type] = [],
    progress: ((FileStoreProgress) -> Void)? = nil
  ) async throws -> FileStoreImport {
    guard transaction == nil else {
      throw ModelStoreError(.unsupported, "Nothing was imported: that can't be done inside a transaction.")
    }
    return try await translating {
      var importer = JSONImport(
        engine: handle.engine, path: try url.filePath(), existing: existing,
        durability: handle.options.durability, models: try ImportedModels(types, in: self))
      return try await importer.run { progress?($0) }
    }
  }
}

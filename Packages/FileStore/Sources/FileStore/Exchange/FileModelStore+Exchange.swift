public import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore {
  /// Writes all models of this group, of all types, into one file of JSON: for people, other programs, and
  /// ``importJSON(from:existing:checking:progress:)``. <doc:JSONFiles> has the format.
  ///
  /// ```swift
  /// try await store.exportJSON(to: URL(filePath: "people.json"))
  /// ```
  ///
  /// What is written is the group as of one moment; reading and writing go on meanwhile. A transaction under way is not part
  /// of it. The file is made under another name and replaces an older one when it is complete, so that an error or a crash
  /// leaves what was there. If the file is a symbolic link, its target is written.
  ///
  /// That other name is `people.json.new`, or with a number behind it if something is called so. An error removes the file; a
  /// process that is killed leaves it, and it can be removed then.
  ///
  /// - Parameters:
  ///   - url: the file, in a folder that exists.
  ///   - progress: receives the progress at intervals.
  /// - Returns: how many models were written.
  /// - Throws: `ModelStoreError` with the code `invalid` if the file is one of the store's own, `corrupt` if a record can't be
  ///   read, `cancelled`, or an error of the disk.
  /// - Complexity: O(*n*) in the size of the models, with a few megabytes of memory.
  @discardableResult
  public func exportJSON(to url: URL, progress: ((FileStoreProgress) -> Void)? = nil) async throws -> Int {
    try await translating {
      try await handle.engine.exportJSON(to: url.filePath(), unreadable: handle.options.unreadable) { progress?($0) }
    }
  }

  /// Adds the models of a file that ``exportJSON(to:progress:)`` has written, or another program in the same format.
  ///
  /// This restores an exported file, with its records as they are. For a document of others use
  /// `importModels(_:fromJSON:at:options:)`, which checks each entry, and updates models that are there.
  ///
  /// ```swift
  /// let outcome = try await store.importJSON(from: URL(filePath: "people.json"), checking: [Person.self])
  /// print(outcome.createdCount)
  /// ```
  ///
  /// The whole file is checked first. If anything is wrong with it, or a model of it is in the store and that is refused,
  /// the error names the position, and nothing is imported. A model that its class can't decode, or that has another
  /// identifier in its value, is such a mistake: it would keep all models of the type from being listed. The known classes
  /// are those that this store instance has created, read or written models of, and those in `types`. Models of unknown
  /// classes are imported unchecked; if one can't be read later, the error names it, and it can be deleted.
  ///
  /// Then the file is read once more, and written in batches. If a batch fails, as on a full disk or for a value that has to
  /// be unique, the error has the number of models that were written. They stay, and another import with
  ///
  /// Rules of models are not checked, hooks don't run, and live models follow when they are read next. Records of an older
  /// model version go through the migrations of the store.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - existing: what becomes of models that are in the store already.
  ///   - types: classes of models that may be in the file, besides those that this store instance has used.
  ///   - progress: receives the progress at intervals.
  /// - Returns: how many models were created, replaced and kept.
  /// - Throws: `ModelStoreError` with the code
  ///   - `invalid` for a malformed file, or a model that does not fit its class, with line and offset,
  ///   - `conflict` if a model exists already, or is twice in the file,
  ///   - `unsupported` if the file is of a newer version,
  ///   - `cancelled`, or that of an error of the disk.
  /// - Complexity: O(*n*) in the size of the file, with a few megabytes of memory, and some 30 bytes for each model. Models of
  ///   known classes are made once, a megabyte of them at a time, in the isolation of the caller.
  @discardableResult
  public func importJSON(
    from url: URL, existing: FileStoreImport.Existing = .refuse, checking types: [any Model.Type] = [],
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

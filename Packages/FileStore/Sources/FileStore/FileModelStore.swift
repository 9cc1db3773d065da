public import Foundation
@_exported @_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// A store that keeps models in a directory, as lines of JSON in append-only files.
///
/// ```swift
/// let store = FileModelStore(directory: URL(filePath: "people.store"))
/// let person = Person()
/// person.name.value = "Ada"
/// try await store.create(person)  // on the disk when this returns
/// ```
///
/// The first call that needs the directory creates and opens it. One process writes at a time: a second one gets an
/// error that names the first. Blocking work runs on the store's own threads.
///
/// - Note: A store instance belongs to one isolation. For another isolation create one with `init(_:scope:)` and the
///   `handle`.
public final class FileModelStore: RecordStore<FileStoreHandle>, TransactionalModelStore {
  /// Creates a store instance without opening the store.
  ///
  /// - Parameters:
  ///   - directory: the folder of the store, created if it is missing. It must be a file URL: otherwise the first call
  ///     throws `invalid`.
  ///   - options: how the store writes.
  ///   - scope: the identity map of this store instance.
  public convenience init(
    directory: URL, options: FileStoreOptions = FileStoreOptions(), scope: ModelScope = ModelScope()
  ) {
    self.init(FileStoreHandle(directory: directory, options: options), scope: scope)
  }

  /// Opens the store. Otherwise the first call opens it.
  ///
  /// - Returns: the issues of the files; all other records are readable. An incomplete batch at the end, as after a
  ///   crash, is moved to a quarantine file, and is not an error.
  /// - Throws: `ModelStoreError` with the code
  ///   - `locked` if another process has the store open,
  ///   - `unsupported` if the store was written by a newer version,
  ///   - `conflict` if the folder belongs to another program; it is left unchanged,
  ///   - `inputOutput` if a store that is opened for reading only does not exist.
  @discardableResult
  public func open() async throws -> [IntegrityIssue] {
    try await translating { try await handle.engine.open() }
  }

  /// Returns a store instance for another group of this store. Groups share only the folder, the lock and the threads.
  ///
  /// - Parameters:
  ///   - name: the name of the group: any string. The default group has an empty name.
  ///   - scope: the identity map of the store instance.
  public func group(_ name: String, scope: ModelScope = ModelScope()) -> FileModelStore {
    FileModelStore(handle.group(name), scope: scope)
  }

  /// Reads the whole journal of this group, and compares it with its checksums and with the index of the store.
  /// Reads and writes continue during the call.
  ///
  /// - Parameter progress: receives the checked fraction of the journal, from 0 to 1, on a thread of the store.
  /// - Returns: the issues, with file and offset; all other records are readable.
  /// - Throws: `ModelStoreError` with the code `cancelled` if the task is cancelled, or an error of the disk.
  /// - Complexity: O(*n*) in the size of the journal.
  public func verify(progress: (@Sendable (Double) -> Void)? = nil) async throws -> [IntegrityIssue] {
    try await translating { try await handle.engine.verify(progress: progress) }
  }

  /// Removes older revisions and deleted models from the journal of this group. Reads and writes continue during the
  /// call. A crash leaves either the old or the new journal.
  ///
  /// The store compacts a journal automatically when more than half of it is obsolete.
  ///
  /// - Throws: `ModelStoreError`. Its code is `cancelled` if the task is cancelled, `corrupt` if a record can't be
  ///   read, or that of an error of the disk. After `corrupt` the journal is unchanged, because it has the only copy of
  ///   the damaged record; ``repair()`` moves that to a quarantine file.
  /// - Complexity: O(*n*) in the size of the remaining records.
  public func compact() async throws {
    try await translating { try await handle.engine.compact() }
  }

  /// Completes the pending writes, syncs the disk and closes the store for all its instances.
  ///
  /// - Throws: `ModelStoreError` for an error of the disk, now or in an earlier write in the background. The store is
  ///   closed nevertheless.
  public func close() async throws {
    defer { handle.feeds.finish() }
    try await translating { try await handle.engine.close() }
  }

  // MARK: Reading

  /// Finds the model with an identifier.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound` if there is none. The code is `corrupt` if its record can't
  ///   be read, or may be lost in a damaged part of the files.
  public override func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    do {
      let model = try await super.lookup(type, identifier: identifier)
      try refuseLost(M.typeName, identifier)
      return model
    } catch let error as ModelStoreError where error.code == .notFound {
      try refuseLost(M.typeName, identifier)
      throw error
    }
  }

  /// Throws if a later revision of a model may be lost, unless the open transaction wrote one.
  private func refuseLost(_ type: String, _ identifier: String) throws {
    guard JournalIndex.mayHaveLosses, transaction?.entry(type, identifier) == nil,
      let contents = handle.engine.knownContents
    else { return }
    try handle.options.unreadable.refuse(contents.loss(of: type, identifier), type, identifier)
  }

  /// Finds the models for which the condition holds, in the order of the query, or by default of their creation.
  ///
  /// All models of a type are read in parts: while models are created from one part, the next is read from the files.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query, `corrupt` if a record can't be
  ///   read.
  /// - Complexity: as for every `RecordStore`.
  /// - Note: All models, and the records that conditions on relations read, are from one snapshot.
  public override func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    if try await selectsAllRecords(query) {
      return try await ModelStoreEvent.recording(.list, of: Self.self, M.typeName, query: "\(query)") { event in
        let models: [M] = try await listAll()
        event?.report = .listing(models.count)
        event?.count = models.count
        return models
      }
    }
    return try await super.list(query)
  }

  /// Returns the identifiers of the models that ``list(_:)`` would find, without creating them. A query for all models
  /// reads no file.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  public override func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    if try await selectsAllRecords(query) {
      return try await ModelStoreEvent.recording(.identifiers, of: Self.self, M.typeName, query: "\(query)") { event in
        try await handle.current().admit(M.typeName)
        let identifiers = try await translating { try await handle.engine.identifiers(M.typeName) }
        event?.count = identifiers.count
        return identifiers
      }
    }
    return try await super.identifiers(query)
  }
}

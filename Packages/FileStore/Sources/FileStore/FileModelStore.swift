public import Foundation
@_exported @_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// A store that keeps models in a directory, as lines of JSON in files that only grow.
///
/// ```swift
/// let store = FileModelStore(directory: URL(filePath: "people.store"))
/// let person = Person()
/// person.name.value = "Ada"
/// try await store.create(person)  // on the disk when this returns
/// ```
///
/// The directory is made, and opened, by the first call that needs it. One process writes at a time: a second one gets
/// an error that names the first. What blocks runs on threads of the store's own.
///
/// - Note: A store instance lives in one isolation. Make another with `init(_:scope:)` and `handle` elsewhere.
public final class FileModelStore: RecordStore<FileStoreHandle>, TransactionalModelStore {
  /// Describes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: the folder of the store, a file URL: with another the first call throws the code `invalid`. It is made if
  ///     it is missing.
  ///   - options: how the store writes.
  ///   - scope: the identity map of this store instance.
  public convenience init(
    directory: URL, options: FileStoreOptions = FileStoreOptions(), scope: ModelScope = ModelScope()
  ) {
    self.init(FileStoreHandle(directory: directory, options: options), scope: scope)
  }

  /// Opens the store, which the first other call would do too.
  ///
  /// - Returns: what was found wrong with the files; all else is readable. A batch at the end that was not written
  ///   completely, as after a crash, is moved to a file of its own, and is no error.
  /// - Throws: `ModelStoreError` with the code
  ///   - `locked` if another process has the store open,
  ///   - `unsupported` if the store was written by a newer version,
  ///   - `conflict` if the folder belongs to another program; it is left unchanged,
  ///   - `inputOutput` if a store that is opened for reading only does not exist.
  @discardableResult
  public func open() async throws -> [IntegrityIssue] {
    try await translating { try await handle.engine.open() }
  }

  /// Returns a store instance for another group of this store: models that share nothing with those of this one but the folder, the lock
  /// and the threads.
  ///
  /// - Parameters:
  ///   - name: the name of the group: any string. The group without a name is the one that a store has without this call.
  ///   - scope: the identity map of the store instance.
  public func group(_ name: String, scope: ModelScope = ModelScope()) -> FileModelStore {
    FileModelStore(handle.group(name), scope: scope)
  }

  /// Reads the whole journal of this group again and compares all of it with its checksums, and with the index of the store.
  /// Reading and writing go on meanwhile.
  ///
  /// - Returns: what is wrong with it, with file and offset; all else is readable.
  /// - Throws: `ModelStoreError` with the code `cancelled` if the task is cancelled, or an error of the disk.
  /// - Complexity: O(*n*) in the size of the journal.
  public func verify() async throws -> [IntegrityIssue] {
    try await translating { try await handle.engine.verify() }
  }

  /// Removes from the journal of this group what is of no use any more: older revisions, deleted models. Reading and
  /// writing go on meanwhile, and a crash at any moment leaves either what was there or what is to be.
  ///
  /// A store does this by itself when more than half of a journal is of no use any more.
  ///
  /// - Throws: `ModelStoreError`. Its code is `cancelled` if the task is cancelled, `corrupt` if a record can't be read, or
  ///   that of an error of the disk. After `corrupt` the journal is unchanged, since it has what is left of the record;
  ///   ``repair()`` moves that aside.
  /// - Complexity: O(*n*) in the size of what is kept.
  public func compact() async throws {
    try await translating { try await handle.engine.compact() }
  }

  /// Completes the writes under way, syncs the disk and closes the store for all its instances.
  ///
  /// - Throws: `ModelStoreError` for an error of the disk, now or in an earlier write in the background. The store is closed
  ///   nevertheless.
  public func close() async throws {
    defer { handle.feeds.finish() }
    try await translating { try await handle.engine.close() }
  }

  // MARK: Reading

  /// Finds models: those for which the condition holds, in the order of the query, or else of their creation.
  ///
  /// All models of a type are read part by part: while models are made of one part, the next is read from the files.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense, `corrupt` if a record can't be
  ///   read.
  /// - Complexity: as for every `RecordStore`.
  /// - Note: All models, and the records that conditions about relations read, are of one moment.
  public override func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    if try await isAboutAll(query) { return try await listAll() }
    return try await super.list(query)
  }

  /// The identifiers of the models that ``list(_:)`` would find. No model is made for that, and no file is read for those
  /// of all models.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  public override func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    if try await isAboutAll(query) {
      return try await translating { try await handle.engine.identifiers(M.typeName) }
    }
    return try await super.identifiers(query)
  }
}

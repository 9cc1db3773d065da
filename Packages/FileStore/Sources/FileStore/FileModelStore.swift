public import Foundation
@_exported @_spi(ModelKitInternals) public import StoreProtocol

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
/// - Note: A front lives in one isolation. Make another with ``init(_:scope:)`` and ``handle`` elsewhere.
public final class FileModelStore: TransactionalModelStore {
  /// The identity map of this front.
  public let scope: ModelScope
  /// What fronts of this store share. It is `Sendable`.
  public let handle: FileStoreHandle
  /// The decision of saves and updates that say nothing else.
  public var conflictPolicy = ConflictPolicy.merge
  /// The transactions under way, in this front: one of a task, and of what that has begun.
  var transactions: [FileTransaction] = []
  /// Of which foreign keys deletions need an index.
  var indexDemand = IndexDemand()
  private var types: [ObjectIdentifier: FileFrontType] = [:]
  // Most calls are about the class that the one before was about.
  private var lastType: FileFrontType?

  /// Describes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: the folder of the store, a file URL: with another the first call throws the code `invalid`. It is made if
  ///     it is missing.
  ///   - options: how the store writes.
  ///   - scope: the identity map of this front.
  public convenience init(
    directory: URL, options: FileStoreOptions = FileStoreOptions(), scope: ModelScope = ModelScope()
  ) {
    self.init(FileStoreHandle(directory: directory, options: options), scope: scope)
  }

  /// Creates another front for a store, such as for another actor.
  ///
  /// - Parameters:
  ///   - handle: the `handle` of another front.
  ///   - scope: the identity map of this front.
  public init(_ handle: FileStoreHandle, scope: ModelScope = ModelScope()) {
    self.handle = handle
    self.scope = scope
  }

  /// Opens the store, which the first other call would do too.
  ///
  /// - Returns: what was found wrong with the files; all else is readable. A batch at the end that was not written
  ///   completely, as after a crash, is moved to a file of its own, and is no error.
  /// - Throws: `ModelStoreError` with the code `locked` if somebody else has the store open, `unsupported` if it was
  ///   written by a newer version, `conflict` if the folder has something that is no store, and is left as it is,
  ///   `inputOutput` if a store that is only to be read is not there.
  @discardableResult
  public func open() async throws -> [FileStoreFinding] {
    try await translating { try await handle.engine.open() }
  }

  /// A front for another group of this store: models that share nothing with those of this one but the folder, the lock
  /// and the threads.
  ///
  /// - Parameters:
  ///   - name: the name of the group: any string. The group without a name is the one that a store has without this call.
  ///   - scope: the identity map of the front.
  public func group(_ name: String, scope: ModelScope = ModelScope()) -> FileModelStore {
    FileModelStore(handle.group(name), scope: scope)
  }

  /// Reads the whole journal of this group again and compares all of it with its checksums, and with the index of the store.
  /// Reading and writing go on meanwhile.
  ///
  /// - Returns: what is wrong with it, with file and offset; all else is readable.
  /// - Throws: `ModelStoreError` with the code `cancelled` if the task is cancelled, or what the disk says.
  /// - Complexity: O(*n*) in the size of the journal.
  public func verify() async throws -> [FileStoreFinding] {
    try await translating { try await handle.engine.verify() }
  }

  /// Removes from the journal of this group what is of no use any more: older revisions, deleted models. Reading and
  /// writing go on meanwhile, and a crash at any moment leaves either what was there or what is to be.
  ///
  /// A store does this by itself when more than half of a journal is of no use any more.
  ///
  /// - Throws: `ModelStoreError` with the code `cancelled` if the task is cancelled, `corrupt` if a record can't be read
  ///   (the journal stays as it is, since what is left of the record is in there; ``repair()`` moves that aside), or what the
  ///   disk says.
  /// - Complexity: O(*n*) in the size of what is kept.
  public func compact() async throws {
    try await translating { try await handle.engine.compact() }
  }

  /// Completes the writes under way, brings everything to the disk and closes the store for all its fronts.
  ///
  /// - Throws: `ModelStoreError` for what the disk says, now or since a write in the background failed. The store is closed
  ///   nevertheless.
  public func close() async throws {
    defer { handle.feeds.finish() }
    try await translating { try await handle.engine.close() }
  }

  /// Adds a model. A model without identifier gets the next integer or a UUID, as its identifier field can hold.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict`, `noIdentifier`, or what the disk says.
  @discardableResult
  public func create<M: Model>(_ model: M) async throws -> M {
    try await createAll([model])
    return model
  }

  /// Adds models, all or none, with one write to the disk. Those that share a model that is written inside them are in it by
  /// their new identifiers, all of them.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict`, `noIdentifier`, or what the disk says.
  @discardableResult
  public func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    guard !models.isEmpty else { return [] }
    var creations = try PendingCreations(
      models, in: scope, explicitNull: true, isUndoable: transaction != nil)
    let creation = transaction == nil ? scope.creations.begin(models, creations.typeNames) : nil
    defer { if let creation { scope.creations.end(creation) } }
    for number in creations.withoutIdentifier {
      let type = creations.typeName(at: number)
      let identifier =
        models[number].identifierField?.valueType == Int.self
        ? try await translating { try await String(handle.engine.reserveIntegerIdentifier(type)) }
        : UUID().uuidString
      try creations.assign(identifier: identifier, at: number)
    }
    let identifiers = StoreTransactionLog()
    let areJoined = creations.mayLeadToEachOther
    if areJoined {
      for (type, identifier) in creations.identified where try await row(type, identifier) != nil {
        throw ModelStoreError.conflict(type, identifier: identifier)
      }
    }
    do {
      if areJoined { try creations.join(in: identifiers) }
      var changes: [Change] = []
      changes.reserveCapacity(models.count)
      try creations.forEachRecord { changes.append(.create($0, $1, $2)) }
      try await write(changes)
    } catch {
      identifiers.rollBack()
      throw error
    }
    transaction?.log.adopt(identifiers)
    try creations.finish(in: transaction?.log)
    return models
  }

  /// Writes changes of a model, as ``conflictPolicy`` says.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed.
  /// - Throws: `ModelStoreError` as ``update(_:fields:onConflict:)`` does.
  @discardableResult
  public func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await update(model, fields: fields, onConflict: conflictPolicy)
  }

  /// Writes changes of a model.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed.
  ///   - policy: the decision where someone else changed the record since the model read it.
  /// - Throws: `ModelStoreError` with the code `invalid`, `noIdentifier`, `notFound`, `conflict` if someone else changed the
  ///   record, or what the disk says.
  @discardableResult
  public func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    let save = try PendingSave(updating: model, fields: fields, in: scope)
    let (type, identifier) = (save.typeName, save.identifier ?? "")
    while true {
      guard let stored = try await row(type, identifier) else {
        throw ModelStoreError.notFound(type, identifier: identifier)
      }
      if let entry = transaction?.entry(type, identifier) {
        // The transaction's own writes are no conflict.
        let original = entry.original.map { [$0] } ?? []
        if !entry.isOwn { try save.checkConflicts(withBytes: [stored.bytes] + original, policy) }
      } else {
        try save.checkConflicts(withBytes: [stored.bytes], policy)
      }
      var change = Change.update(
        type, identifier, try save.merged(intoBytes: stored.bytes), ifRevision: stored.revision)
      change.previousValue = stored.bytes
      do {
        try await write([change])
        break
      } catch let error as ModelStoreError where (error.cause as? FileEngineError)?.isStaleRevision == true {
        // Another front changed the model since it was read: its changes must not be undone by this write.
        continue
      }
    }
    try save.finish(in: transaction?.log)
    return model
  }

  // MARK: Records

  /// The transaction that the running task is in. What other tasks do meanwhile is no part of it.
  var transaction: FileTransaction? {
    transactions.isEmpty ? nil : transactions.last { $0.mark.isEntered }
  }

  /// A record as this front sees it, the transaction under way included; nil if there is none.
  func row(
    _ type: String, _ identifier: String, at moment: JournalContents? = nil
  ) async throws -> (bytes: [UInt8], revision: UInt64)? {
    if let entry = transaction?.entry(type, identifier) { return entry.content.map { ($0, entry.revision ?? 0) } }
    return try await translating {
      do {
        return try await handle.engine.read(type, identifier, at: moment).map { ($0.value, $0.revision) }
      } catch FileEngineError.damaged(let finding) {
        throw ModelStoreError.damaged(type, identifier, finding)
      }
    }
  }

  /// What is known of a class of models.
  func known<M: Model>(_ type: M.Type) async throws -> FileFrontType {
    if let lastType, lastType.modelClass == type { return lastType }
    if let known = types[ObjectIdentifier(type)] {
      lastType = known
      return known
    }
    if StoreFormat.isReservedType(M.typeName) { throw ModelStoreError(FileEngineError.reservedType(M.typeName)) }
    let known = FileFrontType(type, try await translating { try await handle.engine.state(of: M.typeName) })
    types[ObjectIdentifier(type)] = known
    lastType = known
    return known
  }

  /// Makes changes at once, or notes them for the end of the transaction under way.
  func write(_ changes: [Change]) async throws {
    if let transaction { return try await note(changes, in: transaction) }
    try await translating { try await handle.engine.write(changes, durability: handle.options.durability) }
  }

  /// Runs a call to the engine, and words its errors as those of a store.
  @discardableResult
  func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as FileEngineError {
      throw ModelStoreError(error)
    } catch let error as FileSystemError {
      throw ModelStoreError(error)
    } catch let error as CancellationError {
      throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.", cause: error)
    }
  }
}

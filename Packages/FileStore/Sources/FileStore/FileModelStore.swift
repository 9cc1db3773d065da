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
public final class FileModelStore: ModelStore {
  /// The identity map of this front.
  public let scope: ModelScope
  /// What fronts of this store share. It is `Sendable`.
  public let handle: FileStoreHandle

  /// Describes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: the folder of the store, a file URL. It is made if it is missing.
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
  ///   written by a newer version.
  @discardableResult
  public func open() async throws -> [FileStoreFinding] {
    try await translating { try await handle.engine.open() }
  }

  /// Completes the writes under way, brings everything to the disk and closes the store for all its fronts.
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

  /// Adds models, all or none, with one write to the disk.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict`, `noIdentifier`, or what the disk says.
  @discardableResult
  public func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    guard !models.isEmpty else { return [] }
    var saves = try models.map { try PendingSave(creating: $0, in: scope, explicitNull: true) }
    for index in saves.indices where saves[index].identifier == nil {
      let type = saves[index].typeName
      let identifier =
        saves[index].model.identifierField?.valueType == Int.self
        ? try await translating { try await String(handle.engine.reserveIntegerIdentifier(type)) }
        : UUID().uuidString
      try saves[index].assign(identifier: identifier)
    }
    let changes = try saves.map { save in
      Change.create(save.typeName, save.identifier ?? "", try save.recordBytes())
    }
    try await write(changes)
    for save in saves { try save.finish() }
    return models
  }

  /// Writes changes of a model.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed.
  /// - Throws: `ModelStoreError` with the code `invalid`, `noIdentifier`, `notFound`, or what the disk says.
  @discardableResult
  public func update<M: Model>(_ model: M, fields: [any FieldProtocol]?) async throws -> M {
    let save = try PendingSave(updating: model, fields: fields, in: scope)
    let (type, identifier) = (save.typeName, save.identifier ?? "")
    while true {
      guard let stored = try await translating({ try await handle.engine.read(type, identifier) }) else {
        throw ModelStoreError.notFound(type, identifier: identifier)
      }
      var change = Change.update(
        type, identifier, try save.merged(intoBytes: stored.value), ifRevision: stored.revision)
      change.previousValue = stored.value
      do {
        try await write([change])
        break
      } catch let error as ModelStoreError where (error.cause as? FileEngineError)?.isStaleRevision == true {
        // Another front changed the model since it was read: its changes must not be undone by this write.
        continue
      }
    }
    try save.finish()
    return model
  }

  /// Removes a model, and what goes with it by the delete rules of its relations, all or none, with one write to the disk.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, `denied` if a rule denies it, or what the disk
  ///   says.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    let deletion = try await PendingDeletion(of: model, in: self)
    var records = deletion.records
    while true {
      do {
        try await write(records.map { .delete($0.typeName, $0.identifier) })
        break
      } catch let error as ModelStoreError where error.code == .notFound {
        // What goes with the model may be gone already.
        let count = records.count
        var present: [PendingDeletion.Record] = []
        for record in records where try await isThere(record) { present.append(record) }
        if present.count == count || !present.contains(where: \.isRequested) { throw error }
        records = present
      }
    }
    try await deletion.finish()
    return model
  }

  private func isThere(_ record: PendingDeletion.Record) async throws -> Bool {
    try await translating { try await handle.engine.read(record.typeName, record.identifier) } != nil
  }

  /// Finds a model by its identifier.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, or `corrupt` if its record can't be read.
  /// - Complexity: O(1), one read of the file.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    guard let stored = try await translating({ try await handle.engine.read(M.typeName, identifier) }) else {
      throw ModelStoreError.notFound(M.typeName, identifier: identifier)
    }
    let isOfType =
      M.hierarchyChoosesClasses
      ? M.includes(try record(stored.value, M.typeName, identifier)) : M.isTopOfHierarchy
    guard isOfType else { throw ModelStoreError.notFound(M.typeName, identifier: identifier) }
    return try models(type, fromBytes: [stored.value]) { _ in identifier }[0]
  }

  // MARK: Bytes

  private func record(
    _ bytes: some ContiguousBytes, _ type: String, _ identifier: String
  ) throws -> AttributeDictionary {
    do {
      if case .object(let record) = try JSONValue(json: bytes) { return record }
      throw ModelStoreError(
        .corrupt, "The record of \(type) \"\(identifier)\" is no object.", identifier: identifier)
    } catch let error as JSONSyntaxError {
      throw ModelStoreError(
        .corrupt, "The record of \(type) \"\(identifier)\" is no JSON: \(error)", identifier: identifier, cause: error)
    }
  }

  private func write(_ changes: [Change]) async throws {
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

import Foundation
@_exported @_spi(ModelKitInternals) public import StoreProtocol

/// A store that forgets everything when the last front is gone: for tests, caches and models that need no disk.
///
/// What it holds are snapshots, as in every store: an edited model does not change what is stored until it is saved.
///
/// ```swift
/// let store = MemoryModelStore()
/// let person = Person()
/// person.name.value = "Ada"
/// try await store.create(person)
/// let same = try store.lookupImmediately(Person.self, identifier: person.identifier ?? "")
/// ```
///
/// - Note: A front lives in one isolation. Make another with ``init(_:scope:)`` and ``handle`` elsewhere.
public final class MemoryModelStore: TransactionalModelStore {
  /// The identity map of this front.
  public let scope: ModelScope
  /// What fronts of this store share. It is `Sendable`.
  public let handle: MemoryEngine
  /// The transaction under way, in this front.
  var transaction: MemoryTransaction?

  /// Creates an empty store.
  ///
  /// - Parameter scope: the identity map of this front.
  public convenience init(scope: ModelScope = ModelScope()) {
    self.init(MemoryEngine(), scope: scope)
  }

  /// Creates another front for a store, such as for another actor.
  ///
  /// - Parameters:
  ///   - handle: the `handle` of another front.
  ///   - scope: the identity map of this front.
  public init(_ handle: MemoryEngine, scope: ModelScope = ModelScope()) {
    self.handle = handle
    self.scope = scope
  }

  /// Adds a model. A model without identifier gets the next integer or a UUID, as its identifier field can hold.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict` or `noIdentifier`.
  @discardableResult
  public func create<M: Model>(_ model: M) async throws -> M {
    try await createAll([model])
    return model
  }

  /// Adds models, all or none.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict` or `noIdentifier`.
  @discardableResult
  public func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    try checkCancellation()
    var saves = try models.map { try PendingSave(creating: $0, in: scope, explicitNull: true) }
    for index in saves.indices where saves[index].identifier == nil {
      try saves[index].assign(identifier: newIdentifier(for: saves[index]))
    }
    var changes: [MemoryEngine.Change] = []
    changes.reserveCapacity(saves.count)
    for save in saves {
      changes.append(
        MemoryEngine.Change(
          type: save.typeName, identifier: save.identifier ?? "",
          operation: .insert(save.record, try bytes(of: save.record, save.typeName))))
    }
    try write(changes)
    for save in saves { try save.finish(in: transaction?.log) }
    return models
  }

  private func newIdentifier<M: Model>(for save: PendingSave<M>) throws -> String {
    guard save.model.identifierField?.valueType == Int.self else { return UUID().uuidString }
    guard let integer = handle.nextInteger(for: save.typeName) else {
      throw ModelStoreError(.noIdentifier, "There is no integer left for another \(save.typeName).")
    }
    return String(integer)
  }

  /// Writes changes of a model.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed.
  /// - Throws: `ModelStoreError` with the code `invalid`, `noIdentifier`, `notFound`, or `conflict` if a value has to be
  ///   unique and is not.
  @discardableResult
  public func update<M: Model>(_ model: M, fields: [any FieldProtocol]?) async throws -> M {
    try checkCancellation()
    let save = try PendingSave(updating: model, fields: fields, in: scope)
    let (type, identifier) = (save.typeName, save.identifier ?? "")
    while true {
      guard let row = row(type, identifier) else { throw ModelStoreError.notFound(type, identifier: identifier) }
      let record = save.merged(into: try self.record(row, type))
      let change = MemoryEngine.Change(
        type: type, identifier: identifier,
        operation: .replace(record, try bytes(of: record, type), revision: row.revision))
      do {
        try write([change])
        break
      } catch is StaleRevision {
        // Another front was faster: its changes must not be undone by these.
        continue
      }
    }
    try save.finish(in: transaction?.log)
    return model
  }

  /// Removes a model.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier` or `notFound`.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    try checkCancellation()
    guard let identifier = model.identifier else { throw ModelStoreError.noIdentifier(M.typeName) }
    try write([MemoryEngine.Change(type: M.typeName, identifier: identifier, operation: .remove(revision: nil))])
    finishDeleting(model, in: transaction?.log)
    return model
  }

  /// Finds a model by its identifier.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try checkCancellation()
    return try lookupImmediately(type, identifier: identifier)
  }

  /// Finds a model by its identifier, without suspending.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  /// - Complexity: O(1), and what it takes to read the record.
  public func lookupImmediately<M: Model>(_ type: M.Type, identifier: String) throws -> M {
    guard let row = row(M.typeName, identifier), try isOfType(row, type) else {
      throw ModelStoreError.notFound(M.typeName, identifier: identifier)
    }
    return try models(type, fromBytes: [row.bytes])[0]
  }

  private func isOfType<M: Model>(_ row: MemoryRow, _ type: M.Type) throws -> Bool {
    if !M.hierarchyChoosesClasses { return M.isTopOfHierarchy }
    return M.includes(try record(row, M.typeName))
  }

  // MARK: Rows

  /// A record as this front sees it, the transaction under way included.
  func row(_ type: String, _ identifier: String) -> MemoryRow? {
    if let entry = transaction?.entry(type, identifier) {
      return entry.content.map {
        MemoryRow(identifier: identifier, bytes: $0.bytes, revision: entry.revision ?? 0)
      }
    }
    return handle.row(type, identifier)
  }

  private func record(_ row: MemoryRow, _ type: String) throws -> AttributeDictionary {
    guard case .object(let record)? = try? JSONValue(json: row.bytes) else {
      throw ModelStoreError(
        .corrupt, "The record of \(type) \"\(row.identifier)\" can't be read.", identifier: row.identifier)
    }
    return record
  }

  func bytes(of record: AttributeDictionary, _ type: String) throws -> [UInt8] {
    do {
      return Array(try JSONValue.object(record).jsonData(JSONWritingOptions(sortedKeys: true)))
    } catch {
      throw ModelStoreError(.invalid, "This \(type) was not written: \(error)", cause: error)
    }
  }

  /// Makes changes at once, or notes them for the end of the transaction under way.
  private func write(_ changes: [MemoryEngine.Change]) throws {
    guard let transaction else { return try handle.commit(changes) }
    // All or none: the checks come first.
    var added: Set<String> = []
    for change in changes {
      let isThere = row(change.type, change.identifier) != nil
      if case .insert = change.operation {
        if isThere || !added.insert(change.identifier).inserted {
          throw ModelStoreError.conflict(change.type, identifier: change.identifier)
        }
      } else if !isThere {
        throw ModelStoreError.notFound(change.type, identifier: change.identifier)
      }
    }
    for change in changes {
      let revision = handle.row(change.type, change.identifier)?.revision
      switch change.operation {
      case .insert(let record, let bytes):
        transaction.put((record, bytes), change.type, change.identifier, revision: revision)
      case .replace(let record, let bytes, let revision):
        transaction.put((record, bytes), change.type, change.identifier, revision: revision)
      case .remove: transaction.put(nil, change.type, change.identifier, revision: revision)
      }
    }
  }

  func checkCancellation() throws {
    if Task.isCancelled { throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.") }
  }
}

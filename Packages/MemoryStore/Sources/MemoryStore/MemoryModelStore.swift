@_spi(ModelKitInternals) import FieldKit
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
  /// The decision of saves and updates that say nothing else.
  public var conflictPolicy = ConflictPolicy.merge
  /// The transactions under way, in this front: one of a task, and of what that has begun.
  var transactions: [MemoryTransaction] = []
  /// Of which foreign keys deletions need an index.
  var indexDemand = IndexDemand()
  private var types: [ObjectIdentifier: MemoryFrontType] = [:]
  // Most calls are about the class that the one before was about. Not retained anew for each: what is in `types` stays.
  private var lastType: Unmanaged<MemoryFrontType>?

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

  /// Adds models, all or none. Those that share a model that is written inside them are in it by their new identifiers, all
  /// of them.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict` or `noIdentifier`.
  @discardableResult
  public func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    try checkCancellation()
    var saves = try models.map { try PendingSave(creating: $0, in: scope, explicitNull: true) }
    var unnamed: Set<ObjectIdentifier> = []
    for index in saves.indices where saves[index].identifier == nil {
      guard models.count == 1 || unnamed.insert(ObjectIdentifier(models[index])).inserted else {
        throw ModelStoreError.repeated(saves[index].typeName)
      }
      try saves[index].assign(identifier: newIdentifier(for: saves[index]))
    }
    let identifiers = StoreTransactionLog()
    do {
      try PendingSave.join(&saves, in: identifiers) { save in
        guard let identifier = save.identifier, row(save.typeName, identifier) != nil else { return }
        throw ModelStoreError.conflict(save.typeName, identifier: identifier)
      }
      // By index, since each save is large enough for a copy of it to cost something.
      try write(
        saves.indices.map { index in
          MemoryEngine.Change(
            type: saves[index].typeName, identifier: saves[index].identifier ?? "",
            operation: .insert(try saves[index].recordBytes()))
        })
    } catch {
      identifiers.rollBack()
      throw error
    }
    transaction?.log.adopt(identifiers)
    for index in saves.indices { try saves[index].finish(in: transaction?.log) }
    return models
  }

  private func newIdentifier<M: Model>(for save: PendingSave<M>) throws -> String {
    guard save.model.identifierField?.valueType == Int.self else { return UUID().uuidString }
    guard let integer = handle.nextInteger(for: save.typeName) else {
      throw ModelStoreError(.noIdentifier, "There is no integer left for another \(save.typeName.nameForMessage).")
    }
    return String(integer)
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
  /// - Throws: `ModelStoreError` with the code `invalid`, `noIdentifier`, `notFound`, or `conflict` if someone else changed
  ///   the record, or if a value has to be unique and is not.
  @discardableResult
  public func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    try checkCancellation()
    let save = try PendingSave(updating: model, fields: fields, in: scope)
    let (type, identifier) = (save.typeName, save.identifier ?? "")
    while true {
      guard let row = row(type, identifier) else { throw ModelStoreError.notFound(type, identifier: identifier) }
      if let entry = transaction?.entry(type, identifier) {
        // The transaction's own writes are no conflict.
        let original = handle.row(type, identifier).map { [$0.bytes] } ?? []
        if !entry.isOwn { try save.checkConflicts(withBytes: [row.bytes] + original, policy) }
      } else {
        try save.checkConflicts(withBytes: [row.bytes], policy)
      }
      let change = MemoryEngine.Change(
        type: type, identifier: identifier,
        operation: .replace(try save.merged(intoBytes: row.bytes), revision: row.revision))
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

  // MARK: Rows

  /// The transaction that the running task is in. What other tasks do meanwhile is no part of it.
  @inline(__always)
  var transaction: MemoryTransaction? {
    transactions.isEmpty ? nil : transactions.last { $0.mark.isEntered }
  }

  /// A record as this front sees it, the transaction under way included.
  ///
  /// - Parameter engine: the records as of a moment; nil for those that are there now.
  func row(_ type: String, _ identifier: String, in engine: MemoryEngine? = nil) -> MemoryRow? {
    if let entry = transaction?.entry(type, identifier) {
      return entry.content.map {
        MemoryRow(identifier: identifier, bytes: $0, revision: entry.revision ?? 0)
      }
    }
    return (engine ?? handle).row(type, identifier)
  }

  /// What is known of a class of models.
  func known<M: Model>(_ type: M.Type) -> MemoryFrontType { knownUnretained(type).takeUnretainedValue() }

  /// What is known of a class of models, for as long as the store is there.
  @inline(__always)
  func knownUnretained<M: Model>(_ type: M.Type) -> Unmanaged<MemoryFrontType> {
    if let lastType, lastType._withUnsafeGuaranteedRef({ $0.modelClass == type }) { return lastType }
    return learn(type)
  }

  private func learn<M: Model>(_ type: M.Type) -> Unmanaged<MemoryFrontType> {
    let known = types[ObjectIdentifier(type)] ?? MemoryFrontType(type, handle)
    types[ObjectIdentifier(type)] = known
    let unretained = Unmanaged.passUnretained(known)
    lastType = unretained
    return unretained
  }

  /// Makes changes at once, or notes them for the end of the transaction under way.
  func write(_ changes: [MemoryEngine.Change]) throws {
    guard let transaction else { return try handle.commit(changes) }
    // All or none: the checks come first.
    var added: Set<ExactText> = []
    for change in changes {
      let isThere = row(change.type, change.identifier) != nil
      if case .insert = change.operation {
        if isThere || !added.insert(ExactText(change.identifier)).inserted {
          throw ModelStoreError.conflict(change.type, identifier: change.identifier)
        }
      } else if !isThere, change.isExpected {
        throw ModelStoreError.notFound(change.type, identifier: change.identifier)
      }
    }
    for change in changes {
      if row(change.type, change.identifier) == nil, !change.isExpected { continue }
      let revision = handle.row(change.type, change.identifier)?.revision
      switch change.operation {
      case .insert(let bytes): transaction.put(bytes, change.type, change.identifier, revision: revision)
      case .replace(let bytes, let revision):
        transaction.put(bytes, change.type, change.identifier, revision: revision)
      case .remove: transaction.put(nil, change.type, change.identifier, revision: revision)
      }
    }
  }

  func checkCancellation() throws {
    if Task.isCancelled { throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.") }
  }
}

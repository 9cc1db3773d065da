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
public final class MemoryModelStore: ModelStore {
  /// The identity map of this front.
  public let scope: ModelScope
  /// What fronts of this store share. It is `Sendable`.
  public let handle: MemoryEngine

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
    try Task.checkCancellation()
    var saves = try models.map { try PendingSave(creating: $0, in: scope, explicitNull: true) }
    for index in saves.indices where saves[index].identifier == nil {
      let usesIntegers = saves[index].model.identifierField?.valueType == Int.self
      let identifier = usesIntegers ? String(handle.nextInteger(for: saves[index].typeName)) : UUID().uuidString
      try saves[index].assign(identifier: identifier)
    }
    try handle.insert(saves.compactMap { save in save.identifier.map { (save.typeName, $0, save.record) } })
    for save in saves { try save.finish() }
    return models
  }

  /// Writes changes of a model.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed.
  /// - Throws: `ModelStoreError` with the code `invalid`, `noIdentifier` or `notFound`.
  @discardableResult
  public func update<M: Model>(_ model: M, fields: [any FieldProtocol]?) async throws -> M {
    try Task.checkCancellation()
    let save = try PendingSave(updating: model, fields: fields, in: scope)
    try handle.update(save.typeName, identifier: save.identifier ?? "", changes: save.changes)
    try save.finish()
    return model
  }

  /// Removes a model.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier` or `notFound`.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    try Task.checkCancellation()
    guard let identifier = model.identifier else { throw ModelStoreError.noIdentifier(M.typeName) }
    try handle.remove(M.typeName, identifier: identifier)
    finishDeleting(model)
    return model
  }

  /// Finds a model by its identifier.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try Task.checkCancellation()
    return try lookupImmediately(type, identifier: identifier)
  }

  /// Finds a model by its identifier, without suspending.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  /// - Complexity: O(1), and what it takes to read the record.
  public func lookupImmediately<M: Model>(_ type: M.Type, identifier: String) throws -> M {
    guard let record = handle.record(M.typeName, identifier: identifier), M.includes(record) else {
      throw ModelStoreError.notFound(M.typeName, identifier: identifier)
    }
    return try models(type, from: [record])[0]
  }

  /// Finds models, in the order of their creation.
  public func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try Task.checkCancellation()
    return try listImmediately(query)
  }

  /// Finds models, in the order of their creation, without suspending.
  ///
  /// - Complexity: O(*n*) in the number of stored models of the type.
  public func listImmediately<M: Model>(_ query: ModelQuery<M>) throws -> [M] {
    let records = handle.records(M.typeName).lazy.filter(M.includes).dropFirst(query.offset)
    return try models(M.self, from: query.limit.map { Array(records.prefix($0)) } ?? Array(records))
  }
}

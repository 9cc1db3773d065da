import RESTStore
import StoreProtocol

/// A remote store. Something may happen before each of its requests.
final class SimulatedRemote: IdempotentModelStore, PagedModelStore {
  private let base: RESTModelStore
  /// Called before each request. Throws if the process was killed meanwhile.
  var beforeRequest: () async throws -> Void = {}

  init(_ base: RESTModelStore) { self.base = base }

  var scope: ModelScope { base.scope }
  var supportsIdempotencyKeys: Bool { base.supportsIdempotencyKeys }

  func create<M: Model>(_ model: M) async throws -> M {
    try await beforeRequest()
    return try await base.create(model)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await beforeRequest()
    return try await base.update(model, fields: fields)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy) async throws -> M {
    try await beforeRequest()
    return try await base.update(model, fields: fields, onConflict: policy)
  }

  func delete<M: Model>(_ model: M) async throws -> M {
    try await beforeRequest()
    return try await base.delete(model)
  }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await beforeRequest()
    return try await base.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try await beforeRequest()
    return try await base.list(query)
  }

  func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try await beforeRequest()
    return try await base.page(query, after: mark)
  }

  func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try await beforeRequest()
    return try await base.identifiers(query)
  }
}

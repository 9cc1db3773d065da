@_spi(ModelKitInternals) import StoreProtocol

/// A store that counts the reads of another one.
class CountingStore: ModelStore {
  private let base: any ModelStore
  private(set) var listCount = 0
  private(set) var lookupCount = 0
  /// The number of reads of many identifiers together.
  fileprivate(set) var batchCount = 0

  /// Returns a store that reads many identifiers together if the other one does.
  static func counting(_ base: any ModelStore) -> CountingStore {
    (base as? any BatchReadingModelStore).map { CountingBatchStore($0) } ?? CountingStore(base)
  }

  init(_ base: any ModelStore) { self.base = base }

  var scope: ModelScope { base.scope }

  func create<M: Model>(_ model: M) async throws -> M { try await base.create(model) }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await base.update(model, fields: fields)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy) async throws -> M {
    try await base.update(model, fields: fields, onConflict: policy)
  }

  func delete<M: Model>(_ model: M) async throws -> M { try await base.delete(model) }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    lookupCount += 1
    return try await base.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    listCount += 1
    return try await base.list(query)
  }

  func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try await base.page(query, after: mark)
  }
}

/// A store that counts the reads of another one, which reads many identifiers together.
private final class CountingBatchStore: CountingStore, BatchReadingModelStore {
  private let batches: any BatchReadingModelStore

  init(_ base: any BatchReadingModelStore) {
    batches = base
    super.init(base)
  }

  func read<M: Model>(_ type: M.Type, identifiers: [String]) async throws -> [M] {
    batchCount += 1
    return try await batches.read(type, identifiers: identifiers)
  }
}

import ModelKit

/// A store that records the order of writes, and can fail like a full disk.
final class RecordingStore: ModelStore {
  private let store = MemoryModelStore()
  private(set) var batches: [[String]] = []
  private(set) var updates: [String] = []
  /// The number of batches that succeed before the disk is full.
  var batchesUntilFull = Int.max

  var scope: ModelScope { store.scope }
  var created: [String] { batches.flatMap(\.self) }

  func create<M: Model>(_ model: M) async throws -> M { try await createAll([model])[0] }

  func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    guard batchesUntilFull > 0 else { throw ModelStoreError(.full, "The disk is full.") }
    let created = try await store.createAll(models)
    batchesUntilFull -= 1
    batches.append(models.map { "\(M.typeName) \($0.identifier ?? "?")" })
    return created
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    updates.append(
      "\(M.typeName) \(model.identifier ?? "?"): \((fields ?? []).compactMap(\.key).joined(separator: " "))")
    return try await store.update(model, fields: fields)
  }

  func delete<M: Model>(_ model: M) async throws -> M { try await store.delete(model) }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await store.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await store.list(query) }
}

// Prints: not found: true

import StoreProtocol

/// Looks a model up in a store of any kind.
func isMissing<M: Model>(_ type: M.Type, identifier: String, in store: some ModelStore) async -> Bool {
  do {
    _ = try await store.lookup(type, identifier: identifier)
    return false
  } catch let error as ModelStoreError {
    return error.code == .notFound
  } catch {
    return false
  }
}

let error = ModelStoreError(.notFound, "There is no person 10.")
print("not found: \(error.code == .notFound)")

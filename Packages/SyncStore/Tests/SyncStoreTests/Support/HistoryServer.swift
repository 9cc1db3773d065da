import FieldKit
import StoreProtocol

/// A server of a randomized history, which notes all that it ever had.
protocol HistoryServer: AnyObject {
  var hasFaults: Bool { get set }
  /// Whether creations with a key that is known are answered as the first time.
  var hasKeys: Bool { get }
  /// The titles that two records had at the same time.
  var duplicates: Set<String> { get }
  /// The requests that have a temporary identifier.
  var requestsWithTemporaryIdentifiers: [String] { get }
  /// Returns whether a member of a record ever had a value.
  func had(_ value: JSONValue, _ key: String) -> Bool
  /// Returns how many records were created with a title.
  func creationCount(_ title: String) -> Int
  /// Makes a store instance of a client.
  func makeStore() -> any ModelStore
}

extension HistoryServer {
  var requestsWithTemporaryIdentifiers: [String] { [] }
}

/// A remote store in the middle of whose requests something happens.
final class InterruptedStore: IdempotentModelStore {
  private let base: any ModelStore
  /// Called before each request.
  var whileUnderWay: () async -> Void = {}

  init(_ base: any ModelStore) { self.base = base }

  var scope: ModelScope { base.scope }
  var recognizesIdempotencyKeys: Bool { (base as? any IdempotentModelStore)?.recognizesIdempotencyKeys ?? false }

  func create<M: Model>(_ model: M) async throws -> M {
    await whileUnderWay()
    return try await base.create(model)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    await whileUnderWay()
    return try await base.update(model, fields: fields)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy) async throws -> M {
    await whileUnderWay()
    return try await base.update(model, fields: fields, onConflict: policy)
  }

  func delete<M: Model>(_ model: M) async throws -> M {
    await whileUnderWay()
    return try await base.delete(model)
  }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    await whileUnderWay()
    return try await base.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    await whileUnderWay()
    return try await base.list(query)
  }

  func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    await whileUnderWay()
    return try await base.identifiers(query)
  }
}

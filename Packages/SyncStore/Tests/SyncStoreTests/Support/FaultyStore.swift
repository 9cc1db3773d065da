import FieldKit
import MemoryStore
import StoreProtocol

/// A server in memory with faults, which the remote stores of several clients share.
final class FaultyServer: HistoryServer {
  let handle = MemoryModelStore().handle
  var random: SimulatedRandom
  var hasFaults = true
  /// Whether creations with a key that is known are answered as the first time.
  let hasKeys: Bool
  /// All values that members of records ever had.
  private(set) var history: Set<String> = []
  /// The number of records that were created by title.
  private(set) var creations: [String: Int] = [:]
  /// The titles that two records had at the same time.
  private(set) var duplicates: Set<String> = []
  fileprivate var answers: [String: AttributeDictionary] = [:]

  init(seed: UInt64, hasKeys: Bool = false) {
    random = SimulatedRandom(state: seed)
    self.hasKeys = hasKeys
  }

  func creationCount(_ title: String) -> Int { creations[title] ?? 0 }
  func makeStore() -> any ModelStore { FaultyStore(self) }

  func chance(_ one: Int) -> Bool { hasFaults && random.below(one) == 0 }

  fileprivate func note(_ record: AttributeDictionary, isNew: Bool) async throws {
    for (key, value) in record { history.insert("\(key)=\(value)") }
    guard isNew, let title = record["title"]?.stringValue else { return }
    creations[title, default: 0] += 1
    let count = try await MemoryModelStore(handle).count(Book.self, where: { $0.title == title })
    if count > 1 { duplicates.insert(title) }
  }

  func had(_ value: JSONValue, _ key: String) -> Bool { history.contains("\(key)=\(value)") }
}

/// A remote store with a bad network.
final class FaultyStore: IdempotentModelStore {
  let base: MemoryModelStore
  let server: FaultyServer
  var scope: ModelScope { base.scope }
  var recognizesIdempotencyKeys: Bool { server.hasKeys }

  init(_ server: FaultyServer) {
    self.server = server
    base = MemoryModelStore(server.handle)
  }

  private func fault(_ code: ModelStoreError.Code) -> ModelStoreError {
    ModelStoreError(code, "A fault: 400 of 500.")
  }

  private func read<Result>(_ body: () async throws -> Result) async throws -> Result {
    if server.chance(25) {
      throw fault([.offline, .timeout, .server, .unauthorized, .corrupt][server.random.below(5)])
    }
    return try await body()
  }

  private func write<Result>(isRepeated: Bool = false, _ body: () async throws -> Result) async throws -> Result {
    if server.chance(12) {
      let codes: [ModelStoreError.Code] = [
        .offline, .timeout, .server, .unauthorized, .invalid, .conflict, .unsupported,
      ]
      throw fault(codes[server.random.below(isRepeated ? 4 : 7)])
    }
    let result = try await body()
    // The answer is lost.
    if server.chance(10) { throw fault([.offline, .timeout, .server][server.random.below(3)]) }
    return result
  }

  func create<M: Model>(_ model: M) async throws -> M {
    let isRepeated = server.hasKeys && server.answers[IdempotencyKey.current ?? ""] != nil
    return try await write(isRepeated: isRepeated) {
      if server.hasKeys, let key = IdempotencyKey.current {
        if let answer = server.answers[key] {
          try model.read(answer)
          return model
        }
        let made = try await base.create(model)
        server.answers[key] = made.dictionaryValue
        try await server.note(made.dictionaryValue, isNew: true)
        return made
      }
      let made = try await base.create(model)
      try await server.note(made.dictionaryValue, isNew: true)
      return made
    }
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await write {
      let made = try await base.update(model, fields: fields)
      try await server.note(made.dictionaryValue, isNew: false)
      return made
    }
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy) async throws -> M {
    try await write { try await base.update(model, fields: fields, onConflict: policy) }
  }

  func delete<M: Model>(_ model: M) async throws -> M { try await write { try await base.delete(model) } }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await read { try await base.lookup(type, identifier: identifier) }
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await read { try await base.list(query) } }
}

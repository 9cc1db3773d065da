import StoreProtocol

/// A store with a list of records per type, of the article "Writing a store".
final class NotebookStore: ModelStore {
  let scope: ModelScope
  private typealias Entry = (identifier: String, record: AttributeDictionary)
  private var pages: [String: [Entry]] = [:]
  private var lastInteger = 0

  init(scope: ModelScope = ModelScope()) { self.scope = scope }

  func create<M: Model>(_ model: M) async throws -> M {
    var save = try await SaveOperation(
      creating: model, in: scope, explicitNull: true)
    if save.identifier == nil {
      lastInteger += 1
      try save.assign(identifier: String(lastInteger))
    }
    let (type, identifier) = (save.typeName, save.identifier ?? "")
    if place(type, identifier) != nil {
      throw ModelStoreError.conflict(type, identifier: identifier)
    }
    pages[type, default: []].append((identifier, save.record))
    try save.finish()
    return model
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    let save = try await SaveOperation(
      updating: model, fields: fields, in: scope)
    let (type, identifier) = (save.typeName, save.identifier ?? "")
    guard let place = place(type, identifier),
      let old = pages[type]?[place].record
    else {
      throw ModelStoreError.notFound(type, identifier: identifier)
    }
    pages[type]?[place].record = save.merged(into: old)
    try save.finish()
    return model
  }

  func delete<M: Model>(_ model: M) async throws -> M {
    try await delete(model) { type, identifier in
      guard let place = place(type, identifier) else {
        throw ModelStoreError.notFound(type, identifier: identifier)
      }
      pages[type]?.remove(at: place)
    }
  }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    guard let record = record(M.typeName, identifier) else {
      throw ModelStoreError.notFound(M.typeName, identifier: identifier)
    }
    return try models(type, from: [record])[0]
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try models(
      for: query, from: records(M.typeName), related: record, all: records)
  }

  private func records(_ type: String) -> [AttributeDictionary] {
    (pages[type] ?? []).map(\.record)
  }

  private func place(_ type: String, _ identifier: String) -> Int? {
    pages[type]?.firstIndex { $0.identifier == identifier }
  }

  private func record(
    _ type: String, _ identifier: String
  ) -> AttributeDictionary? {
    place(type, identifier).flatMap { pages[type]?[$0].record }
  }
}

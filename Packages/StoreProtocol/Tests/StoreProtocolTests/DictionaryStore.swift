import StoreProtocol

/// The shortest possible store: the parts that every store has to supply. It can break a promise on request.
final class DictionaryStore: ModelStore {
  enum Fault { case none, overwrites, losesUpdates, makesSecondObjects, skipsValidation, ignoresSorting }

  let scope = ModelScope()
  private let fault: Fault
  private var records: [String: [(identifier: String, record: AttributeDictionary)]] = [:]
  private var lastInteger = 0

  init(_ fault: Fault = .none) { self.fault = fault }

  func create<M: Model>(_ model: M) async throws -> M {
    if fault == .skipsValidation, model.validate().isInvalid { return model }
    var save = try await SaveOperation(creating: model, in: scope, explicitNull: true)
    if save.identifier == nil {
      lastInteger += 1
      try save.assign(identifier: String(lastInteger))
    }
    let identifier = save.identifier ?? ""
    if let index = index(M.typeName, identifier) {
      guard fault == .overwrites else { throw ModelStoreError.conflict(M.typeName, identifier: identifier) }
      records[M.typeName]?.remove(at: index)
    }
    records[M.typeName, default: []].append((identifier, save.record))
    try save.finish()
    return model
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    let save = try await SaveOperation(updating: model, fields: fields, in: scope)
    let identifier = save.identifier ?? ""
    guard let index = index(M.typeName, identifier), let old = records[M.typeName]?[index].record else {
      throw ModelStoreError.notFound(M.typeName, identifier: identifier)
    }
    if fault != .losesUpdates { records[M.typeName]?[index].record = save.merged(into: old) }
    try save.finish()
    return model
  }

  func delete<M: Model>(_ model: M) async throws -> M {
    try await delete(model) { type, identifier in
      guard let index = index(type, identifier) else { throw ModelStoreError.notFound(type, identifier: identifier) }
      records[type]?.remove(at: index)
    }
  }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    guard let index = index(M.typeName, identifier), let record = records[M.typeName]?[index].record else {
      throw ModelStoreError.notFound(M.typeName, identifier: identifier)
    }
    if fault == .makesSecondObjects { return try M.from(dictionaryValue: record) }
    return try models(type, from: [record])[0]
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    var query = query
    if fault == .ignoresSorting { query.sort = [] }
    func all(_ type: String) -> [AttributeDictionary] { (records[type] ?? []).map(\.record) }
    return try models(
      for: query, from: all(M.typeName),
      related: { type, identifier in self.index(type, identifier).flatMap { self.records[type]?[$0].record } }, all: all
    )
  }

  private func index(_ type: String, _ identifier: String) -> Int? {
    records[type]?.firstIndex { $0.identifier == identifier }
  }
}

import ModelKit

/// Puts models from elsewhere into a store: new ones are created, and those that are there are updated where they differ.
struct StockMerger {
  let store: any ModelStore

  /// Puts models into the store without knowing what it has, with one write if all of them are new.
  ///
  /// - Parameter models: valid models that belong to no scope.
  func put<M: Model>(_ models: [M]) async throws -> MergeCounts {
    do {
      try await store.createAll(models)
      return MergeCounts(added: models.count)
    } catch let error as ModelStoreError where error.code == .conflict {
      // Nothing of the batch was written. One by one it shows which are there.
      var counts = MergeCounts()
      for model in models {
        if let identifier = model.identifier, let stored = try await find(M.self, identifier) {
          counts += try await update(stored, from: model)
        } else {
          try await store.create(model)
          counts.added += 1
        }
      }
      return counts
    }
  }

  /// Brings one model of the store up to date with what another says. What that does not mention stays.
  func update<M: Model>(_ stored: M, from model: M) async throws -> MergeCounts {
    let news = model.news(for: stored)
    if news.isEmpty { return MergeCounts(unchanged: 1) }
    try stored.read(news)
    // All fields of an object that changed, such as both names: not every server merges nested objects.
    let fields = stored.fieldsForDictionaryValue().filter { field in
      field.key?.split(separator: ".").first.map { news[String($0)] != nil } ?? false
    }
    try await store.update(stored, fields: fields)
    return MergeCounts(updated: 1)
  }

  private func find<M: Model>(_ type: M.Type, _ identifier: String) async throws -> M? {
    do {
      return try await store.lookup(type, identifier: identifier)
    } catch let error as ModelStoreError where error.code == .notFound {
      return nil
    }
  }
}

extension ModelIsolation where Self: ModelObject {
  /// What this model says, and another one with the same identifier does not say.
  func news(for other: Self) -> AttributeDictionary {
    let (mine, theirs) = (wholeRecord, other.wholeRecord)
    var news: AttributeDictionary = [:]
    for key in fieldsForDictionaryValue().compactMap(\.key) {
      guard let value = mine[path: key], value != theirs[path: key] ?? .null else { continue }
      news[path: key] = value
    }
    return news
  }

  /// A model with the same values that belongs to no scope, so that another store can have it.
  func detached() throws -> Self { try Self.from(dictionaryValue: wholeRecord) }

  /// All that was set, with `null` for nil.
  private var wholeRecord: AttributeDictionary {
    dictionaryValue(
      fields: fieldsForDictionaryValue(), in: ModelScope(transformers: ValueTransformerContext(explicitNull: true)))
  }
}

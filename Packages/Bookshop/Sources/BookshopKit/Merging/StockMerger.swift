import ModelKit

/// A merger of models into a store: it creates new ones and updates existing ones that differ.
struct StockMerger {
  let store: any ModelStore

  /// Puts models into the store, with one write if all of them are new.
  ///
  /// - Parameter models: valid models that belong to no scope.
  func put<M: Model>(_ models: [M]) async throws -> MergeCounts {
    do {
      try await store.createAll(models)
      return MergeCounts(added: models.count)
    } catch let error as ModelStoreError where error.code == .conflict {
      // The batch was rejected as a whole. Single writes show which models exist.
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

  /// Updates a stored model with the values of another one. Values that the other one lacks are kept.
  func update<M: Model>(_ stored: M, from model: M) async throws -> MergeCounts {
    let news = model.news(for: stored)
    if news.isEmpty { return MergeCounts(unchanged: 1) }
    try stored.read(news)
    // A changed object is sent with all its fields, such as both names: not every server merges nested objects.
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
  /// Returns the values of this model that another one with the same identifier does not have.
  func news(for other: Self) -> AttributeDictionary {
    let (mine, theirs) = (wholeRecord, other.wholeRecord)
    var news: AttributeDictionary = [:]
    for key in fieldsForDictionaryValue().compactMap(\.key) {
      guard let value = mine[path: key], value != theirs[path: key] ?? .null else { continue }
      news[path: key] = value
    }
    return news
  }

  /// Returns a model with the same values and without a scope, for another store.
  func detached() throws -> Self { try Self.from(dictionaryValue: wholeRecord) }

  /// All values that were set, with `null` for nil.
  private var wholeRecord: AttributeDictionary {
    dictionaryValue(
      fields: fieldsForDictionaryValue(), in: ModelScope(transformers: ValueTransformerContext(explicitNull: true)))
  }
}

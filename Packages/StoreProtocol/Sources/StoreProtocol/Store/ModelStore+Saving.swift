@_spi(ModelKitInternals) import ModelCore

/// Which models a save writes beside the one it is told to.
///
/// ```swift
/// try await store.save(person, including: .related)
/// ```
public enum SaveInclusion: Hashable, Sendable {
  /// No others: embedded models are written inside it, others as their identifiers.
  case none
  /// New models that it leads to by foreign keys, and those they lead to, first.
  case related
}

extension ModelStore {
  /// Creates or updates a model, and before it the new models that it refers to; in one transaction where the store has
  /// them.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - inclusion: which other models are written.
  /// - Throws: ``ModelStoreError`` as ``create(_:)`` and ``update(_:fields:)`` do.
  public func save<M: Model>(_ model: M, including inclusion: SaveInclusion) async throws {
    let related = inclusion == .related ? Self.newModels(from: model) : []
    guard !related.isEmpty else { return try await save(model) }
    if let store = self as? any TransactionalModelStore {
      try await store.saveTogether(related, model)
    } else {
      for model in related { try await Self.create(model, in: self) }
      try await save(model)
    }
  }

  /// Reads a model anew from the store. Local changes are overwritten; if the store fails they stay.
  ///
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier` or `notFound`.
  public func refresh<M: Model>(_ model: M) async throws {
    guard let identifier = model.identifier else { throw ModelStoreError.noIdentifier(model.storedTypeName) }
    scope.add(model)
    let found = try await Refreshing.$isUnderWay.withValue(true) {
      // The class of the model may be derived from `M`, and be one that stores call otherwise.
      try await lookup(ModelType(type(of: model)), identifier: identifier)
    }
    guard found === model else {
      throw ModelStoreError(
        .conflict, "This \(model.storedTypeName) was not refreshed: another object stands for \"\(identifier)\" here.",
        identifier: identifier)
    }
  }

  /// Whether what is read now is to overwrite local changes, because of ``refresh(_:)``.
  @_spi(ModelKitInternals)
  public var isRefreshing: Bool { Refreshing.isUnderWay }

  fileprivate static func create(_ model: ModelObject, in store: some ModelStore) async throws {
    guard let model = model as? any ModelObject & ModelIsolation else { return }
    try await create(opened: model, in: store)
  }

  private static func create<M: Model>(opened model: M, in store: some ModelStore) async throws {
    _ = try await store.create(model)
  }

  /// The new models to which foreign keys lead from a model, those first that others need.
  private static func newModels(from model: ModelObject) -> [ModelObject] {
    var found: [ModelObject] = []
    var seen: Set<ModelObject> = [model]
    func visit(_ model: ModelObject) {
      for case let relation as any RelationField in model.fieldsForDictionaryValue() {
        for related in relation.relatedModels where seen.insert(related).inserted {
          visit(related)
          if relation.isForeignKey, related.isNew, !related.isKnownToStore { found.append(related) }
        }
      }
    }
    visit(model)
    return found
  }
}

extension TransactionalModelStore {
  fileprivate func saveTogether<M: Model>(_ related: [ModelObject], _ model: M) async throws {
    try await transaction { store in
      for model in related { try await Self.create(model, in: store) }
      try await store.save(model)
    }
  }
}

/// Whether local changes are to be overwritten by what is read in this task.
enum Refreshing {
  @TaskLocal static var isUnderWay = false
}

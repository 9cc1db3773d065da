@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The models that a save writes in addition to the given one.
///
/// ```swift
/// try await store.save(person, including: .related)
/// ```
public enum SaveInclusion: Hashable, Sendable {
  /// New models that the model references by foreign keys, directly or through other models, and new members of its
  /// lists that reference it. Also those of the lists of these new models. Deleted models are not new.
  case related
}

extension ModelStore {
  /// Creates or updates a model, and creates the new models that it references, or that are in its lists. Uses one
  /// transaction if the store has transactions.
  ///
  /// A model is created before the models that need its identifier. If two new models reference each other, one of the
  /// links is written by an update, when both have identifiers.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - inclusion: which other models are written.
  /// - Throws: ``ModelStoreError`` as ``create(_:)`` and ``update(_:fields:)`` do.
  public func save<M: Model>(_ model: M, including inclusion: SaveInclusion) async throws {
    let plan = SaveOrder(from: model)
    guard plan.steps.count > 1 else { return try await save(model) }
    if let store = self as? any TransactionalModelStore {
      try await store.saveTogether(plan)
    } else {
      try await save(plan)
    }
  }

  /// Reads a model again from the store. Its local changes are overwritten, unless the store throws; those of other
  /// models whose records are in the answer are kept.
  ///
  /// Fields that the record lacks are reverted, as by ``/ModelCore/ModelIsolation/revert()``.
  ///
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier` or `notFound`, or `conflict` if an open transaction of
  ///   another task deleted the model.
  public func refresh<M: Model>(_ model: M) async throws {
    try ModelStoreError.rejectDraft(model, "refreshed", "refresh")
    guard let identifier = model.identifier else { throw ModelStoreError.noIdentifier(of: model) }
    try ModelStoreError.rejectDeletedElsewhere(model, in: scope, "refreshed", "Refresh")
    let wasMember = model.scope === scope
    scope.add(model)
    let stamp = ChangeStamp.next()
    do {
      let found: ModelObject = try await Refreshing.$model.withValue(ObjectIdentifier(model), in: #isolation) {
        // The class of the model may be derived from `M`, and be one that stores call otherwise.
        try await lookup(ModelType(type(of: model)), identifier: identifier)
      }
      guard found === model else {
        throw ModelStoreError(
          .conflict,
          """
          This \(model.storedTypeName.nameForMessage) was not refreshed: another object has the identifier \
          \(identifier.quotedForMessage) in this scope. Use that object.
          """,
          identifier: identifier)
      }
    } catch {
      // A deleted model would count as a new one of the scope.
      if !wasMember, model.isDeletedFromStore { scope.remove(model) }
      throw error
    }
    model.revertUnrecordedFields(asOf: stamp)
  }

  /// Whether reads of the running task overwrite local changes of a model, because of ``refresh(_:)``.
  @_spi(ModelKitInternals)
  public var isRefreshing: Bool { Refreshing.model != nil }

  fileprivate func save(_ plan: SaveOrder) async throws {
    for step in plan.steps { try await save(step) }
    for step in plan.steps where !step.linksToFollow.isEmpty { try await update(step) }
  }

  private func save(_ step: SaveOrder.Step) async throws {
    guard let model = step.model as? any ModelObject & ModelIsolation else { return }
    if step.linksToFollow.isEmpty { return try await save(model) }
    try await DeferredForeignKeys.$models.withValue(step.later, in: #isolation) { try await save(model) }
  }

  private func update(_ step: SaveOrder.Step) async throws {
    guard let model = step.model as? any ModelObject & ModelIsolation else { return }
    try await update(links: step.linksToFollow, of: model)
  }

  private func update<M: Model>(links: [AnyField], of model: M) async throws {
    // They were left out on purpose when the model was created.
    try await update(model, fields: links, onConflict: .overwrite)
  }
}

extension TransactionalModelStore {
  fileprivate func saveTogether(_ plan: SaveOrder) async throws {
    try await transaction { store in try await store.save(plan) }
  }
}

/// The model of which the reads of the task overwrite the local changes.
enum Refreshing {
  @TaskLocal static var model: ObjectIdentifier?
}

@_spi(ModelKitInternals)
extension ModelStore {
  /// Runs a read of records into models, which overwrites the local changes of the model that is refreshed. Observers,
  /// and the tasks that they start, are not part of the refresh.
  public func readingRecords<Result>(_ read: (LocalChanges) throws -> Result) rethrows -> Result {
    guard let model = Refreshing.model else { return try read(.keep) }
    return try Refreshing.$model.withValue(nil) { try read(.overwriteOnly(model)) }
  }
}

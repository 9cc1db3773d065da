@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore

/// A planned deletion: its delete rules were applied, and no record was removed yet.
///
/// A store begins a deletion, which throws if a rule denies it. The store then removes all of its ``records``, at once
/// if it can, and finishes the deletion.
///
/// ```swift
/// let deletion = try await PendingDeletion(of: model, in: self)
/// try await engine.remove(deletion.records)
/// try await deletion.finish()
/// ```
public struct PendingDeletion {
  /// A record to remove.
  public struct Record: Hashable, Sendable {
    /// The type name of the model.
    public let typeName: String
    /// The identifier of the model.
    public let identifier: String
    /// Whether it is the requested record, which has to exist. Records of a cascade may already be deleted.
    public let isRequested: Bool
  }

  /// The records to remove. Records of a cascade come first, the most distant ones at the beginning, and the requested
  /// record comes last. So a deletion that fails partway can be repeated.
  public let records: [Record]
  /// The models of the records.
  @_spi(ModelKitInternals) public let storedModels: [ModelObject]
  /// The foreign keys with the rule nullify by which stored records may reference removed ones. A store that cuts them
  /// in the same commit reports it to `finish`.
  package let references: [BackReference]
  /// The stored models that reference removed ones by relations without an inverse, for stores that cut no records.
  private let referringModels: [ModelObject]
  private let store: any ModelStore
  /// The plan retains the models to which it found links.
  private let plan: DeletionPlan
  private let models: [ModelObject]
  /// The models that have records, of which several may be objects of one record.
  private let recorded: Set<ModelObject>

  /// The queries of the store before a deletion.
  package enum Completion: Sendable {
    /// No queries: the rules apply to the live models.
    case nothing
    /// The models that are deleted by cascade, or deny the deletion.
    case rules
    /// The models that reference deleted ones, whatever the rule is.
    case everything
    /// No queries, and no rule denies the deletion: all models are deleted.
    case withoutRules

    fileprivate var queriesStore: Bool { self == .rules || self == .everything }
  }

  /// Begins to delete a model. The store is queried for the models that reference it or models deleted by cascade.
  ///
  /// - Parameters:
  ///   - model: the model to delete.
  ///   - store: the store.
  ///   - completesRelations: whether the store is queried. Otherwise the rules apply to the live models.
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier`, or `invalid` if the identifier was changed and not
  ///   saved. The code is `denied` if a rule denies it; the cause is a `DeletionDeniedError`. Or an error of the store.
  public init<M: Model>(of model: M, in store: some ModelStore, completesRelations: Bool = true) async throws {
    try await self.init(of: model, in: store, completing: completesRelations ? .everything : .nothing)
  }

  /// Returns the stored models that the deletion of a model removes by the delete rules.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - store: the store.
  ///   - queriesStore: whether the store is queried. Otherwise the rules apply to the live models.
  /// - Throws: ``ModelStoreError`` as ``init(of:in:completesRelations:)`` does.
  @_spi(ModelKitInternals)
  public static func storedModels<M: Model>(
    deletedWith model: M, in store: some ModelStore, queriesStore: Bool
  ) async throws -> [ModelObject] {
    try await PendingDeletion(of: model, in: store, completing: queriesStore ? .rules : .nothing).storedModels
  }

  /// Begins to delete a model, for stores that cut links in their records themselves.
  ///
  /// - Parameters:
  ///   - model: the model to delete.
  ///   - store: the store.
  ///   - completion: the queries of the store.
  ///   - prepare: called before the store is queried for the references of a foreign key. It may create an index of the
  ///     key.
  package init<M: Model>(
    of model: M, in store: some ModelStore, completing completion: Completion,
    preparing prepare: ((BackReference) async throws -> Void)? = nil
  ) async throws {
    try ModelStoreError.rejectDraft(model, "deleted", "delete")
    // The end of a creation that was committed would make the model stored again.
    try await store.scope.creations.waitForCreation(of: model)
    guard let identifier = model.storedIdentifier else { throw ModelStoreError.noIdentifier(of: model) }
    try ModelStoreError.rejectDeletionUnderNewIdentifier(model)
    self.store = store
    var asked: Set<ObjectIdentifier> = []
    // Retained until the plan retains them.
    var found: [ModelObject] = []
    var queried: [(owner: ModelObject, reference: BackReference, models: [ModelObject])] = []
    var (read, unreadable): (Set<ModelObject>, Set<ModelObject>) = ([], [])
    // The store is queried for denying models, too, so that an error names all of them.
    var plan = try Self.plan(model, in: store, ignoresDenials: completion != .nothing)
    // A cascade removes those that are being created as well.
    while try await store.scope.creations.waitForCreations(of: plan.models) {
      plan = try Self.plan(model, in: store, ignoresDenials: completion != .nothing)
    }
    // The found models may have relations that need further queries.
    while completion.queriesStore {
      let unread = plan.models.filter { other in
        if other === model, !Self.hasQueriedRelations(other, completion) { return false }
        return Self.isUnread(other, in: store) && read.insert(other).inserted
      }
      if !unread.isEmpty {
        let reading = try await Self.read(unread, in: store)
        found += reading.found
        unreadable.formUnion(reading.unreadable)
        plan = try withExtendedLifetime(found) { try Self.plan(model, in: store, ignoresDenials: true) }
        continue
      }
      let stored = plan.models.filter { $0.isKnownToStore || unreadable.contains($0) }
      let unknown = Self.relations(of: stored, completion).filter {
        asked.insert(ObjectIdentifier($0.field)).inserted
      }
      if unknown.isEmpty { break }
      for (relation, owner) in unknown {
        if let reference = BackReference(relation, of: owner) {
          do {
            try await prepare?(reference)
            let models = try await store.models(with: reference)
            found += models
            if relation.deleteRule != .nullify {
              queried.append((owner, reference, models))
              // Live models that another store instance deleted, or gave another owner, follow no rule.
              let stored = Set(models.map { ObjectIdentifier($0) })
              let outdated = relation.relatedModels.filter {
                !$0.isNew && !$0.isUnloadedReference && !stored.contains(ObjectIdentifier($0))
              }
              let loader = RelationLoader(store, .byStore, isFresh: false, read: [])
              try await loader.readAgain(outdated, of: relation, owner)
            }
          } catch let error as ModelStoreError where error.code == .unsupported && relation.deleteRule == .nullify {
            // A store that can't be queried leaves the relation as it is known.
            continue
          }
        } else if plan.unknownRelations.contains(where: { $0 === relation }) {
          found += try await (relation as? any CompletedByStore)?.related(in: store) ?? []
        }
      }
      plan = try withExtendedLifetime(found) { try Self.plan(model, in: store, ignoresDenials: true) }
    }
    if completion.queriesStore { plan = try withExtendedLifetime(found) { try Self.plan(model, in: store) } }
    referringModels = completion == .everything ? try await store.models(referringTo: plan.models) : []
    self.plan = plan
    models = plan.models.reversed()
    let referenced = !completion.queriesStore ? Self.referencedModels(of: plan.models) : unreadable
    recorded = Set(models.filter { $0 === model || Self.hasRecord($0) || referenced.contains($0) })
    storedModels = Self.withoutDoubles(models.filter(recorded.contains), of: model)
    records = storedModels.map { other in
      Record(
        typeName: other.storedTypeName, identifier: other.storedIdentifier ?? identifier, isRequested: other === model)
    }
    // A model with an unsaved change of the reference stays, but its record still references a removed one.
    let removed = Set(plan.models)
    // An owner that stays, because its own link was changed during the queries, keeps its links.
    let moved = queried.filter { removed.contains($0.owner) && !removed.isSuperset(of: $0.models) }.map(\.reference)
    references = Self.references(to: storedModels) + moved
  }

  /// Completes the deletion once all records were removed. The models leave the scope, other models lose their
  /// references to them, and hooks run. Other models that had a foreign key to one of them are updated.
  ///
  /// - Parameter updatesOthers: whether the other models are updated. Otherwise their relations stay dirty.
  /// - Throws: ``ModelStoreError`` if another model could not be updated. The deletion is complete then, and the
  ///   relation of the other model stays dirty.
  public func finish(updatesOthers: Bool = true) async throws {
    try await finish(in: nil, others: updatesOthers ? .areUpdated : .stay)
  }

  /// The treatment of records that stay and had a foreign key to a removed one.
  package enum Others: Sendable {
    /// They are updated, one by one.
    case areUpdated
    /// The store cut the links in them together with the deletion.
    case wereCut
    /// They are not updated: the relations of live models are dirty.
    case stay
  }

  /// As ``finish(updatesOthers:)``; inside a transaction, hooks wait for its end.
  ///
  /// - Parameters:
  ///   - transaction: the open transaction. Hooks run at its end.
  ///   - others: the treatment of the records of remaining models.
  ///   - cut: the records in which the store cut links.
  package func finish(
    in transaction: StoreTransactionLog?, others: Others,
    cutting cut: [(type: ModelObject.Type, identifier: String)] = []
  ) async throws {
    let referring = referringModels + cut.compactMap { store.scope.liveModel(of: $0.type, identifier: $0.identifier) }
    let isSkipped = ModelHook.areSkipped
    let links = store.scope.recordDeletion(of: models) {
      let links = nullifyLinks(others, referring) { model in
        guard let transaction else { return ModelHook.afterUpdate.run(on: model, unless: isSkipped) }
        transaction.atEnd { ModelHook.afterUpdate.run(on: model, unless: isSkipped) }
      }
      for model in models { finish(model, in: transaction) }
      return links
    }
    noteCuts(in: cut)
    transaction?.atEnd { noteCuts(in: cut) }
    for (model, fields) in links where others == .areUpdated {
      do {
        try await update(model, fields)
      } catch let error as ModelStoreError {
        throw ModelStoreError(
          error.code,
          """
          The model was deleted, but \(model.storedTypeName.nameForMessage) \
          \((model.storedIdentifier ?? "").quotedForMessage), which referenced it, could not be updated: \("\(error)".shortenedForMessage(atMost: 500)). It references \
          nothing now and has to be saved.
          """, identifier: model.storedIdentifier, fields: error.fields, cause: error)
      }
    }
  }

  /// Records that records have changed: reads in progress may have their links to deleted models.
  private func noteCuts(in records: [(type: ModelObject.Type, identifier: String)]) {
    for (type, identifier) in records {
      if let live = store.scope.liveModel(of: type, identifier: identifier), !live.isUnloadedReference {
        store.scope.pendingReads.noteUpdate(of: live)
      }
      // Its model may be released before such a read makes another one.
      store.scope.pendingReads.noteDeletion(type, identifier, isCut: true)
    }
  }

  /// Cuts the links of the remaining live models.
  ///
  /// - Parameters:
  ///   - wasUpdated: called with each model whose record was cut.
  /// - Returns: the stored ones of them, with the relations that were cut.
  private func nullifyLinks(
    _ others: Others, _ referring: [ModelObject], _ wasUpdated: (ModelObject) -> Void
  ) -> [(model: ModelObject, fields: [AnyField])] {
    // The links may have changed since the deletion began, as by a revert.
    let plan = plan.withPresentLinks
    // A model that was read from a document may have a record, in which the store cut the link.
    let known = plan.nullifiedModels.filter { $0.isKnownToStore || referring.contains($0) }
    let staying = known.map { (model: $0, dirty: Self.dirtyRelations(of: $0)) }
    plan.nullifyLinks()
    var cut: [(model: ModelObject, fields: [AnyField])] = []
    var indices: [ModelObject: Int] = [:]
    let deleted = Set(models)
    for (model, dirty) in staying {
      let fields = Self.dirtyRelations(of: model).filter { field in !dirty.contains { $0 === field } }
      if fields.isEmpty { continue }
      indices[model] = cut.count
      cut.append((model, fields))
      if others == .wereCut {
        model.markSaved(fields, asOf: .next())
        wasUpdated(model)
      }
    }
    for model in referring where !deleted.contains(model) {
      let fields = model.nullifyOneWayLinks(to: models)
      if fields.isEmpty || !model.isKnownToStore { continue }
      if let index = indices[model] {
        cut[index].fields += fields
      } else {
        indices[model] = cut.count
        cut.append((model, fields))
        if others == .wereCut { wasUpdated(model) }
      }
      if others == .wereCut { model.markSaved(fields, asOf: .next()) }
    }
    plan.nullifyUnloadedLinks()
    return cut
  }

  private static func dirtyRelations(of model: ModelObject) -> [AnyField] {
    model.dirtyFields.filter { $0 is any RelationField }
  }

  private func finish(_ model: ModelObject, in transaction: StoreTransactionLog?) {
    guard let model = model as? any ModelObject & ModelIsolation else { return }
    finish(opened: model, in: transaction)
  }

  private func finish<M: Model>(opened model: M, in transaction: StoreTransactionLog?) {
    if recorded.contains(model) { return store.finishDeleting(model, in: transaction) }
    // A model of the cascade that was never stored, or is embedded, only leaves the scope. It has left it already if
    // another store deleted it.
    guard model.scope === store.scope else { return }
    store.scope.noteDeletion(of: model)
    store.scope.remove(model)
    transaction?.onFailure { [store] in store.scope.add(model) }
  }

  private func update(_ model: ModelObject, _ fields: [AnyField]) async throws {
    guard let model = model as? any ModelObject & ModelIsolation else { return }
    try await Self.update(opened: model, fields, in: store)
  }

  private static func update<M: Model>(
    opened model: M, _ fields: [AnyField], in store: some ModelStore
  ) async throws {
    _ = try await store.update(model, fields: fields)
  }
}

extension ModelObject {
  /// All relations of the model.
  package var relationFields: [any RelationField] {
    (self as? any ModelObject & ModelIsolation)?.fields.compactMap { $0 as? any RelationField } ?? []
  }
}

/// A relation whose models can be queried.
private protocol CompletedByStore {
  func related(in store: some ModelStore) async throws -> [ModelObject]
}

extension ModelArrayField: CompletedByStore {
  fileprivate func related(in store: some ModelStore) async throws -> [ModelObject] {
    try await store.list(in: self)
  }
}

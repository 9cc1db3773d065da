@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ObservationKit

/// The values that fields had before a transaction of a store edited them, to be restored if it fails.
///
/// ```swift
/// let edits = TransactionEdits(
///   in: scope, onFailure: log.onFailure, wasInside: { mark.wasEntered }
/// ) { mark.isEntered }
/// do { try await body() } catch {
///   edits.revert { discardCreatedModels() }
///   throw error
/// }
/// edits.commit { runHooks() }
/// ```
@_spi(ModelKitInternals)
public final class TransactionEdits {
  struct Entry {
    let field: AnyField
    let model: ModelObject
    let before: FieldState
    /// The last state that another task gave the field since.
    var elsewhere: FieldState?
    /// Whether the transaction had saved the baseline of ``elsewhere``, or deleted the model.
    var hasUncommittedBaseline = false
    /// When another task's save captured the value of the field. It ended after ``elsewhere``, or the value from before,
    /// was recorded; nil if none did.
    var captured: ChangeStamp?
    /// The counts of reads and saves that histories had for the field.
    let epochs: [(undo: WeakUndo, epoch: Int?)]
  }

  struct WeakModel {
    weak var model: ModelObject?
  }

  /// The new models that keep a link to a restored relation.
  struct LinksOfNewModels {
    private var models: [WeakModel] = []
    /// The last change of the relation, by one of the links.
    private(set) var lastChange: ChangeStamp?

    mutating func add(_ model: ModelObject, to relation: any Relation) {
      models.append(WeakModel(model: model))
      lastChange = relation.lastChange
    }

    var areReleased: Bool { models.allSatisfy { $0.model == nil } }
  }

  /// The fields of a transaction that failed.
  struct RolledBackFields {
    /// The fields that other tasks changed last. They keep their values.
    let kept: Set<ObjectIdentifier>
    /// The fields that get back their previous values.
    let restored: Set<ObjectIdentifier>
    /// The fields of which the values from before the transaction are known.
    let recorded: Set<ObjectIdentifier>
  }

  let map: IdentityMap
  let isInside: () -> Bool
  let wasInside: () -> Bool
  /// Adds a closure to those that run in reverse order if the transaction fails.
  private let addFailureStep: (@escaping () -> Void) -> Void
  var entries: [ObjectIdentifier: Entry] = [:]
  /// The fields in the order of their first edits. Some of them may have no entry any more.
  var order: [ObjectIdentifier] = []
  /// The new models that became part of the scope since the transaction began.
  var newModels: Set<ModelObject> = []
  /// The fields that other tasks changed after the transaction had edited them.
  var overtaken: Set<ObjectIdentifier> = []
  /// The fields that the transaction saved, with the numbers of the transactions that did: of this one, and of nested
  /// ones.
  var uncommitted: [ObjectIdentifier: Set<Int>] = [:]
  /// The baselines of these fields before, if they are known.
  var baselines: [ObjectIdentifier: StoredValue] = [:]
  /// The models that the transaction created.
  var created: Set<ModelObject> = []
  /// The models that the transaction deleted, with the numbers of the transactions that did: of this one, and of nested
  /// ones.
  var deleted: [ModelObject: Set<Int>] = [:]
  /// The models that another task, or another store, deleted since the transaction began.
  var deletedElsewhere: Set<ModelObject> = []
  /// The models that another task created since the transaction began.
  private(set) var createdElsewhere: Set<ModelObject> = []
  /// The dirty fields of new models that the transaction saved, by model.
  var savedFields: [ObjectIdentifier: [AnyField]] = [:]
  /// The fields that another task saved after the transaction had.
  var savedElsewhere: Set<ObjectIdentifier> = []
  /// The models into which the transaction read documents, with the previous document loads.
  var documentLoads: [ModelObject: DocumentLoad?] = [:]
  /// The links of new models to restored relations, by relation.
  var linksOfNewModels: [ObjectIdentifier: LinksOfNewModels] = [:]
  /// The fields that other tasks changed since the transaction began.
  var changedElsewhere: Set<ObjectIdentifier> = []
  /// The operation whose step the edits of the transaction belong to; nil for a step of their own.
  fileprivate(set) weak var operation: AnyObject?
  /// The number of this transaction among those of the scope.
  let number: Int
  /// The numbers of this transaction and of the nested ones that succeeded.
  private(set) var numbers: Set<Int>

  /// Begins to record the edits of a transaction.
  ///
  /// - Parameters:
  ///   - scope: the scope of the edited models.
  ///   - addFailureStep: adds a closure to those that the `body` of ``revert(_:)`` runs in reverse order.
  ///   - wasInside: returns whether the running task is part of the transaction, or was begun in it and outlives it.
  ///   - isInside: returns whether the running task is part of the transaction.
  /// - Complexity: O(*n*) in the number of unsaved models of the scope.
  public init(
    in scope: ModelScope, onFailure addFailureStep: @escaping (@escaping () -> Void) -> Void,
    wasInside: @escaping () -> Bool, where isInside: @escaping () -> Bool
  ) {
    map = scope.map
    self.addFailureStep = addFailureStep
    (self.wasInside, self.isInside) = (wasInside, isInside)
    map.transactionNumber += 1
    number = map.transactionNumber
    numbers = [number]
    map.add(self)
  }

  /// The identity map of the scope, until the transaction ends.
  var openMap: IdentityMap? { map.transactions.contains { $0 === self } ? map : nil }

  /// Whether the running task is part of the transaction.
  var isEntered: Bool { isInside() }

  /// Ends the recording of a transaction that succeeded.
  public func end() {
    guard map.remove(self) else { return }
    // A deleted model may keep this object longer than the transaction.
    defer { removeModels() }
    if let outer = map.innermostTransaction {
      outer.numbers.formUnion(numbers)
      outer.created.formUnion(created)
      outer.deleted.merge(deleted) { $0.union($1) }
      outer.deletedElsewhere.formUnion(deletedElsewhere)
    } else {
      map.forEachUndo { $0.transactionEnded(numbers) }
    }
  }

  /// Ends the recording, and makes the changes of the commit, which belong to the step of the transaction.
  public func commit(_ body: () -> Void) {
    let models = Set(order.compactMap { entries[$0]?.model }).union(created).union(deleted.keys)
    let written = map.transactions.count < 2 ? [] : models.map { ($0, writtenFields(of: $0)) }
    end()
    // The transaction of another store of the scope can't roll the commit back.
    for (model, fields) in written {
      for outer in map.transactions { outer.didCommit(model, outer.isEntered ? fields : [], asOf: nil) }
    }
    map.recordTogether(as: operation ?? self, body)
  }

  /// Returns the fields of a model that the transaction saved; nil for all of a model that it created.
  private func writtenFields(of model: ModelObject) -> [AnyField]? {
    if created.contains(model) { return nil }
    let models = [model] + EmbeddedModels(of: model).models
    return models.flatMap(\.allFields).filter { uncommitted[ObjectIdentifier($0)] != nil }
  }

  /// Records a field before it is edited.
  func willChange(_ field: AnyField, of model: ModelObject) {
    let id = ObjectIdentifier(field)
    guard isInside() else {
      if map.protectedFields.contains(id) { return }
      changedElsewhere.insert(id)
      if entries[id] != nil { overtaken.insert(id) }
      return
    }
    // The rollback of a nested transaction edits nothing. Its new models would be retained here.
    if entries[id] == nil {
      if newModels.contains(model) || map.isRollingBack && model.origin == .new { return }
      entries[id] = Entry(
        field: field, model: model, before: field.captureState(),
        epochs: map.undos.map { ($0, $0.undo?.epochs[id]) })
      order.append(id)
    } else if !map.isRollingBack, overtaken.remove(id) != nil {
      entries[id]?.elsewhere = field.captureState()
      entries[id]?.hasUncommittedBaseline = uncommitted[id] != nil || deleted[model] != nil
      entries[id]?.captured = nil
    }
  }

  /// Records a field before values are read into it. Committed values stay, but don't replace an unsaved change, even
  /// if the transaction has reverted it and the read did not see it.
  ///
  /// - Returns: whether another task reads, and a failure of the transaction restores an unsaved change all the same.
  func willRead(_ field: AnyField, of model: ModelObject) -> Bool {
    if isInside() {
      if field.isDirty { willChange(field, of: model) }
      return false
    }
    let id = ObjectIdentifier(field)
    if let entry = entries[id], !overtaken.contains(id), (entry.elsewhere ?? entry.before).isDirty { return true }
    willChange(field, of: model)
    return false
  }

  /// Records a stored model before values of a document count as unsaved in it.
  func willLoadDocument(into model: ModelObject) {
    if isInside(), documentLoads[model] == nil { documentLoads[model] = .some(model.details?.documentLoad) }
  }

  /// Records a field before it is marked as saved.
  ///
  /// - Parameter stamp: when the save captured the value; nil for the present.
  func willSave(_ field: AnyField, of model: ModelObject, asOf stamp: ChangeStamp?) {
    guard isInside() else {
      let id = ObjectIdentifier(field)
      // The transaction has edited the field since: the saved value is the one to restore.
      if let stamp, field.lastChange > stamp, entries[id] != nil, !overtaken.contains(id) {
        entries[id]?.captured = stamp
        return
      }
      return willChange(field, of: model)
    }
    // The rollback of a nested transaction restores what another task saved. It saves nothing itself.
    if map.isRollingBack { return }
    let id = ObjectIdentifier(field)
    if newModels.contains(model) {
      savedFields[ObjectIdentifier(model), default: []].append(field)
    } else {
      willChange(field, of: model)
      if uncommitted[id] == nil { baselines[id] = model.storedBaseline(of: field) }
    }
    uncommitted[id, default: []].insert(map.innermostTransaction?.number ?? number)
  }

  /// Removes the saves and deletions of a nested transaction that failed. Fields that nothing else in this one saved
  /// have their baselines from before again.
  func removeWrites(of nested: TransactionEdits) {
    for model in nested.deleted.keys {
      deleted[model]?.subtract(nested.numbers)
      if deleted[model]?.isEmpty == true { deleted[model] = nil }
    }
    for id in nested.uncommitted.keys {
      uncommitted[id]?.subtract(nested.numbers)
      if uncommitted[id]?.isEmpty == true { (uncommitted[id], baselines[id]) = (nil, nil) }
    }
  }

  /// Records a model that another task created. It stays stored although the transaction may have deleted another one
  /// with its identifier.
  func didCreateElsewhere(_ model: ModelObject) { if !isInside() { createdElsewhere.insert(model) } }

  /// Records a model that the transaction created.
  func didCreate(_ model: ModelObject) { created.insert(model) }

  /// The models that the transaction created, unless the running task is part of it.
  var uncommittedModels: Set<ModelObject> { created.isEmpty || isInside() ? [] : created }

  /// Records a new model that becomes part of the scope. It keeps its values and links if the transaction fails, and so
  /// do its embedded models.
  func willAdd(_ model: ModelObject) {
    guard isInside(), !map.isRollingBack else { return }
    newModels.insert(model)
    newModels.formUnion(EmbeddedModels(of: model).models.filter { $0.identityMap == nil && $0.isPartOfContainer })
  }

  /// Captures the relations that the transaction edited and no other task changed since.
  func captureOwnRelations() -> [(relation: any Relation, state: FieldState, models: [ModelObject])] {
    order.compactMap { id in
      guard !changedElsewhere.contains(id), !map.protectedFields.contains(id),
        let relation = entries[id]?.field as? any Relation
      else { return nil }
      return (relation, relation.captureState(), relation.liveModels)
    }
  }

  /// Releases members from the recorded states of a list, because a nested transaction that created them failed.
  ///
  /// - Returns: closures that add those again that something else retains.
  func release(_ members: Set<ObjectIdentifier>, from list: any Relation) -> [() -> Void] {
    guard let entry = entries[ObjectIdentifier(list)] else { return [] }
    return [entry.before, entry.elsewhere].compactMap { ($0 as? any RelationState)?.release(members) }
  }

  /// Records that no other task changed a relation after all.
  func restoreOwnRelation(_ relation: any Relation) {
    overtaken.remove(ObjectIdentifier(relation))
    changedElsewhere.remove(ObjectIdentifier(relation))
  }

  /// Adds a step that runs if the transaction fails, in reverse order, before the fields are restored.
  func onFailure(_ step: @escaping () -> Void) { addFailureStep(step) }

  /// The models that the transaction deleted, unless the running task is part of it.
  var deletedModels: [ModelObject] { deleted.isEmpty || isInside() ? [] : Array(deleted.keys) }

  /// Returns whether the transaction deleted a model, unless the running task is part of it.
  func deletes(_ model: ModelObject) -> Bool { deleted[model] != nil && !isInside() }

  /// Records all fields of a model that the transaction deletes. Later edits of it are recorded until the transaction
  /// ends, although it leaves the scope.
  func willDelete(_ model: ModelObject) {
    guard isInside() else {
      deletedElsewhere.insert(model)
      return
    }
    deleted[model, default: []].insert(map.innermostTransaction?.number ?? number)
    model.forEachField { field, _ in willChange(field, of: model) }
    if model.details?.deletion?.openMap == nil { model.detailsForWriting.deletion = self }
  }

  /// Releases the models, because the transaction has ended.
  func removeModels() {
    (entries, order) = ([:], [])
    (newModels, created, deletedElsewhere, createdElsewhere) = ([], [], [], [])
    (deleted, savedFields, documentLoads, baselines) = ([:], [:], [:], [:])
  }

  /// Discards the recordings of a new model that a nested transaction added and rolled back.
  func remove(_ model: ModelObject) {
    newModels.remove(model)
    created.remove(model)
    savedFields[ObjectIdentifier(model)] = nil
  }

}

@_spi(ModelKitInternals)
extension ModelScope {
  /// Makes the edits of the running task's transaction a part of an operation, unless the transaction is in another
  /// one.
  public func joinTransaction(to operation: AnyObject) {
    guard let edits = map.openTransaction, edits === map.innermostTransaction else { return }
    edits.operation = operation
  }
}

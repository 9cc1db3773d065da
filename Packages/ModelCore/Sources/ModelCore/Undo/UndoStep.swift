@_spi(ModelKitInternals) import FieldKit

/// The edits that are undone at once.
final class UndoStep {
  /// A field that was edited, with its states before and after the edit.
  final class Entry {
    let field: AnyField
    let model: ModelObject
    fileprivate(set) var before: FieldState
    /// Nil while the step is being recorded.
    var after: FieldState?
    /// The count of reads and saves of the field when it was edited.
    var epoch: Int
    /// The number of the transaction of a store that made the edit; nil for none.
    let transaction: Int?
    /// The number of the transaction in which a read ended the edit; nil for none.
    fileprivate var endedIn: Int?

    init(_ field: AnyField, of model: ModelObject, epoch: Int, in transaction: Int?) {
      self.transaction = transaction
      self.field = field
      self.model = model
      self.epoch = epoch
      before = field.captureState()
    }

    func complete() { if after == nil { after = field.captureState() } }

    /// Whether the edit changed nothing in the end.
    var isVoid: Bool {
      guard let after else { return false }
      return before.hasSameStates(as: after) && before.hasValue(of: after)
    }
  }

  /// A model that became part of the scope, or was deleted.
  struct Existence {
    let model: ModelObject
    let existedBefore: Bool
    /// Whether the model had a record that a store deleted.
    fileprivate(set) var isDeletion: Bool
    /// The number of the transaction of a store that created the model; nil for none.
    let transaction: Int?
  }

  let label: String?
  /// The number of the transaction of a store that undid or redid another step, which this one reverses; nil for none.
  var transaction: Int?
  /// Whether a relation begins with the state from before a failed transaction, whose inverses have no entries. Then an
  /// undo changes both sides, as a caller does.
  private(set) var mergesRelations = false
  /// Whether an undo manager has the step.
  var isRegistered = false
  private(set) var entries: [Entry] = []
  private(set) var existences: [Existence] = []
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The models that were not created after all, or were created and deleted in this step: they exist neither before it
  /// nor after it.
  private var transient: Set<ModelObject> = []

  init(label: String?) { self.label = label }

  var isEmpty: Bool { entries.isEmpty && existences.isEmpty }

  /// Returns whether a transaction has created models of the step in a store.
  func hasModels(createdBy transaction: TransactionEdits) -> Bool {
    !transaction.created.isEmpty && existences.contains { transaction.created.contains($0.model) }
  }

  /// Returns whether a transaction of another task has deleted models of the step.
  func hasModels(deletedBy transaction: TransactionEdits) -> Bool {
    existences.contains { transaction.deletes($0.model) }
  }

  /// Returns whether transactions of a store made a part of the step.
  func isPart(of numbers: Set<Int>) -> Bool {
    entries.contains { $0.transaction.map(numbers.contains) ?? false }
      || existences.contains { $0.transaction.map(numbers.contains) ?? false }
  }

  /// Returns whether the step has the state of a field before its next edit.
  func contains(_ field: AnyField) -> Bool { indices[ObjectIdentifier(field)] != nil }

  func append(_ entry: Entry) {
    indices[ObjectIdentifier(entry.field)] = entries.count
    entries.append(entry)
  }

  /// Completes the entry of a field. A later edit gets an entry of its own.
  ///
  /// - Parameter transaction: the number of the running task's transaction; nil for none.
  func seal(_ field: AnyField, in transaction: Int?) {
    guard let index = indices.removeValue(forKey: ObjectIdentifier(field)) else { return }
    entries[index].complete()
    entries[index].endedIn = transaction
  }

  /// Returns the last entry of a field.
  func lastEntry(of field: AnyField) -> Entry? { entries.last { $0.field === field } }

  func noteExistence(
    of model: ModelObject, before existedBefore: Bool, isDeletion: Bool = false, in transaction: Int? = nil
  ) {
    existences.append(
      Existence(model: model, existedBefore: existedBefore, isDeletion: isDeletion, transaction: transaction))
  }

  /// Records that models had records that a store deleted.
  func noteDeletions(of models: Set<ModelObject>) {
    for index in existences.indices where models.contains(existences[index].model) {
      existences[index].isDeletion = true
    }
  }

  /// Removes a model that was not created after all, when the recording ends.
  func markTransient(_ model: ModelObject) { transient.insert(model) }

  /// Removes the recordings of failed transactions of a store.
  ///
  /// - Parameters:
  ///   - numbers: the numbers of the transactions.
  ///   - fields: the fields that keep their values, and those that get back their previous values.
  ///   - isOpen: whether the step is still being recorded.
  func remove(_ numbers: Set<Int>, _ fields: TransactionEdits.RolledBackFields, isOpen: Bool) {
    func isRolledBack(_ transaction: Int?) -> Bool { transaction.map { numbers.contains($0) } ?? false }
    entries.removeAll { isRolledBack($0.transaction) && !fields.kept.contains(ObjectIdentifier($0.field)) }
    existences.removeAll { isRolledBack($0.transaction) }
    for entry in entries where isRolledBack(entry.endedIn) {
      entry.endedIn = nil
      // The read that ended the edit is rolled back.
      if isOpen, fields.restored.contains(ObjectIdentifier(entry.field)) { entry.after = nil }
    }
    indices = [:]
    for (index, entry) in entries.enumerated() where entry.after == nil {
      indices[ObjectIdentifier(entry.field)] = index
    }
  }

  /// Removes the entries of values that transactions of a store edited which failed. An edit by another task that
  /// followed one begins with the state from before the transaction: the value in between was never stored.
  ///
  /// - Parameters:
  ///   - numbers: the numbers of the transactions.
  ///   - fields: the fields of the transactions.
  ///   - removed: the removed entries of the steps before, by field.
  func removeValues(
    by numbers: Set<Int>, of fields: TransactionEdits.RolledBackFields,
    following removed: inout [ObjectIdentifier: RemovedValue]
  ) {
    entries.removeAll { entry in
      let id = ObjectIdentifier(entry.field)
      guard fields.recorded.contains(id) else { return false }
      let former = removed.removeValue(forKey: id).flatMap { $0.after.hasValue(of: entry.before) ? $0 : nil }
      if let former {
        entry.before = former.before
        if entry.field.isRelation { mergesRelations = true }
      }
      // An entry that is still being recorded has the edits of the other task, too.
      guard let number = entry.transaction, numbers.contains(number), let after = entry.after else {
        return former != nil && entry.isVoid
      }
      removed[id] = RemovedValue(before: entry.before, after: after)
      return true
    }
  }

  /// Adds the states before and after the step to those of steps before it, by field.
  func addValues(to values: inout [ObjectIdentifier: RemovedValue]) {
    for entry in entries {
      guard let after = entry.after else { continue }
      let id = ObjectIdentifier(entry.field)
      values[id] = RemovedValue(before: values[id]?.before ?? entry.before, after: after)
    }
  }

  /// The states before and after the removed edits of a field.
  struct RemovedValue {
    let before: FieldState
    let after: FieldState
  }

  /// Releases members from the states of a list.
  ///
  /// - Returns: closures that add those again that something else retains.
  func release(_ members: Set<ObjectIdentifier>, from list: AnyField) -> [() -> Void] {
    entries.filter { $0.field === list }.flatMap { entry in
      [entry.before, entry.after].compactMap { ($0 as? any RelationState)?.release(members) }
    }
  }

  /// Removes the entries of a list by failed transactions that added released members only.
  ///
  /// - Returns: the state before them, with which the next entry of the list begins.
  func removeVoidEntries(of list: AnyField, by numbers: Set<Int>, following former: FieldState?) -> FieldState? {
    var former = former
    entries.removeAll { entry in
      guard entry.field === list else { return false }
      if let start = former, start.hasValue(of: entry.before) { entry.before = start }
      former = nil
      guard let number = entry.transaction, numbers.contains(number), let after = entry.after,
        entry.before.hasValue(of: after)
      else { return false }
      former = entry.before
      return true
    }
    indices = [:]
    for (index, entry) in entries.enumerated() where entry.after == nil {
      indices[ObjectIdentifier(entry.field)] = index
    }
    return former
  }

  /// Ends the recording.
  func complete() {
    for entry in entries { entry.complete() }
    existences.removeAll { transient.contains($0.model) }
    completeExistences()
    // A new model is undone as a whole, and keeps its values for a redo.
    let created = Set(existences.lazy.filter { !$0.existedBefore }.map(\.model))
    entries.removeAll {
      $0.isVoid || transient.contains($0.model) || (!$0.field.isRelation && created.contains($0.model))
    }
    indices = [:]
  }

  /// Keeps the last event of each model.
  private func completeExistences() {
    var existedBefore: [ModelObject: Bool] = [:], last: [ModelObject: Int] = [:]
    for (index, existence) in existences.enumerated() {
      if existedBefore[existence.model] == nil { existedBefore[existence.model] = existence.existedBefore }
      last[existence.model] = index
    }
    if last.count == existences.count { return }
    existences = existences.enumerated().compactMap { index, existence in
      guard last[existence.model] == index else { return nil }
      if existedBefore[existence.model] == existence.existedBefore { return existence }
      if !existence.existedBefore { return nil }
      transient.insert(existence.model)
      return nil
    }
  }
}

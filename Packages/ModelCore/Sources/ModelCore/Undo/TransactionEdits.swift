@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ObservationKit

/// The values that fields had before a transaction of a store edited them, to be restored if it fails.
///
/// ```swift
/// let edits = TransactionEdits(in: scope) { mark.isEntered }
/// do { try await body() } catch {
///   edits.revert()
///   throw error
/// }
/// edits.commit { markSaved() }
/// ```
@_spi(ModelKitInternals)
public final class TransactionEdits {
  private struct Entry {
    let field: AnyField
    let model: ModelObject
    let before: FieldState
    /// Whether the state is restored without the inverse, which has an entry of its own.
    let isExact: Bool
    /// The counts of reads and saves that histories had for the field.
    let epochs: [(undo: WeakUndo, epoch: Int?)]
  }

  private let map: IdentityMap
  private let isInside: () -> Bool
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var order: [ObjectIdentifier] = []
  /// The number of this transaction among those of the scope.
  let number: Int
  /// The numbers of this transaction and of the nested ones that succeeded.
  private var numbers: Set<Int>

  /// Begins to record the edits of a transaction.
  ///
  /// - Parameters:
  ///   - scope: the scope of the edited models.
  ///   - isInside: returns whether the running task is part of the transaction.
  /// - Complexity: O(*n*) in the number of unsaved models of the scope.
  public init(in scope: ModelScope, where isInside: @escaping () -> Bool) {
    map = scope.map
    self.isInside = isInside
    map.transactionNumber += 1
    number = map.transactionNumber
    numbers = [number]
    map.add(self)
  }

  /// Whether the running task is part of the transaction.
  var isEntered: Bool { isInside() }

  /// Ends the recording of a transaction that succeeded.
  public func end() {
    guard map.remove(self) else { return }
    if let outer = map.innermostTransaction {
      outer.numbers.formUnion(numbers)
    } else {
      map.forEachUndo { $0.transactionEnded(numbers) }
    }
  }

  /// Ends the recording, and makes the changes of the commit, which belong to the step of the transaction.
  ///
  /// - Throws: the errors of `body`.
  public func commit<Result>(_ body: () throws -> Result) rethrows -> Result {
    end()
    return try map.recordTogether(as: self, body)
  }

  /// Records a field before it is edited.
  func willEdit(_ field: AnyField, of model: ModelObject, isExact: Bool) {
    let id = ObjectIdentifier(field)
    guard isInside() else { return discard(id) }
    if entries[id] != nil { return }
    entries[id] = Entry(
      field: field, model: model, before: field.captureState(), isExact: isExact,
      epochs: map.undos.map { ($0, $0.undo?.epochs[id]) })
    order.append(id)
  }

  /// Records that a field gets a value by a read.
  func willRead(_ field: AnyField) {
    if !isInside() { discard(ObjectIdentifier(field)) }
  }

  /// Keeps the value that another task gives a field.
  private func discard(_ id: ObjectIdentifier) { entries[id] = nil }

  /// Ends the recording, and restores all recorded fields with their states. Observers are notified at the end.
  /// Histories are as before the transaction.
  ///
  /// A field that another task changed since keeps its value.
  public func revert() {
    map.remove(self)
    let reverted = order.reversed().compactMap { entries[$0] }
    let restored = Set(entries.keys)
    entries = [:]
    map.forEachUndo { $0.rollBack(numbers, restored: restored) }
    if !reverted.isEmpty { restore(reverted) }
    map.forEachUndo { $0.transactionEnded(numbers) }
  }

  private func restore(_ reverted: [Entry]) {
    // The history of an undo has no edits that were rolled back.
    map.process {
      transaction {
        for entry in reverted { restore(entry) }
      }
    }
    for entry in reverted {
      for (undo, epoch) in entry.epochs { undo.undo?.epochs[ObjectIdentifier(entry.field)] = epoch }
    }
    for model in Set(reverted.map(\.model)) {
      // A record that was committed meanwhile is read again.
      model.storeMark = nil
      guard let map = model.identityMap else { continue }
      if model.isUnsaved { map.keep(model) } else { map.settle(model) }
    }
  }

  private func restore(_ entry: Entry) {
    // An outer transaction may have saved the value already, and marks it as saved when it commits.
    defer { if entry.before.isDirty { entry.field.reinstateLastChange(entry.before) } }
    guard !entry.isExact, let relation = entry.field as? any Relation else {
      return entry.field.reinstate(entry.before, exactly: true, settles: false)
    }
    // The inverse of a stored relation follows it. So a new model keeps its reference to a stored one.
    guard entry.model.fieldsForDictionaryValue().contains(where: { $0 === relation }) else { return }
    if entry.before.isDirty || !relation.restore() {
      relation.revert(from: relation.captureState(), to: entry.before)
      if !entry.before.isDirty { relation.markWritten(asOf: .next()) }
    }
  }
}

extension IdentityMap {
  /// The transaction of the running task; the outermost one if it is in several.
  var openTransaction: TransactionEdits? { transactions.isEmpty ? nil : transactions.first { $0.isEntered } }

  /// The transaction of the running task; the innermost one if it is in several.
  var innermostTransaction: TransactionEdits? { transactions.isEmpty ? nil : transactions.last { $0.isEntered } }

  func add(_ edits: TransactionEdits) {
    transactions.append(edits)
    FieldRecording.begin()
    // Fields that are dirty already are not watched.
    if transactions.count == 1 { for model in unsaved { model.watchFields() } }
  }

  /// - Returns: whether the edits were recorded until now.
  @discardableResult
  func remove(_ edits: TransactionEdits) -> Bool {
    guard let index = transactions.firstIndex(where: { $0 === edits }) else { return false }
    transactions.remove(at: index)
    FieldRecording.end()
    return true
  }
}

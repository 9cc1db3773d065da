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
  }

  private let map: IdentityMap
  private let isInside: () -> Bool
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var order: [ObjectIdentifier] = []

  /// Begins to record the edits of a transaction.
  ///
  /// - Parameters:
  ///   - scope: the scope of the edited models.
  ///   - isInside: returns whether the running task is part of the transaction.
  /// - Complexity: O(*n*) in the number of unsaved models of the scope.
  public init(in scope: ModelScope, where isInside: @escaping () -> Bool) {
    map = scope.map
    self.isInside = isInside
    map.add(self)
  }

  /// Whether the running task is part of the transaction.
  var isEntered: Bool { isInside() }

  /// Ends the recording.
  public func end() { map.remove(self) }

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
    entries[id] = Entry(field: field, model: model, before: field.captureState(), isExact: isExact)
    order.append(id)
  }

  /// Records that a field gets a value by a read.
  func willRead(_ field: AnyField) {
    if !isInside() { discard(ObjectIdentifier(field)) }
  }

  /// Keeps the value that another task gives a field.
  private func discard(_ id: ObjectIdentifier) { entries[id] = nil }

  /// Ends the recording, and restores all recorded fields with their states. Observers are notified at the end.
  ///
  /// A field that another task changed since keeps its value.
  public func revert() {
    end()
    if entries.isEmpty { return }
    let reverted = order.reversed().compactMap { entries[$0] }
    entries = [:]
    let models = Set(reverted.map(\.model))
    // The history of an undo has no edits that were rolled back.
    map.process {
      transaction {
        for entry in reverted { restore(entry) }
      }
    }
    for model in models {
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

  func add(_ edits: TransactionEdits) {
    transactions.append(edits)
    FieldRecording.begin()
    // Fields that are dirty already are not watched.
    if transactions.count == 1 { for model in unsaved where model.isStored { model.watchFields() } }
  }

  func remove(_ edits: TransactionEdits) {
    let count = transactions.count
    transactions.removeAll { $0 === edits }
    if transactions.count < count { FieldRecording.end() }
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An import in progress.
final class ImportRun<M: Model> {
  /// An entry that was read into its model and is not written yet.
  struct Pending {
    let entry: Entry
    let edit: DocumentEdit<M>
    /// The models that the store had, of it and the related ones.
    let storedModels: Set<ModelObject>
    /// The models that are written before it.
    let related: [ModelObject]
    let object: AttributeDictionary

    /// Whether the store had the model.
    var isStored: Bool { storedModels.contains(edit.model) }

    /// Rejects the entry if another task has deleted one of its models since it was read. That model would be stored
    /// again, with only the values of the document.
    func rejectDeleted() throws {
      for model in storedModels { try rejectDeleted(model) }
    }

    func rejectDeleted(_ model: ModelObject) throws {
      if storedModels.contains(model) { try ImportRun.rejectDeleted(model) }
    }
  }

  /// An entry of the document.
  struct Entry {
    let index: Int
    let position: Int
    var identifier: String?
  }

  /// The number of entries that are written together.
  private var batchSize: Int { store is any TransactionalModelStore ? 256 : 1 }

  static var cancellation: ModelStoreError {
    ModelStoreError(
      .cancelled, "The import was cancelled. Entries written before stay stored: import the document again.")
  }

  var report = ImportReport<M>()
  let store: any ModelStore
  private let path: String
  private var pending: [Pending] = []
  /// The index of the entry that has an identifier.
  private var indices: [ExactText: Int] = [:]
  /// The entries without identifier, by the models that they created.
  private var indicesOfUnidentified: [ObjectIdentifier: Int] = [:]
  /// The fields that were changed by entries of this document.
  private var changed: Set<ObjectIdentifier> = []
  /// The edited models, retained so that their fields stay live.
  var models: [ObjectIdentifier: ModelObject] = [:]

  /// The classes of the entries of a hierarchy, which may be referenced before they are read.
  private var classes: [ExactText: ModelObject.Type] = [:]

  init(store: any ModelStore, path: String) {
    self.store = store
    self.path = path
  }

  /// Records the class of an entry, by its identifier.
  func noteClass(of json: JSONValue) {
    guard case .object(let object) = json, let identifier = store.scope.identifier(of: M.self, in: object) else {
      return
    }
    classes[ExactText(identifier)] = M.storedClass(for: object)
  }

  /// Returns the class of the entry with an identifier.
  func classOfEntry(_ type: ModelObject.Type, _ identifier: String) -> ModelObject.Type? {
    type.topOfHierarchy == M.topOfHierarchy ? classes[ExactText(identifier)] : nil
  }

  /// Returns whether an entry has an identifier, which is not assigned to others. References to a rejected entry would
  /// reference another model.
  func isReserved(_ identifier: String) -> Bool { indices[ExactText(identifier)] != nil }

  /// Reads an entry, and writes those before it if there are enough.
  func take(_ json: JSONValue, index: Int, position: Int) async throws {
    var entry = Entry(index: index, position: position)
    guard case .object(let object) = json else {
      return reject(
        entry, ModelDecodingError(path: FieldPath(), expected: "an object", found: json.kindForMessage))
    }
    entry.identifier = store.scope.identifier(of: M.self, in: object)
    if let identifier = entry.identifier {
      if let first = indices[ExactText(identifier)] {
        return reject(
          entry,
          ModelStoreError(
            .conflict,
            "The entry at index \(first) has the same identifier \(identifier.quotedForMessage), and was read first.",
            identifier: identifier))
      }
      indices[ExactText(identifier)] = index
    }
    do {
      let new = try await read(object, entry)
      if isUnchanged(new) {
        report.unchanged.append(new.edit.model)
      } else if new.edit.model.validateForSaving().isEmpty {
        pending.append(new)
        if pending.count >= batchSize { try await flush() }
      } else {
        // It would fail the batch, unless `beforeSave` corrects it.
        undo(new.edit)
        try await flush()
        try await writeAlone(again: new)
      }
    } catch {
      try rethrowCancellation(error)
      reject(entry, error)
    }
  }

  /// Reads an entry into its model.
  ///
  /// - Parameter earlier: the result of an earlier reading.
  private func read(
    _ object: AttributeDictionary, _ entry: Entry, again earlier: Pending? = nil
  ) async throws -> Pending {
    let stored = try await storedModel(M.self, entry.identifier)
    if let stored, let first = indicesOfUnidentified[ObjectIdentifier(stored)] {
      throw ModelStoreError(
        .conflict,
        """
        The store gave its identifier \(entry.identifier?.quotedForMessage ?? "") to the entry at index \(first), which had none. \
        Put entries without identifier after the others.
        """, identifier: entry.identifier)
    }
    var object = object
    if let stored, stored.storedIdentifier != entry.identifier, let field = stored.identifierField {
      // The store has replaced the identifier of the document.
      for value in try stored.storedValues(of: [field], in: store.scope.transformers) { value.write(to: &object) }
    }
    let edit = try store.scope.recordTogether(as: self) { try store.scope.edit(M.self, from: object) }
    for field in edit.changedFields { changed.insert(ObjectIdentifier(field)) }
    models[ObjectIdentifier(edit.model)] = edit.model
    var related: [ModelObject] = []
    var storedModels = Set(edit.linkedModels.filter(\.isKnownToStore))
    if stored != nil { storedModels.insert(edit.model) }
    do {
      for model in edit.relatedModels {
        models[ObjectIdentifier(model)] = model
        if !model.isKnownToStore { try await findStored(model) }
        if model.isKnownToStore { storedModels.insert(model) }
        if !model.isKnownToStore || hasChanges(model) { related.append(model) }
      }
      try earlier?.rejectDeleted()
    } catch {
      undo(edit)
      throw error
    }
    await edit.model.finishChecks()
    return Pending(entry: entry, edit: edit, storedModels: storedModels, related: related, object: object)
  }

  /// Writes the entries that were read: as one batch if the store supports it, otherwise one by one. Each entry is then
  /// read again, because it may reference the model of a rejected one.
  func flush() async throws {
    let batch = pending
    if batch.isEmpty { return }
    if batch.count > 1, let store = store as? any TransactionalModelStore {
      do {
        try await IndependentWrites.$areTogether.withValue(true, in: #isolation) {
          try await writeTogether(in: store) { for next in batch { try await write(next) } }
        }
        pending = []
        for next in batch { note(next) }
        return
      } catch {
        // The batch was rejected and nothing was written: writing one by one finds the rejected entry.
        try rethrowCancellation(error)
      }
    }
    if batch.count == 1 {
      pending = []
      return try await writeAlone(batch[0])
    }
    undoPending()
    for next in batch {
      if Task.isCancelled { throw Self.cancellation }
      try await writeAlone(again: next)
    }
  }

  private func undo(_ edit: DocumentEdit<M>) { store.scope.recordTogether(as: self) { edit.undo() } }

  /// Writes in one transaction, whose edits are a part of the import.
  private func writeTogether(
    in store: some TransactionalModelStore, _ body: () async throws -> Void
  ) async throws {
    try await store.transaction { store in
      store.scope.joinTransaction(to: self)
      try await body()
    }
  }

  /// Undoes the edits of entries that were not written.
  func undoPending() {
    for next in pending.reversed() { undo(next.edit) }
    pending = []
  }

  /// Reads an entry again, and writes it.
  private func writeAlone(again earlier: Pending) async throws {
    do {
      let next = try await read(earlier.object, earlier.entry, again: earlier)
      if isUnchanged(next) {
        report.unchanged.append(next.edit.model)
      } else {
        try await writeAlone(next)
      }
    } catch {
      try rethrowCancellation(error)
      reject(earlier.entry, error)
    }
  }

  private func writeAlone(_ next: Pending) async throws {
    do {
      // Of a rejected entry no related model is written either.
      if !next.related.isEmpty, let store = store as? any TransactionalModelStore {
        try await writeTogether(in: store) { try await write(next) }
      } else {
        if !next.related.isEmpty { try await checkRules(of: next) }
        try await write(next)
      }
      note(next)
    } catch {
      undo(next.edit)
      try rethrowCancellation(error)
      reject(next.entry, error)
    }
  }

  private func write(_ next: Pending) async throws {
    try next.rejectDeleted()
    for model in next.related {
      guard let model = model as? any ModelObject & ModelIsolation else { continue }
      do {
        try next.rejectDeleted(model)
        try await write(model, in: store)
      } catch {
        throw NestedRejection(path: next.edit.path(of: model) ?? FieldPath(), error: error)
      }
    }
    try next.rejectDeleted(next.edit.model)
    try await write(next.edit.model, in: store)
  }

  /// Checks the rules of an entry, and of the models that are written before it, in a store that could not undo these
  /// writes.
  private func checkRules(of next: Pending) async throws {
    for model in next.related + [next.edit.model] where !model.isKnownToStore || !fields(of: model).isEmpty {
      await model.finishChecksForSaving()
      if Task.isCancelled { throw Self.cancellation }
      if model.validateForSaving().isEmpty { continue }
      ModelHook.beforeSave.run(on: model)
      let errors = model.validateForSaving()
      if errors.isEmpty { continue }
      let error = ModelStoreError.invalid(model.storedTypeName, identifier: model.storedIdentifier, errors)
      guard model !== next.edit.model else { throw error }
      throw NestedRejection(path: next.edit.path(of: model) ?? FieldPath(), error: error)
    }
  }

  private func write<Written: Model>(_ model: Written, in store: some ModelStore) async throws {
    if model.isKnownToStore {
      if !hasChanges(model) { return }
      let fields = fields(of: model)
      // With other local changes only these are written; otherwise `beforeSave` may add more.
      let isAll = Set(fields.map { ObjectIdentifier($0) }) == Set(model.unsavedFields.map { ObjectIdentifier($0) })
      _ = try await store.update(model, fields: isAll ? nil : fields)
    } else {
      // An unloaded reference to a model that the store does not have is a new one.
      store.scope.markNew(model)
      store.scope.recordTogether(as: self) { store.scope.noteCreation(of: model) }
      _ = try await store.create(model)
    }
  }

  /// Returns the fields that have to be written because of entries of this document.
  private func fields(of model: ModelObject) -> [AnyField] { model.fields(writing: changed) }

  /// Returns whether entries of this document changed fields of a stored model, or unknown values.
  private func hasChanges(_ model: ModelObject) -> Bool { model.hasUnsavedRemainder || !fields(of: model).isEmpty }

  private func isUnchanged(_ next: Pending) -> Bool {
    next.isStored && next.related.isEmpty && !hasChanges(next.edit.model)
  }

  private func note(_ next: Pending) {
    if next.isStored { return report.updated.append(next.edit.model) }
    report.created.append(next.edit.model)
    if next.entry.identifier == nil { indicesOfUnidentified[ObjectIdentifier(next.edit.model)] = next.entry.index }
  }

  private func reject(_ entry: Entry, _ error: any Error) {
    let place = FieldPath(path).appending(FieldPath([.index(entry.index)]))
    let nested = error as? NestedRejection
    // Only entries of the last batch are rejected out of order.
    let index = report.rejected.lastIndex { $0.index < entry.index }.map { $0 + 1 } ?? 0
    report.rejected.insert(
      RejectedEntry(
        index: entry.index, path: place.appending(nested?.path ?? FieldPath()), position: entry.position,
        identifier: entry.identifier, error: nested?.error ?? error), at: index)
  }

  private func rethrowCancellation(_ error: any Error) throws {
    let error = (error as? NestedRejection)?.error ?? error
    if error is CancellationError || (error as? ModelStoreError)?.code == .cancelled { throw Self.cancellation }
  }
}

/// The error of a model that is written because an entry contains it.
private struct NestedRejection: Error {
  let path: FieldPath
  let error: any Error
}

extension JSONValue {
  /// The kind of the value, in words.
  fileprivate var kindForMessage: String {
    switch self {
    case .null: "null"
    case .array: "a list"
    case .object: "an object"
    case .string: "a string"
    default: "\(self)"
    }
  }
}

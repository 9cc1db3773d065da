@_spi(ModelKitInternals) import ModelCore

/// The creation of several models together: a ``SaveOperation`` for many models, with little work for each.
///
/// ```swift
/// var creations = try PendingCreations(models, in: scope, explicitNull: true)
/// for index in creations.withoutIdentifier {
///   try creations.assign(identifier: UUID().uuidString, at: index)
/// }
/// try creations.forEachRecord { type, identifier, bytes in
///   try batch.insert(type, identifier, Array(bytes))
/// }
/// try await engine.write(batch)
/// try creations.finish()
/// ```
package struct PendingCreations<M: Model> {
  /// The numbers of the models that had no identifier at the beginning.
  package private(set) var withoutIdentifier: [Int] = []

  /// The captured values of each, except for those among ``others``.
  private var begun = ContiguousArray<StartedCreation>()

  /// The records of these, in one buffer: an allocation for each would take longer than many records.
  private var bytes: [UInt8] = []

  /// The models that take the slow path, by number.
  private var others: [Int: SaveOperation<M>] = [:]
  /// The saves of models whose scope records edits.
  private var recordedSaves: [RecordedSave] = []
  private let models: [M]
  private let scope: ModelScope
  private let explicitNull: Bool?

  /// Begins to create models: runs their hooks, checks their rules and captures their values, one by one.
  ///
  /// - Parameters:
  ///   - models: the models to create.
  ///   - scope: the scope of the store.
  ///   - explicitNull: whether fields that are nil are written as `null`; nil for the setting of the scope.
  ///   - isUndoable: whether it may have to be undone, as in a transaction.
  /// - Throws: ``ModelStoreError`` with the code `invalid`, or `conflict` if a new model was passed twice.
  package init(_ models: [M], in scope: ModelScope, explicitNull: Bool?, isUndoable: Bool = false) throws {
    self.models = models
    self.scope = scope
    self.explicitNull = explicitNull
    begun.reserveCapacity(models.count)
    let writer = scope.recordWriter(explicitNull: explicitNull)
    var unnamed: Set<ObjectIdentifier> = []
    var known: (modelClass: ModelObject.Type, typeName: String, isPlain: Bool)?
    for number in models.indices {
      do {
        let model = models[number]
        let (recorded, start) = try SaveSnapshot.prepare(model, in: scope)
        if let recorded { recordedSaves.append(recorded) }
        let chosen = try CreationFields.fields(of: model, hookedSince: start)
        let identifier = model.storedIdentifier
        let fields = chosen.map(StoredFields.list) ?? model.allStoredFields
        let stamp = ChangeStamp.next()
        let modelClass = type(of: model as ModelObject)
        if known?.modelClass != modelClass {
          known = (
            modelClass, model.storedTypeName, modelClass.isTopOfHierarchy && !modelClass.hierarchyChoosesClasses
          )
        }
        let first = bytes.count
        if !isUndoable, chosen == nil, let known, known.isPlain, let identifier,
          writer.append(fields, of: model, to: &bytes)
        {
          // Records are mostly of one size, but the first may be a large one.
          if first == 0, bytes.count <= 1 << 12 { bytes.reserveCapacity(bytes.count * models.count * 9 / 8) }
          begun.append(
            StartedCreation(
              model: model, typeName: known.typeName, identifier: identifier, fields: fields, stamp: stamp,
              record: first..<bytes.count))
          continue
        }
        let snapshot = SaveSnapshot(model, identifier: identifier, fields, asOf: stamp, writer)
        let save = try SaveOperation(creating: model, snapshot, in: scope, explicitNull: explicitNull)
        if save.identifier == nil {
          guard models.count == 1 || unnamed.insert(ObjectIdentifier(model)).inserted else {
            throw ModelStoreError.repeated(save.typeName)
          }
          withoutIdentifier.append(number)
        }
        others[number] = save
        // Keeps the place.
        begun.append(
          StartedCreation(
            model: model, typeName: save.typeName, identifier: "", fields: .list([]), stamp: stamp, record: 0..<0))
      } catch let error as ModelStoreError {
        throw error.naming(models[number], at: number, of: models.count)
      }
    }
  }

  /// Returns the name of the type of a model in stores.
  package func typeName(at number: Int) -> String { begun[number].typeName }

  /// The names of the types of the models in stores: mostly one.
  package var typeNames: Set<String> {
    guard let first = models.first else { return [] }
    var names: Set<String> = [typeName(at: 0)]
    for number in models.indices where type(of: models[number]) != type(of: first) {
      names.insert(typeName(at: number))
    }
    return names
  }

  /// Assigns the first identifier of a model, as ``SaveOperation/assign(identifier:)`` does.
  ///
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier` if the model has no field that can hold it.
  package mutating func assign(identifier: String, at number: Int) throws {
    do {
      try others[number]?.assign(identifier: identifier)
    } catch let error as ModelStoreError {
      throw error.naming(models[number], at: number, of: models.count)
    }
  }

  /// Whether some of the models may reference others that get their identifiers now, so that they have to be joined.
  package var mayReferenceEachOther: Bool { begun.count > 1 && others.values.contains { $0.mayBeReferenced } }

  /// The types and identifiers of the models that had an identifier at the beginning.
  package var identified: [(typeName: String, identifier: String)] {
    begun.indices.compactMap { number in
      guard let save = others[number] else { return (begun[number].typeName, begun[number].identifier) }
      return save.isIdentifierNew ? nil : save.identifier.map { (save.typeName, $0) }
    }
  }

  /// Resolves the references between the models, as ``SaveOperation/join(_:in:check:)`` does. The caller has checked
  /// that none of the identifiers is taken.
  ///
  /// - Parameter log: the log that removes the new identifiers if nothing is written.
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a value that can't be written.
  package mutating func join(in log: StoreTransactionLog) throws {
    var saves = try begun.indices.map { number in
      if let save = others[number] { return save }
      let start = SaveSnapshot(
        identifier: begun[number].identifier, fields: begun[number].fields, stamp: begun[number].stamp,
        bytes: Array(bytes[begun[number].record]))
      return try SaveOperation(creating: models[number], start, in: scope, explicitNull: explicitNull)
    }
    try SaveOperation.join(&saves, in: log) { _ in }
    others = Dictionary(uniqueKeysWithValues: saves.enumerated().map { ($0.offset, $0.element) })
  }

  /// Calls a closure with each record to write, in the order of the models.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a value that can't be written, and the errors of `body`.
  package func forEachRecord(
    _ body: (_ typeName: String, _ identifier: String, _ bytes: ArraySlice<UInt8>) throws -> Void
  ) throws {
    for number in begun.indices {
      if !others.isEmpty, let save = others[number] {
        try body(save.typeName, save.identifier ?? "", try naming(number) { try save.recordBytes()[...] })
      } else {
        let record = bytes[begun[number].record]
        try naming(number) { try RecordLimits.check(record, of: begun[number].typeName, begun[number].identifier) }
        try body(begun[number].typeName, begun[number].identifier, record)
      }
    }
  }

  /// Names one of several models in the error about it.
  private func naming<Result>(_ number: Int, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ModelStoreError {
      throw error.naming(models[number], at: number, of: models.count)
    }
  }

  /// Marks all models as written, as ``SaveOperation/finish(answer:)`` does.
  package func finish(in transaction: StoreTransactionLog? = nil) throws {
    try scope.recordTogether { try finishEach(in: transaction) }
  }

  private func finishEach(in transaction: StoreTransactionLog?) throws {
    scope.reserveCapacity(begun.count, for: M.self)
    for number in begun.indices {
      if !others.isEmpty, let save = others[number] {
        try save.finish(in: transaction)
        continue
      }
      let model = begun[number].model
      model.markSaved(begun[number].fields, asOf: begun[number].stamp)
      model.markWhollySaved(asOf: begun[number].stamp)
      model.markLoaded()
      scope.addCreated(model)
      scope.noteCommit(of: model, isCreation: true)
      // A read in progress may have a record of its identifier that was deleted.
      scope.pendingReads.noteUpdate(of: model)
      ModelHook.afterCreate.run(on: model)
    }
  }
}

/// A model that is about to be created. It is not nested in the generic type, so that copies are fast.
private struct StartedCreation {
  let model: ModelObject
  let typeName: String
  let identifier: String
  let fields: StoredFields
  let stamp: ChangeStamp
  let record: Range<Int>
}

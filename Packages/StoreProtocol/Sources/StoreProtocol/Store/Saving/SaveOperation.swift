@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) public import ModelCore

/// The placeholder of an identifier that is not assigned yet: a unique text.
private let identifierMark = JSONValue.string("identifier \(UUID().uuidString)")

/// A save in two steps: it captures the values of a model, and finishes after a store has written them.
///
/// A store begins a save, which runs `beforeSave`, checks the rules and captures the values. The store then writes
/// ``record`` or its bytes, and finishes the save. Edits made in between stay dirty and take precedence over the
/// store's response. Without a call of `finish` the model is unchanged.
///
/// ```swift
/// var save = try await SaveOperation(creating: model, in: scope)
/// if save.identifier == nil { try save.assign(identifier: UUID().uuidString) }
/// try await engine.insert(save.record)
/// try save.finish()
/// ```
public struct SaveOperation<M: Model> {
  /// The model being saved.
  public let model: M
  /// The identifier of the model, or the one that this save assigns.
  public private(set) var identifier: String?

  private enum Kind { case create, update }

  /// The values to write.
  private enum Content {
    /// One object. Its keys are those of fields, without dots.
    case bytes([UInt8])
    /// Single values, for records that the fast path does not support.
    case values([StoredValue])
  }

  private let kind: Kind
  private let scope: ModelScope
  let fields: StoredFields
  private let stamp: ChangeStamp
  /// Whether the save writes all changes of the model.
  private let isWhole: Bool
  /// The number of deletions of the model before the values were captured, by any store of the scope.
  private let earlierDeletions: Int
  private var content: Content
  /// The values with a placeholder for the identifier, if the record references the model itself.
  private var marked: [StoredValue]?
  private let explicitNull: Bool?
  private let recordedSave: RecordedSave?
  private(set) var isIdentifierNew = false

  /// Begins to create a model. Waits for the asynchronous rules of its fields.
  ///
  /// - Parameters:
  ///   - model: the model to create.
  ///   - scope: the scope of the store.
  ///   - explicitNull: whether fields that are nil are written as `null`, to distinguish them from unset fields; nil
  ///     for the setting of the scope.
  /// - Throws: ``ModelStoreError`` with the code `invalid`.
  public init(creating model: M, in scope: ModelScope, explicitNull: Bool? = nil) async throws {
    try await Self.finishChecks(of: model)
    // A reader of a record without the field would have its initial value.
    let explicitNull = explicitNull ?? (model.lacksInitialValue ? true : nil)
    let begun = try SaveSnapshot(
      model, fields: nil, isNew: true, in: scope, scope.recordWriter(explicitNull: explicitNull))
    try self.init(creating: model, begun, in: scope, explicitNull: explicitNull)
  }

  /// Continues the creation of a model.
  init(creating model: M, _ begun: SaveSnapshot, in scope: ModelScope, explicitNull: Bool?) throws {
    try self.init(
      .create, model, begun, scope, explicitNull: explicitNull, isWhole: !CreationFields.areChosen(for: model))
    let modelClass = type(of: model)
    if modelClass.isTopOfHierarchy, !modelClass.hierarchyChoosesClasses { return }
    let stored = modelClass.storedClass(for: record)
    guard stored == modelClass else {
      throw ModelStoreError(
        .invalid,
        """
        \(type(of: model).displayName) can't be stored as \(model.storedTypeName): it would be read back as \
        \(stored.displayName). Let instanceClass(for:) of the topmost class return \(type(of: model).displayName) for it, or override typeName.
        """, identifier: identifier)
    }
  }

  /// Begins to update a model. Waits for the asynchronous rules of its fields.
  ///
  /// - Parameters:
  ///   - model: the model to update.
  ///   - fields: the fields to write; nil for those that changed since the model was last read or saved.
  ///   - scope: the scope of the store.
  /// - Throws: ``ModelStoreError`` with the code `invalid` or `noIdentifier`.
  public init(updating model: M, fields: [AnyField]?, in scope: ModelScope) async throws {
    try await Self.finishChecks(of: model)
    guard model.storedIdentifier != nil else { throw ModelStoreError.noIdentifier(of: model) }
    if let fields {
      try Self.check(fields, of: model)
      try Self.refuseParts(of: model, fields)
    }
    let begun = try SaveSnapshot(
      model, fields: fields, isNew: false, in: scope, scope.recordWriter(explicitNull: true))
    try self.init(.update, model, begun, scope, explicitNull: true, isWhole: fields == nil)
  }

  private static func finishChecks(of model: M) async throws {
    guard model.hasChecksForSaving else { return }
    await model.finishChecksForSaving()
    // The checks of a cancelled task did not end.
    if Task.isCancelled { throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.") }
  }

  /// Rejects fields that the record of the model does not contain.
  static func check(_ fields: [AnyField], of model: M) throws {
    try refuseForeignFields(among: fields, of: model)
    if let field = model.relationStoredByInverse(among: fields) {
      throw ModelStoreError(
        .invalid,
        """
        This \(model.storedTypeName.nameForMessage) was not written: the related models store its relation \
        \((field.name ?? field.key ?? "").quotedForMessage). Save them instead.
        """, identifier: model.storedIdentifier)
    }
  }

  /// Rejects fields of another model, which the record of this one does not contain.
  private static func refuseForeignFields(among fields: [AnyField], of model: M) throws {
    guard let field = model.foreignField(among: fields) else { return }
    let name = model.storedTypeName.nameForMessage
    let advice =
      if let relation = (field.owner as? ModelObject).flatMap(model.relation(embedding:)) {
        """
        belongs to a model that it embeds. Update the field \((relation.name ?? relation.key ?? "").quotedForMessage), \
        which contains that model.
        """
      } else {
        "is of another model. Update that one."
      }
    throw ModelStoreError(
      .invalid,
      "This \(name) was not written: the field \((field.name ?? field.key ?? "").quotedForMessage) \(advice)",
      identifier: model.storedIdentifier)
  }

  /// Rejects an update of a partially loaded list: it would overwrite members that were never loaded.
  private static func refuseParts(of model: M, _ fields: [AnyField]) throws {
    for case let list as any RelationField in fields
    where model.isUnloadedReference && list.isToMany && list.loadState == .incomplete || model.hasLostMembers(in: list)
    {
      let name = list.name ?? list.key ?? ""
      throw ModelStoreError(
        .invalid,
        """
        This \(model.storedTypeName.nameForMessage) was not written: only a part of its list \(name.quotedForMessage) is \
        loaded. Look the model up, which keeps the added and removed members, or use save.
        """, identifier: model.storedIdentifier)
    }
  }

  private init(
    _ kind: Kind, _ model: M, _ begun: SaveSnapshot, _ scope: ModelScope, explicitNull: Bool?,
    isWhole: Bool
  ) throws {
    self.kind = kind
    self.isWhole = isWhole
    self.model = model
    earlierDeletions = model.deletionCount
    self.scope = scope
    identifier = begun.identifier
    fields = begun.fields
    self.explicitNull = explicitNull
    stamp = begun.stamp
    recordedSave = begun.save
    content = .values([])
    try captureSnapshot(begun)
  }

  /// Stores the captured values.
  private mutating func captureSnapshot(_ begun: SaveSnapshot) throws {
    marked = nil
    if begun.isComplete, let bytes = begun.bytes {
      content = .bytes(bytes)
      return
    }
    do {
      let context = Self.context(scope, explicitNull)
      let list = fields.fields(of: model)
      content = try begun.bytes.map(Content.bytes) ?? .values(try model.storedValues(of: list, in: context))
      if kind == .update, isWhole, case .values(let values) = content {
        content = .values(values + model.storedUnknownValues(in: context, isUnsaved: true))
      }
      if identifier == nil, model.mayBeInCycle {
        marked = try model.storedValues(of: list, in: context, identifiedBy: identifierMark)
      }
    } catch {
      throw ModelStoreError(
        .invalid,
        "This \(model.storedTypeName.nameForMessage) was not written: \("\(error)".shortenedForMessage(atMost: 700))",
        identifier: identifier,
        cause: error)
    }
  }

  private static func context(_ scope: ModelScope, _ explicitNull: Bool?) -> ValueTransformerContext {
    var context = scope.transformers
    if let explicitNull { context.explicitNull = explicitNull }
    return context
  }

  /// The format in which an update writes records.
  var updateContext: ValueTransformerContext { Self.context(scope, true) }

  /// The type name of the model.
  public var typeName: String { model.storedTypeName }

  /// Assigns the first identifier of a model. It is written with the record, and set on the model when the save
  /// finishes.
  ///
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier` if the model has no field that can hold it.
  public mutating func assign(identifier: String) throws {
    guard let value = model.storedValue(ofIdentifier: identifier, in: Self.context(scope, explicitNull)) else {
      throw ModelStoreError(
        .noIdentifier,
        """
        This \(typeName.nameForMessage) was not written: it has no field that can hold the identifier \
        \(identifier.quotedForMessage). Override identifierField with a field of integers or strings.
        """)
    }
    self.identifier = identifier
    isIdentifierNew = true
    if let marked {
      content = .values(marked.map { $0.replacing(identifierMark, by: value.value) })
      self.marked = nil
    }
    add(value)
  }

  /// Resolves references between new models that are written together. Sets their identifiers, and captures their
  /// values again. Does nothing if no model can reference another one.
  ///
  /// - Parameters:
  ///   - saves: the saves that are written together. Each has an identifier.
  ///   - log: the log that removes the identifiers if nothing is written.
  ///   - check: throws for a save that is rejected, such as one whose identifier is taken, before any model is changed.
  /// - Throws: the errors of the check; ``ModelStoreError`` with the code `invalid` for a value that can't be written.
  package static func join(
    _ saves: inout [SaveOperation], in log: StoreTransactionLog, check: (SaveOperation) throws -> Void
  ) throws {
    // By index, because a copy of each save would cost more than the check.
    guard saves.count > 1, saves.indices.contains(where: { saves[$0].mayBeReferenced }) else { return }
    for save in saves { try check(save) }
    for save in saves { save.begin(in: log) }
    for index in saves.indices {
      let save = saves[index]
      try saves[index].captureSnapshot(
        SaveSnapshot(
          save.model, identifier: save.identifier, save.fields, asOf: save.stamp,
          save.scope.recordWriter(explicitNull: save.explicitNull)))
      if saves[index].isIdentifierNew, let identifier = saves[index].identifier {
        try saves[index].assign(identifier: identifier)
      }
    }
  }

  /// Whether models that are written together with this one may reference it before it has an identifier.
  var mayBeReferenced: Bool { isIdentifierNew && model.mayBeInCycle }

  private mutating func add(_ value: StoredValue) {
    if case .bytes(let bytes) = content, value.path.count == 1,
      let member = try? JSONValue.object([value.path[0]: value.value]).jsonData(JSONWritingOptions(sortedKeys: true)),
      let merged = RecordBytes.merging(Array(member), into: bytes)
    {
      content = .bytes(merged)
    } else {
      content = .values(changes + [value])
    }
  }

  // MARK: Captured values

  /// The values to write, one by one.
  var changes: [StoredValue] {
    switch content {
    case .values(let values): values
    case .bytes(let bytes): Self.object(of: bytes).map { StoredValue(path: [$0], value: $1) }
    }
  }

  /// The values to write, as one object.
  ///
  /// - Complexity: O(*n*) in the size of the record, each time.
  public var record: AttributeDictionary {
    switch content {
    case .values: merged(into: [:])
    case .bytes(let bytes): Self.object(of: bytes)
    }
  }

  /// Returns an older record with the written fields replaced.
  public func merged(into older: AttributeDictionary) -> AttributeDictionary {
    var record = older
    changes.write(to: &record, keeping: older.isEmpty ? [] : model.nestedPaths(in: updateContext))
    return record
  }

  /// Returns the values to write, as the bytes of one JSON object with sorted keys.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a value that can't be written.
  package func recordBytes() throws -> [UInt8] {
    switch content {
    case .values: try bytes(of: record)
    case .bytes(let bytes): try RecordLimits.checked(bytes, of: typeName, identifier)
    }
  }

  /// Returns the bytes of an older record with the written fields replaced.
  ///
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if the older record is not an object. The code is `invalid`
  ///   for a value that can't be written, or if the record would be read as another class.
  package func merged(intoBytes older: [UInt8]) throws -> [UInt8] {
    let merged = try bytes(mergedInto: older)
    if M.hierarchyChoosesClasses { try refuseOtherClass(merged, insteadOf: older) }
    return merged
  }

  private func refuseOtherClass(_ record: [UInt8], insteadOf older: [UInt8]) throws {
    let modelClass = type(of: model)
    let stored = modelClass.storedClass(for: Self.object(of: record))
    guard stored != modelClass, modelClass.storedClass(for: Self.object(of: older)) == modelClass else { return }
    throw ModelStoreError(
      .invalid,
      """
      This \(modelClass.displayName) was not written: it would be read back as \(stored.displayName). Its changes are kept: \
      revert them, or create a new model of that class and delete this one.
      """, identifier: identifier)
  }

  private func bytes(mergedInto older: [UInt8]) throws -> [UInt8] {
    if case .bytes(let changes) = content, let merged = RecordBytes.merging(changes, into: older) {
      return try RecordLimits.checked(merged, of: typeName, identifier)
    }
    guard case .object(let record)? = try? JSONValue(json: older) else {
      throw ModelStoreError(
        .corrupt,
        """
        This \(typeName.nameForMessage) was not written: the record stored under the identifier \
        \((identifier ?? "").quotedForMessage) is not a JSON object. Nothing was changed: delete the model, and create it again.
        """, identifier: identifier)
    }
    return try bytes(of: merged(into: record))
  }

  private func bytes(of record: AttributeDictionary) throws -> [UInt8] {
    do {
      let bytes = Array(try JSONValue.object(record).jsonData(JSONWritingOptions(sortedKeys: true)))
      return try RecordLimits.checked(bytes, of: typeName, identifier)
    } catch let error as JSONWritingError {
      throw ModelStoreError(
        .invalid, "This \(typeName.nameForMessage) was not written: \("\(error)".shortenedForMessage(atMost: 700))",
        identifier: identifier, cause: error)
    }
  }

  private static func object(of bytes: [UInt8]) -> AttributeDictionary {
    (try? JSONValue(json: bytes))?.objectValue ?? [:]
  }

  // MARK: Finishing

  /// Marks the values as written. Registers the model in the store's scope, marks the written fields as clean unless
  /// they were edited since, and runs the hook.
  ///
  /// - Parameter answer: the record as the store wrote it, if the store may have changed it. Fields that were edited
  ///   since keep their values.
  /// - Throws: `ModelDecodingError` if the answer can't be read into the model, which is then unchanged.
  public func finish(answer: AttributeDictionary? = nil) throws {
    try finish(answer: answer, in: nil)
  }

  /// As ``finish(answer:)``; inside a transaction, the hook waits for its end.
  package func finish(answer: AttributeDictionary? = nil, in transaction: StoreTransactionLog?) throws {
    if let transaction {
      begin(in: transaction)
      try complete(answer: answer)
      let isSkipped = ModelHook.areSkipped
      return transaction.atEnd { [model, scope, hook] in
        // A read that began before the commit has the record from before it.
        scope.pendingReads.noteUpdate(of: model)
        hook.run(on: model, unless: isSkipped)
      }
    }
    try complete(answer: answer)
    scope.noteCommit(of: model, writing: fields.fields(of: model), asOf: stamp)
    hook.run(on: model, unless: ModelHook.areSkipped)
  }

  /// Sets the identifier, and marks the model as stored. A transaction that fails takes that back.
  private func begin(in transaction: StoreTransactionLog) {
    let state = model.storeState
    let (isMember, isNew) = (model.scope === scope, isIdentifierNew)
    if isNew { scope.process { assignIdentifier() } }
    model.markStored()
    if kind == .create {
      scope.addCreated(model)
      scope.noteUncommittedCreation(of: model)
    } else {
      scope.add(model)
    }
    transaction.onFailure { [model, scope] in
      // Otherwise another task has deleted it meanwhile.
      guard model.isKnownToStore else { return }
      if !isMember { scope.remove(model) }
      if isNew { model.identifierField?.unload() }
      model.restore(state)
    }
  }

  private func assignIdentifier() {
    guard let identifier, let field = model.identifierField else { return }
    let wasDirty = field.isDirty
    _ = model.assignIdentifier(identifier)
    if !wasDirty { field.markSaved(asOf: .next()) }
  }

  private func complete(answer: AttributeDictionary?) throws {
    let isMember = model.scope === scope
    // A deletion that came after the values were captured: the model stays new.
    let wasDeleted = model.isDeletedFromStore && model.deletionCount != earlierDeletions
    let deletion = kind == .update && wasDeleted ? model.storeState : nil
    // Unless a server chose the identifier: it may answer with a record that was there before.
    let isCreated = kind == .create && (answer == nil || !isIdentifierNew)
    if isCreated, !isIdentifierNew { scope.addCreated(model) }
    let readAnswer: (() -> Void)?
    do {
      readAnswer = try answer.map { try scope.staged($0, into: model, saved: (fields.fields(of: model), stamp)) }
    } catch {
      if !isMember { scope.remove(model) }
      throw error
    }
    if isIdentifierNew, model.storedIdentifier.map({ ExactText($0) }) != identifier.map({ ExactText($0) }) {
      scope.process { assignIdentifier() }
    }
    model.markSaved(writtenFields, asOf: stamp)
    if isWhole { model.markUnknownValuesSaved(asOf: stamp) }
    if isWhole || model.dirtyFields.isEmpty {
      // An update of chosen fields saves no relation that is not among them, so that a revert still cuts its links.
      model.markWhollySaved(asOf: stamp, includingLinks: isWhole)
    }
    let unwritten = kind == .create && !isWhole ? unwrittenFields : []
    if let readAnswer {
      if scope.isRecorded {
        scope.process(answerFor: fields.fields(of: model), readAnswer)
      } else {
        readAnswer()
      }
    }
    if kind == .create { model.markLoaded() }
    model.markUnsaved(unwritten, unlessSetSince: stamp)
    if let deletion {
      model.restore(deletion)
    } else if isCreated {
      scope.addCreated(model)
    } else {
      scope.add(model)
    }
    scope.pendingReads.noteUpdate(of: model)
  }

  /// The fields with a value that a creation with chosen fields left out.
  private var unwrittenFields: [AnyField] {
    let written = Set(fields.fields(of: model).map { ObjectIdentifier($0) })
    return model.storableFields.filter { !written.contains(ObjectIdentifier($0)) && $0 !== model.identifierField }
  }

  /// The fields that were written in full. A link of the model to itself is not, if the store's answer has the
  /// identifier: its field stays dirty.
  private var writtenFields: StoredFields {
    guard identifier == nil, model.mayBeInCycle else { return fields }
    let incomplete = Set(model.fieldsReferencingItself.map { ObjectIdentifier($0) })
    if incomplete.isEmpty { return fields }
    return .list(fields.fields(of: model).filter { !incomplete.contains(ObjectIdentifier($0)) })
  }

  private var hook: ModelHook { kind == .create ? .afterCreate : .afterUpdate }
}

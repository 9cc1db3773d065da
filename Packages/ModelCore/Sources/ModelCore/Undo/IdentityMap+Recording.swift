@_spi(ModelKitInternals) import FieldKit

/// A ``ModelUndo`` that records the models of an identity map.
struct WeakUndo {
  weak var undo: ModelUndo?
}

extension IdentityMap {
  var isRecorded: Bool { !undos.isEmpty || !transactions.isEmpty }

  func add(_ undo: ModelUndo) {
    undos.append(WeakUndo(undo: undo))
    FieldRecording.begin()
    watchUnsaved()
  }

  /// Watches the fields that are dirty already, those of embedded models included.
  func watchUnsaved() {
    guard hasUnwatchedEdits else { return }
    hasUnwatchedEdits = false
    var seen = unsaved
    var pending = Array(unsaved)
    while let model = pending.popLast() {
      model.watchFields()
      // A clean relation embeds clean models only.
      for relation in model.relations where relation.isDirty {
        for embedded in relation.embeddedModels where seen.insert(embedded).inserted { pending.append(embedded) }
      }
    }
  }

  /// Removes a ``ModelUndo`` that is being deallocated.
  func removeUndo() {
    undos.removeAll { $0.undo == nil }
    FieldRecording.end()
  }

  func forEachUndo(_ body: (ModelUndo) -> Void) {
    for entry in undos { if let undo = entry.undo { body(undo) } }
  }

  /// Records a field before its value changes.
  ///
  /// - Parameters:
  ///   - continues: whether the change is a consequence of the edit that was recorded last.
  ///   - replacesEdit: whether a read replaces an unsaved value, of this field or of its inverse.
  func willChange(
    _ field: AnyField, of model: ModelObject, isEdit: Bool, group: AnyObject? = nil, continues: Bool = false,
    replacesEdit: Bool = false
  ) {
    let isEdit = isEdit && !isReadingBaselines && !fieldsBeingRead.contains(ObjectIdentifier(field))
    var takenBackBy: Int?
    for edits in transactions {
      if isEdit || replacesEdit || isReadingBaselines || isReadingDocument {
        edits.willChange(field, of: model)
      } else if edits.willRead(field, of: model) {
        takenBackBy = edits.number
      }
    }
    if let saveChanges, saveChanges.includes(field, isEdit: isEdit) {
      saveChanges.changed[ObjectIdentifier(field)] = field
    } else if isEdit {
      forEachUndo { $0.willEdit(field, of: model, group: group, continues: continues) }
    } else {
      forEachUndo { $0.willRead(field, in: takenBackBy ?? innermostTransaction?.number) }
    }
  }

  /// Runs the revert of a field that is part of a read.
  func readingBaseline<Result>(_ body: () -> Result) -> Result {
    isReadingBaselines = true
    defer { isReadingBaselines = false }
    return body()
  }

  /// Runs a read of a document. A transaction that fails restores the previous values.
  func readingDocument<Result>(_ isDocument: Bool, _ body: () throws -> Result) rethrows -> Result {
    if transactions.isEmpty { return try body() }
    let outer = isReadingDocument
    isReadingDocument = isDocument
    defer { isReadingDocument = outer }
    return try body()
  }

  /// Runs changes that histories don't record, because they restore recorded states.
  func withoutRecording(_ body: () -> Void) {
    let outer = saveChanges
    saveChanges = SaveChanges(read: [])
    defer { saveChanges = outer }
    body()
  }

  /// Runs a part of a save that changes fields. The changes are not edits, but belong to those that are saved.
  ///
  /// - Parameter read: the fields for which values that are read count as well.
  func process<Result>(reading read: [AnyField] = [], _ body: () throws -> Result) rethrows -> Result {
    guard isRecorded, saveChanges == nil else { return try body() }
    let saveChanges = SaveChanges(read: Set(read.map { ObjectIdentifier($0) }))
    self.saveChanges = saveChanges
    defer {
      self.saveChanges = nil
      for field in saveChanges.changed.values { forEachUndo { $0.adoptValue(of: field) } }
    }
    return try body()
  }

  /// Notifies the observers of an edit, and records their edits as a part of it.
  func recordAsOneEdit(_ notify: () -> Void) {
    if isNotifyingOfEdit { return notify() }
    isNotifyingOfEdit = true
    defer { isNotifyingOfEdit = false }
    notify()
  }

  /// Records the edits of a closure as a part of one operation.
  func recordTogether<Result>(as operation: AnyObject, _ body: () throws -> Result) rethrows -> Result {
    guard isRecorded, recordedOperation == nil else { return try body() }
    recordedOperation = operation
    defer { recordedOperation = nil }
    return try body()
  }

  /// The fields that a store or a hook changes during a save.
  final class SaveChanges {
    private let read: Set<ObjectIdentifier>
    var changed: [ObjectIdentifier: AnyField] = [:]

    init(read: Set<ObjectIdentifier>) { self.read = read }

    func includes(_ field: AnyField, isEdit: Bool) -> Bool { isEdit || read.contains(ObjectIdentifier(field)) }
  }
}

/// An operation whose edits are one step.
final class RecordedOperation {}

@_spi(ModelKitInternals)
extension ModelScope {
  /// Records the edits of a closure as one step.
  public func recordTogether<Result>(_ body: () throws -> Result) rethrows -> Result {
    try map.recordTogether(as: RecordedOperation(), body)
  }

  /// Records the edits of a closure that deletes models, such as their cut links, as one step. A history that returned
  /// all of the models for deletion records none: the step that it undid or redid has the links.
  public func recordDeletion<Result>(of models: [ModelObject], _ body: () throws -> Result) rethrows -> Result {
    var awaiting: [ModelUndo] = []
    map.forEachUndo { if $0.modelsToDelete.isSuperset(of: models) { awaiting.append($0) } }
    for undo in awaiting { undo.ignoresEdits = true }
    defer { for undo in awaiting { undo.ignoresEdits = false } }
    return try recordTogether(body)
  }

  /// Records the edits of a closure as a part of an operation, such as of an import, whose edits are one step.
  public func recordTogether<Result>(as operation: AnyObject, _ body: () throws -> Result) rethrows -> Result {
    try map.recordTogether(as: operation, body)
  }

  /// Ends the step of an operation.
  public func endRecording(of operation: AnyObject) { map.forEachUndo { $0.close(operation) } }

  /// Records a model that is about to be created, and adds it to the scope.
  public func noteCreation(of model: ModelObject) {
    if model.identityMap === map { return map.forEachUndo { $0.didJoin(model, group: nil) } }
    map.noteCreation(of: model)
    map.add(model)
  }

  /// Runs a part of a save of a model that changes its fields, such as a hook.
  ///
  /// - Parameter fields: the saved fields, for which the values of the store's response count as saved.
  public func process<Result>(
    answerFor fields: [AnyField] = [], _ body: () throws -> Result
  ) rethrows -> Result {
    try map.process(reading: fields, body)
  }

  /// Whether edits are recorded.
  public var isRecorded: Bool { map.isRecorded }

  /// Whether a ``ModelUndo`` records edits.
  public var hasHistory: Bool { !map.undos.isEmpty }

  /// Returns the fields of a model that a save of the running task writes: those with unsaved changes.
  ///
  /// Fields that an open transaction of another task edited are left out. In a transaction, so are fields that another
  /// task edited since it began. Unsaved changes that another task's transaction saved are written, too: it may fail.
  public func fieldsToSave(of model: ModelObject) -> [AnyField] {
    if map.transactions.isEmpty { return model.unsavedFields }
    let edited = Set(fieldsEditedElsewhere(of: model).map { ObjectIdentifier($0) })
    var uncommitted = map.transactions.flatMap { $0.uncommittedFields(of: model) }
    if !uncommitted.isEmpty {
      // A relation that its inverse stores is in no record.
      let stored = Set(model.storableFields.map { ObjectIdentifier($0) })
      uncommitted.removeAll { !stored.contains(ObjectIdentifier($0)) }
    }
    return (model.unsavedFields + uncommitted).filter { field in
      !edited.contains(ObjectIdentifier(field)) && !map.transactions.contains { $0.leavesToOthers(field, of: model) }
    }
  }

  /// Returns whether an open transaction of another task deleted a model.
  public func isDeletedElsewhere(_ model: ModelObject) -> Bool {
    map.transactions.contains { $0.deletes(model) }
  }

  /// Returns whether an open transaction of another task created a model.
  public func isCreatedElsewhere(_ model: ModelObject) -> Bool {
    map.transactions.contains { $0.uncommittedModels.contains(model) }
  }

  /// Returns the fields of a model to which open transactions of other tasks gave other values.
  public func fieldsEditedElsewhere(of model: ModelObject) -> [AnyField] {
    map.transactions.flatMap { $0.editedFields(of: model) }
  }

  /// Records that the running task committed a save or the deletion of a model. A transaction of another store of the
  /// scope, in which the task is, can't take it back.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - fields: the fields that the save wrote; nil for a deletion or a creation.
  ///   - stamp: when the save captured their values; nil for a deletion or a creation.
  ///   - isCreation: whether the save created the record.
  public func noteCommit(
    of model: ModelObject, writing fields: @autoclosure () -> [AnyField]? = nil, asOf stamp: ChangeStamp? = nil,
    isCreation: Bool = false
  ) {
    if map.transactions.isEmpty { return }
    if isCreation { for edits in map.transactions { edits.didCreateElsewhere(model) } }
    let fields = fields()
    for edits in map.transactions { edits.didCommit(model, fields, asOf: stamp) }
  }

  /// Records that a store deletes a model.
  public func noteDeletion(of model: ModelObject) {
    for edits in map.transactions { edits.willDelete(model) }
    map.forEachUndo { $0.didDelete(model, group: nil) }
  }
}

/// A save of a model, from the capture of the values to its end, even if it fails.
@_spi(ModelKitInternals)
public final class RecordedSave {
  private let model: ModelObject
  // A deletion during the save removes the model from it.
  private weak var map: IdentityMap?

  fileprivate init(_ model: ModelObject, in map: IdentityMap) {
    self.model = model
    self.map = map
    map.forEachUndo { $0.modelsBeingSaved[model] = ObjectIdentifier(self) }
  }

  deinit {
    let id = ObjectIdentifier(self)
    map?.forEachUndo { if $0.modelsBeingSaved[model] == id { $0.modelsBeingSaved[model] = nil } }
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// Records that a save captured the values.
  ///
  /// - Returns: the save, which ends when it is released; nil if edits are not recorded.
  public func noteSaveBegins() -> RecordedSave? {
    guard FieldRecording.isOn, let identityMap, identityMap.isRecorded else { return nil }
    return RecordedSave(self, in: identityMap)
  }

  func noteSaveEnds() {
    guard FieldRecording.isOn else { return }
    identityMap?.forEachUndo { $0.modelsBeingSaved[self] = nil }
  }
}

@_spi(ModelKitInternals) public import FieldKit

extension ModelObject {
  /// The scope this model is part of.
  var memberScope: ModelScope? { identityMap?.scope }

  /// The identity map that records the edits of the model. A model that an open transaction deleted has left it: if the
  /// transaction fails, the edits by other tasks stay.
  var recordingMap: IdentityMap? { identityMap ?? details?.deletion?.openMap }

  /// Returns whether one of two models belongs to a draft, and the other does not. Such models have no links to
  /// inverses.
  func isApart(from other: ModelObject) -> Bool {
    if identityMap === other.identityMap { return false }
    return identityMap?.isDraft == true || other.identityMap?.isDraft == true
  }

  /// Whether the model is new, or has unsaved changes.
  var isUnsaved: Bool {
    if origin == .new { return true }
    var isDirty = false
    forEachField { field, _ in isDirty = isDirty || field.isDirty }
    return isDirty
  }

  /// The identifier under which the scope registers the model.
  var identifierToRegister: RegisteredIdentifier? {
    guard let field = identifierField else { return nil }
    // A cast would cost more than the rest of this function.
    if type(of: field) == Field<Int>.self {
      return unsafeDowncast(field, to: Field<Int>.self).value.map { .number($0) }
    }
    return Self.identifier(in: field).map { RegisteredIdentifier($0) }
  }

  /// Enables notifications of each field's first change.
  ///
  /// - Returns: whether a field has unsaved changes.
  @discardableResult
  func watchFields() -> Bool {
    let identifierIndex = layout.identifierIndex
    var isDirty = false
    forEachField { field, index in
      if field.beginTracking(isFollowed: index == identifierIndex) { isDirty = true }
    }
    if identifierIndex == nil { identifierField?.beginTracking(isFollowed: true) }
    return isDirty
  }

  func endWatchingFields() {
    forEachField { field, _ in field.endTracking() }
    if layout.identifierIndex == nil { identifierField?.endTracking() }
    if watchesFields { forEachField { field, _ in field.beginTracking() } }
  }
}

@_spi(ModelKitInternals)
extension ModelObject: FieldWatcher {
  /// Registers the model under its new identifier.
  public func followedFieldWasSet(_ field: AnyField) { identityMap?.register(self) }

  /// Retains the model in the scope until it is saved.
  ///
  /// An embedded model is saved with its container, which the scope retains in its place.
  public func fieldBecameDirty(_ field: AnyField) {
    markContainers()
    guard let identityMap else {
      if recordingMap != nil { field.beginTracking() }
      return
    }
    if !isRetainedByContainer { identityMap.keep(self) }
    if identityMap.isRecorded { field.beginTracking() } else { identityMap.hasUnwatchedEdits = true }
  }

  /// Records the state of a field before it changes.
  public func fieldWillChange(_ field: AnyField, isEdit: Bool) {
    guard let map = recordingMap, map.isRecorded else { return }
    // A relation notifies for both sides of a change.
    if isEdit, field.isRelation { return }
    map.willChange(field, of: self, isEdit: isEdit)
    if isEdit { field.beginTracking() }
  }

  /// Notifies the observers of a field, and records their edits as a part of the edit of the field.
  public func notifyObservers(of field: AnyField, _ notify: () -> Void) {
    guard let identityMap, identityMap.isRecorded, !identityMap.fieldsBeingRead.contains(ObjectIdentifier(field)) else {
      return notify()
    }
    identityMap.recordAsOneEdit(notify)
  }

  /// Records the state of a field before it is marked as saved.
  public func fieldWillBeSaved(_ field: AnyField, asOf stamp: ChangeStamp?) {
    guard let identityMap else { return }
    for edits in identityMap.transactions { edits.willSave(field, of: self, asOf: stamp) }
  }

  /// Releases the model from the scope if it has nothing left to save.
  public func fieldWasSaved(_ field: AnyField) {
    if isEmbedded {
      field.beginTracking()
      markContainersCleanIfReverted()
    }
    identityMap?.releaseIfSaved(self)
    noteBaseline(of: field)
  }

  /// Records that a field was saved.
  func noteBaseline(of field: AnyField) {
    if FieldRecording.isOn { identityMap?.forEachUndo { $0.noteBaseline(of: field) } }
  }
}

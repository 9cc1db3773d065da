@_spi(ModelKitInternals) import FieldKit

@_spi(ModelKitInternals)
extension ModelObject {
  /// Marks the model as loaded from a document, which may have contained only its identifier.
  ///
  /// - Parameters:
  ///   - isReference: whether the document has only the identifier.
  ///   - isFromStore: whether the document is the record in a store.
  ///   - stamp: the moment before the first value was loaded.
  ///   - isFresh: whether the model was created for the document, and so has no local changes.
  func markReadFromSource(isReference: Bool, isFromStore: Bool, since stamp: ChangeStamp, isFresh: Bool = false) {
    if isFromStore, !isFresh { noteUnknownBaselines() }
    if !isReference {
      modelLoadState = .loaded
    } else if origin == .new {
      modelLoadState = .incomplete
    }
    if origin == .new { endNewState() }
    readVersion = nil
    if !isReference { identityMap?.readModels?.append(self) }
    if isFromStore {
      isStored = true
      isDeleted = false
      details?.documentLoad?.end(at: stamp)
    } else if isStored, !isReference {
      noteDocumentLoad(since: stamp)
    }
  }

  /// Ends the state of a new model, when it is read. Relations that its source lacks are unknown then, and not empty.
  func endNewState() {
    origin = .read
    for index in layout.relationIndices { layout.field(at: index, of: self)?.noteOwnerWasLoaded() }
    for field in details?.dynamicFields ?? [] where field.isRelation { field.noteOwnerWasLoaded() }
  }

  /// Marks the model as edited from a document. A new model that the document only references stays unloaded.
  ///
  /// - Returns: whether the document creates it.
  func becomeEdited(isReference: Bool, _ edits: FieldEdits) -> Bool {
    guard origin == .new, identityMap == nil else { return false }
    if isReference { becomeUnloadedReference() } else { edits.newModels.append(self) }
    return !isReference
  }

  /// Marks the model as loaded from its own record, or as saved in it. The record is complete even if it has only an
  /// identifier; embedded in another model, that would be a reference.
  public func markLoaded() {
    if case .incomplete = modelLoadState { modelLoadState = .loaded }
  }
}

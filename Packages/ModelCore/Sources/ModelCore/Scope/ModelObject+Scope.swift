@_spi(ModelKitInternals) public import FieldKit

extension ModelObject {
  /// The scope this model is part of.
  var memberScope: ModelScope? { identityMap?.scope }

  /// Whether it was made by the app and not saved yet, or has changes that were not.
  var isUnsaved: Bool {
    if origin == .new { return true }
    var isDirty = false
    forEachField { field, _ in isDirty = isDirty || field.isDirty }
    return isDirty
  }

  /// Has every field tell when it changes for the first time.
  func watchFields() {
    let identifierIndex = layout.identifierIndex
    forEachField { field, index in field.beWatched(isFollowed: index == identifierIndex) }
    if identifierIndex == nil { (identifierField as? FieldBase)?.beWatched(isFollowed: true) }
  }

  func endWatchingFields() {
    forEachField { field, _ in field.endWatching() }
    if layout.identifierIndex == nil { (identifierField as? FieldBase)?.endWatching() }
  }
}

@_spi(ModelKitInternals)
extension ModelObject: FieldWatcher {
  /// Moves the model to the place of its new identifier.
  public func followedFieldWasSet(_ field: FieldBase) { identityMap?.register(self) }

  /// Has the scope retain the model until it is saved.
  public func fieldBecameDirty(_ field: FieldBase) { identityMap?.keep(self) }

  /// Lets the scope see whether there is more to be saved.
  public func fieldWasSaved(_ field: FieldBase) { identityMap?.settle(self) }
}

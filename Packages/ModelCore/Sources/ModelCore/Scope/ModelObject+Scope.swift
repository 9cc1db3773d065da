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

  /// What the scope is to know the model by now.
  var identifierToRegister: RegisteredIdentifier? {
    guard let field = identifierField else { return nil }
    // A cast would cost more than all the rest.
    if type(of: field) == Field<Int>.self {
      return unsafeDowncast(field, to: Field<Int>.self).value.map { .number($0) }
    }
    return Self.identifier(in: field).map { RegisteredIdentifier($0) }
  }

  /// Has every field tell when it changes for the first time.
  ///
  /// - Returns: whether a field has changes that were not saved.
  @discardableResult
  func watchFields() -> Bool {
    let identifierIndex = layout.identifierIndex
    var isDirty = false
    forEachField { field, index in
      if field.beWatched(isFollowed: index == identifierIndex) { isDirty = true }
    }
    if identifierIndex == nil { identifierField?.beWatched(isFollowed: true) }
    return isDirty
  }

  func endWatchingFields() {
    forEachField { field, _ in field.endWatching() }
    if layout.identifierIndex == nil { identifierField?.endWatching() }
  }
}

@_spi(ModelKitInternals)
extension ModelObject: FieldWatcher {
  /// Moves the model to the place of its new identifier.
  public func followedFieldWasSet(_ field: AnyField) { identityMap?.register(self) }

  /// Has the scope retain the model until it is saved.
  public func fieldBecameDirty(_ field: AnyField) { identityMap?.keep(self) }

  /// Lets the scope see whether there is more to be saved.
  public func fieldWasSaved(_ field: AnyField) { identityMap?.settle(self) }
}

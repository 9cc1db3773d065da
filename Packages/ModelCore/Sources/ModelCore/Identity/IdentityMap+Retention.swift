// Models that are unsaved, and so retained.
extension IdentityMap {
  /// Retains a model until it is saved.
  func keep(_ model: ModelObject) {
    if attachedScope != nil { unsaved.insert(model) }
  }

  /// Releases a model that has nothing left to save.
  func releaseIfSaved(_ model: ModelObject) {
    if unsaved.contains(model), !model.isUnsaved { release(model) }
  }

  /// Retains a model if it is unsaved, and releases it otherwise.
  func updateRetention(of model: ModelObject) {
    if model.isUnsaved { keep(model) } else { releaseIfSaved(model) }
  }

  /// Releases a model until its next change.
  func release(_ model: ModelObject) {
    guard unsaved.remove(model) != nil else { return }
    model.leaveUnsavedLinks()
    model.watchFields()
  }
}

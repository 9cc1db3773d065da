@_spi(ModelKitInternals) import FieldKit

extension ModelField {
  /// Returns a closure that sets the related model as a local change.
  func edit(_ related: ModelReader.Staged<Related>?, _ edits: FieldEdits) -> () -> Void {
    { [self] in
      set(related?.model, edits)
      guard let related else { return }
      related.link()
      // An inverse in the related object may have cut the link.
      if let owner = ownerModel, owner.modelIdentifier == nil || inverse(on: related.model)?.isToMany == true {
        set(related.model, edits)
      }
    }
  }

  private func set(_ model: Related?, _ edits: FieldEdits) {
    if loadState == .loaded, value === model { return edits.noteEqualValue(of: self) }
    edits.willEdit(self)
    value = model
  }
}

extension ModelArrayField {
  /// Returns a closure that sets the list as a local change.
  func edit(_ related: [ModelReader.Staged<Related>]?, _ edits: FieldEdits) -> () -> Void {
    { [self] in
      var members: Set<ModelObject> = []
      let models = related.map { $0.map(\.model).filter { members.insert($0).inserted } }
      set(models, edits)
      for related in related ?? [] { related.link() }
      if ownerModel?.modelIdentifier == nil { set(models, edits) }
    }
  }

  private func set(_ models: [Related]?, _ edits: FieldEdits) {
    if loadState == .loaded, (value == nil) == (models == nil),
      (value ?? []).elementsEqual(models ?? [], by: ===)
    {
      return edits.noteEqualValue(of: self)
    }
    edits.willEdit(self)
    value = models
  }
}

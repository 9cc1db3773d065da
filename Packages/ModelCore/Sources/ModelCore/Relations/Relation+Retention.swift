@_spi(ModelKitInternals) import FieldKit

@_spi(ModelKitInternals)
extension ModelObject {
  /// Makes one of this model's relations retain its members. Their inverses hold this model weakly from then on, unless
  /// they have unsaved changes.
  ///
  /// - Parameters:
  ///   - relation: the relation.
  ///   - others: members that are left as they are, because they or their inverses retain this model.
  /// - Complexity: O(*n*) in the number of members.
  public func retainMembers(of relation: any RelationField, except others: Set<ObjectIdentifier>) {
    (relation as? any Relation)?.retainLinks(except: others)
  }
}

extension ModelArrayField {
  func retainLinks(except others: Set<ObjectIdentifier>) {
    guard let owner = ownerModel, let members = table?.weakMembers, !members.isEmpty else { return }
    for model in members where model !== owner && !others.contains(ObjectIdentifier(model)) {
      guard let inverse = inverse(on: model), inverse !== self, !inverse.isDirty else { continue }
      // Retained first: the owner may be all that is left to retain the member.
      table?.retain(model)
      inverse.see(owner)
    }
  }
}

extension ModelArrayField {
  func retainLink(to model: ModelObject) {
    if let model = model as? Related { table?.retain(model) }
  }
}

extension ModelField {
  func retainLink(to model: ModelObject) {
    if let model = model as? Related { retain(model) }
  }

  func retainLinks(except others: Set<ObjectIdentifier>) {
    guard readsThroughHook, let owner = ownerModel, let model = liveValue, model !== owner,
      let inverse = inverse(on: model),
      inverse !== self, !inverse.isDirty, !others.contains(ObjectIdentifier(model))
    else { return }
    retain(model)
    inverse.see(owner)
  }
}

extension ModelObject {
  /// Makes the unsaved lists that contain this model retain it, because the scope does not any more. A link that was
  /// made on this side is in their records only.
  func leaveUnsavedLinks() {
    for index in layout.relationIndices {
      guard let relation = layout.field(at: index, of: self) as? any Relation else { continue }
      for (related, list) in retainedLinks(of: relation) where list.isDirty {
        list.retainLink(to: self)
        relation.see(related)
      }
    }
  }

  /// Undoes ``leaveUnsavedLinks()`` for a relation that a failed transaction gave back its links. Otherwise both sides
  /// would retain each other.
  func retainUnsavedLinks(of field: AnyField) {
    guard let relation = field as? any Relation, relation.isDirty else { return }
    for (_, list) in retainedLinks(of: relation) { list.see(self) }
  }

  /// Returns the models that a relation retains and that store the link in lists of their own, with these.
  private func retainedLinks(of relation: any Relation) -> [(related: ModelObject, list: any Relation)] {
    guard isStoredOnlyByInverse(relation) else { return [] }
    return relation.retainedModels.compactMap { related in
      guard let list = relation.inverse(on: related), list.isForeignKey, list.isToMany else { return nil }
      return (related, list)
    }
  }
}

extension Relation {
  /// Makes exactly one side of each link retain the model of the other, because only one side was restored.
  ///
  /// If both sides retain, a foreign key continues to. If neither does, a list begins to, because its owner may be all
  /// that a caller holds. But a new model is retained by its caller only.
  func balanceLinks() {
    guard let owner = ownerModel else { return }
    for model in liveModels where model !== owner {
      guard let inverse = inverse(on: model), inverse.refers(to: owner) else { continue }
      // A baseline may retain the model, too, until the save.
      let isRetained = retainsLink(to: model)
      guard isRetained == inverse.retainsLink(to: owner) else { continue }
      if isRetained {
        if inverse.isForeignKey { see(model) } else { inverse.see(owner) }
        continue
      }
      let retains =
        if isToMany { model.origin == .read } else { inverse.isToMany ? owner.origin == .new : isForeignKey }
      if retains { retainLink(to: model) } else { inverse.retainLink(to: owner) }
    }
  }
}

@_spi(ModelKitInternals)
extension RelationField {
  /// Marks a relation as loaded after a store found all related models by their inverse. The caller keeps them live.
  public func markMembersLoaded() { (self as? any Relation)?.markLoaded() }
}

extension ModelField {
  func markLoaded() {
    guard ownerModel?.origin == .read else { return }
    // The related model is live if there is one, so a deallocated one is not stored as such any more.
    if !isDirty { removeReleasedModel() }
    if loadState != .loaded { loadState = .loaded }
  }
}

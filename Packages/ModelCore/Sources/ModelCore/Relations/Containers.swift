@_spi(ModelKitInternals) public import FieldKit

/// The relations that embed a model, held weakly. A model without identifier is part of the record of the model that
/// contains it, so its edits are edits of these relations.
struct Containers {
  private struct WeakRelation {
    weak var field: AnyField?
  }

  private var links: [ObjectIdentifier: WeakRelation] = [:]
  /// The number of links at which those of deallocated relations are removed.
  private var limit = 8

  var isEmpty: Bool { links.isEmpty }

  /// The relations that are live. Previous ones are among them.
  var relations: [any Relation] { links.values.compactMap { $0.field as? any Relation } }

  /// Returns whether a relation embeds a model, and no other one does.
  func areOnly(_ relation: any Relation, of model: ModelObject) -> Bool {
    guard links[ObjectIdentifier(relation)]?.field === relation, relation.embeds(model) else { return false }
    return links.count == 1 || relations.allSatisfy { $0 === relation || !$0.embeds(model) }
  }

  /// - Returns: `false` if the relation was added before.
  mutating func add(_ relation: AnyField) -> Bool {
    let id = ObjectIdentifier(relation)
    // The address may have been that of another relation before.
    if let known = links[id], known.field === relation { return false }
    if links.count >= limit {
      links = links.filter { $0.value.field != nil }
      limit = max(8, links.count * 2)
    }
    links[id] = WeakRelation(field: relation)
    return true
  }
}

extension ModelObject {
  /// Whether the model has no identifier yet, so that only a model that contains it can be saved.
  var hasNoIdentifier: Bool {
    if registeredIdentifier != nil { return false }
    if let index = layout.identifierIndex, layout.field(at: index, of: self)?.isUnset == true { return true }
    return identifierToRegister == nil
  }

  /// Whether a relation embeds the model.
  var isEmbedded: Bool {
    guard let containers = details?.containers, !containers.isEmpty, isPartOfContainer else { return false }
    return containers.relations.contains { $0.embeds(self) }
  }

  /// Whether a relation that embeds the model retains it.
  var isRetainedByContainer: Bool {
    guard let containers = details?.containers, !containers.isEmpty, isPartOfContainer else { return false }
    return containers.relations.contains { $0.retains(self) }
  }

  /// The models whose records contain this embedded one.
  var containingModels: [ModelObject] {
    var found: [ModelObject] = []
    var seen: Set<ModelObject> = [self]
    var pending = [self]
    while let model = pending.popLast() {
      let relations = model.details?.containers.relations.filter { $0.embeds(model) } ?? []
      for owner in relations.compactMap(\.ownerModel) where seen.insert(owner).inserted {
        if owner.isEmbedded { pending.append(owner) } else { found.append(owner) }
      }
    }
    return found
  }

  /// Whether the model can only be saved with a container. A new one of a class with identifier may still get a record
  /// of its own, until it is saved with a container.
  var isPartOfContainer: Bool { hasNoIdentifier && (origin != .new || identifierField == nil) }

  /// Whether fields notify this model of their first change.
  var watchesFields: Bool { recordingMap != nil || details?.containers.isEmpty == false }

  /// Records a relation that embeds the model, if the model has no identifier.
  func noteContainer(_ relation: AnyField) {
    guard hasNoIdentifier, detailsForWriting.containers.add(relation) else { return }
    forEachField { field, _ in if !field.isDirty { field.beginTracking() } }
  }

  /// Returns whether a record at the position of this embedded model is read into it. The model is clean and in no
  /// other record, and keeps no value that the record lacks. So the result equals a new model.
  ///
  /// - Parameters:
  ///   - relation: the relation that is read.
  ///   - isClean: returns whether a field has no change that is not saved.
  ///   - isInRecord: returns whether the record has a value for a field with an index in the layout.
  func isRead(
    in relation: any Relation, isClean: (AnyField) -> Bool, isInRecord: (AnyField, _ index: Int) -> Bool
  ) -> Bool {
    guard let details, details.remainder == nil, details.dynamicFields.isEmpty, isPartOfContainer,
      details.containers.areOnly(relation, of: self), let owner = relation.ownerModel
    else { return false }
    var isRead = true
    forEachField { field, index in
      guard isRead else { return }
      isRead =
        isClean(field)
        && (isInRecord(field, index) || !field.isLoaded || field.describedValue == nil
          || (field as? any Relation)?.refers(to: owner) == true)
    }
    return isRead
  }

  /// Marks the relations that embed the model as changed, and those that embed their models.
  ///
  /// A relation that is dirty already ends the search: the ones around it are dirty, too.
  func markContainers() {
    guard details?.containers.isEmpty == false else { return }
    var clean: [(relation: any Relation, model: ModelObject)] = []
    var seen: Set<ModelObject> = [self]
    var pending = [self]
    while let model = pending.popLast() {
      guard let containers = model.details?.containers, !containers.isEmpty, model.isPartOfContainer else { continue }
      for relation in containers.relations where !relation.isDirty && relation.embeds(model) {
        clean.append((relation, model))
        if let owner = relation.ownerModel, seen.insert(owner).inserted { pending.append(owner) }
      }
    }
    // The outermost first: each mark notifies an owner whose containers are dirty then, and so needs no deep stack.
    for (relation, model) in clean.reversed() where !relation.isDirty { relation.markEmbeddedEdit(of: model) }
  }

  /// Marks the relations that embed the model as clean if nothing is left to save in them.
  func markContainersCleanIfReverted() {
    guard let containers = details?.containers, !containers.isEmpty, isPartOfContainer else { return }
    for relation in containers.relations where relation.isDirty && relation.embeds(self) {
      // The order of the members may be an edit of its own.
      guard (relation.baselineModels ?? []).elementsEqual(relation.liveModels, by: ===) else { continue }
      relation.markCleanIfReverted(asOf: relation.lastChange)
    }
  }

  /// Marks the models that saved relations embed as saved, because they were written with their container. Edits made
  /// since the stamp stay, and so does the change of the relation.
  func markEmbeddedSaved(in fields: [AnyField], asOf stamp: ChangeStamp) {
    var seen: Set<ModelObject> = [self]
    var pending = fields
    var edited: [ModelObject] = []
    while let field = pending.popLast() {
      guard field.isRelation, field.lastChange <= stamp, let relation = field as? any Relation else { continue }
      for model in relation.embeddedModels where seen.insert(model).inserted {
        // The identifier of the container may have been assigned after the link was made.
        model.noteContainer(field)
        if model.markSavedAsEmbedded(asOf: stamp) { edited.append(model) }
        pending += model.allFields
      }
    }
    for model in edited { model.markContainers() }
  }

  /// - Returns: whether a field was changed since the stamp.
  private func markSavedAsEmbedded(asOf stamp: ChangeStamp) -> Bool {
    var isEdited = false
    forEachField { field, _ in
      let wasDirty = field.isDirty
      field.noteComingSave(asOf: stamp)
      // The models that embed this one elsewhere have not been saved.
      field.endTracking()
      field.markSaved(asOf: stamp)
      if wasDirty || field.isDirty { noteBaseline(of: field) }
      if field.isDirty {
        isEdited = true
      } else if field.isRelation {
        (field as? any Relation)?.updateLoadStateAfterWrite()
      }
    }
    origin = .read
    if identityMap != nil { watchFields() } else { forEachField { field, _ in field.beginTracking() } }
    return isEdited
  }
}

extension Relation {
  /// Returns whether the model is written inside the model of this relation.
  ///
  /// The inverse in an embedded model is the container, not another embedded model.
  func embeds(_ model: ModelObject) -> Bool {
    guard !isForeignKey, refers(to: model) else { return false }
    return isToMany || retains(model) || ownerModel?.hasNoIdentifier == false
  }

  /// The models that are written inside the model of this relation, and have no record of their own.
  var embeddedModels: [ModelObject] {
    if isForeignKey { return [] }
    let models = isToMany || ownerModel?.hasNoIdentifier == false ? relatedModels : retainedModels
    return models.filter(\.hasNoIdentifier)
  }

  /// Whether an embedded model has a change that is not saved.
  var hasEmbeddedEdits: Bool {
    embeddedModels.contains { $0.isPartOfContainer && $0.allFields.contains(where: \.isDirty) }
  }

  /// Reverts the models that the baseline embeds.
  func revertEmbedded() {
    guard !isForeignKey else { return }
    for model in baselineModels ?? [] where model.hasNoIdentifier && model !== ownerModel { model.revertFields() }
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// Returns the first field that belongs to another model; nil if there is none.
  public func foreignField(among fields: [AnyField]) -> AnyField? {
    // A model may list fields that it does not own.
    fields.first { field in field.owner !== self && !storableFields.contains { $0 === field } }
  }

  /// Returns the relation of this model whose value contains an embedded model; nil if there is none.
  public func relation(embedding model: ModelObject) -> AnyField? {
    EmbeddedModels(of: self).relations(with: [model]).first
  }

  /// Returns the fields to save that were set at a moment or later, themselves or inside an embedded model.
  public func fieldsToSave(since stamp: ChangeStamp) -> [AnyField] {
    storableFields.filter { $0.wasEdited(since: stamp) || $0.isDirty && hasEmbeddedEdit(in: $0, since: stamp) }
  }

  /// Returns the fields of a record that were read since a moment, apart from the identifier.
  public func storedFields(readSince stamp: ChangeStamp) -> [AnyField] {
    storableFields.filter { !$0.isDirty && $0.lastSet > stamp && $0 !== identifierField }
  }

  private func hasEmbeddedEdit(in field: AnyField, since stamp: ChangeStamp) -> Bool {
    var seen: Set<ModelObject> = [self]
    var pending = [field]
    while let field = pending.popLast() {
      if field.wasEdited(since: stamp) { return true }
      guard field.isRelation, let relation = field as? any Relation else { continue }
      for model in relation.embeddedModels where seen.insert(model).inserted { pending += model.allFields }
    }
    return false
  }
}

extension AnyField {
  /// Returns whether the field has an unsaved value that was set at a moment or later, be it to an equal one.
  fileprivate func wasEdited(since stamp: ChangeStamp) -> Bool { isDirty && max(lastChange, lastSet) >= stamp }
}

@_spi(ModelKitInternals) import FieldKit

/// The models of a draft. The copies are in a scope of their own, and have links to one another on both sides. Their
/// links to other models have no inverse.
final class DraftGraph {
  let scope: ModelScope
  private let root: ModelObject
  /// The relations whose models are copied, retained so that their identities stay theirs.
  private let included: [any RelationField]
  private(set) var models: [DraftedModel] = []
  private var copies: [ObjectIdentifier: ModelObject] = [:]
  private var originals: [ObjectIdentifier: ModelObject] = [:]
  /// The models that were created in the draft.
  private var created: [ModelObject] = []

  init(of root: ModelObject, including included: [any RelationField]) {
    self.root = root
    self.included = included
    scope = ModelScope(map: IdentityMap(draftIn: root.identityMap))
    // The identifiers of a draft are checked when they are set on the originals.
    scope.conflictHandler = { _ in }
    scope.map.draft = self
    load()
  }

  func copy(of original: ModelObject) -> ModelObject? { copies[ObjectIdentifier(original)] }

  /// Adds a new model.
  func add(_ model: ModelObject) {
    scope.map.add(model)
    created.append(model)
  }

  /// Drops all edits.
  func discard() {
    for model in created { scope.map.remove(model) }
    created = []
    load()
  }

  // MARK: Loading

  /// Sets the copies to the present values of the originals.
  func load() {
    let found = draftedModels()
    // The previous originals are retained until their copies were found by their identity.
    let (former, formerCopies) = (models, copies)
    copies = [:]
    originals = [:]
    for original in found {
      let copy = formerCopies[ObjectIdentifier(original)] ?? makeCopy(of: original)
      copies[ObjectIdentifier(original)] = copy
      originals[ObjectIdentifier(copy)] = original
    }
    for model in former where originals[ObjectIdentifier(model.copy)] == nil { scope.map.remove(model.copy) }
    transaction {
      let fields = found.map { pairs(of: $0) }
      copyRelations(fields.joined().compactMap { CopiedRelation($0, $1) })
      models = zip(found, fields).map { original, fields in
        DraftedModel(
          original: original, copy: copies[ObjectIdentifier(original)] ?? original,
          fields: fields.map { DraftedField(original: $0, copy: $1) })
      }
    }
    for model in models {
      scope.map.add(model.copy)
      scope.map.releaseIfSaved(model.copy)
    }
  }

  /// Returns the models to copy: those of included relations, and those that are part of the record of a copied one.
  private func draftedModels() -> [ModelObject] {
    let included = Set(included.map { ObjectIdentifier($0) })
    var found = [root]
    var seen: Set<ModelObject> = [root]
    var next = 0
    while next < found.count {
      for case let relation as any Relation in found[next].orderedFields {
        let models =
          included.contains(ObjectIdentifier(relation))
          ? relation.relatedModels : relation.embeddedModels.filter(\.isPartOfContainer)
        for model in models where seen.insert(model).inserted { found.append(model) }
      }
      next += 1
    }
    return found
  }

  private func makeCopy(of original: ModelObject) -> ModelObject {
    let copy = type(of: original).init()
    scope.transformers.prepare(copy)
    for relation in copy.relations where !relation.relatedModels.isEmpty { relation.unlink(relation.relatedModels) }
    for field in original.details?.dynamicFields ?? [] where copy.counterpart(of: field, at: -1) == nil {
      copy.addCopy(of: field)
    }
    return copy
  }

  /// Copies the states of a model and the values of its fields that are not relations.
  ///
  /// - Returns: the fields of both sides.
  private func pairs(of original: ModelObject) -> [(original: AnyField, copy: AnyField)] {
    guard let copy = copy(of: original) else { return [] }
    copy.copyStates(of: original)
    var pairs: [(original: AnyField, copy: AnyField)] = []
    original.forEachField { field, index in
      guard let other = copy.counterpart(of: field, at: index) else { return }
      pairs.append((field, other))
      if field.isRelation { return }
      other.takeValue(of: field)
      other.markSaved(asOf: .next())
    }
    return pairs
  }

  private func copyRelations(_ relations: [CopiedRelation]) {
    let order = Dictionary(
      relations.enumerated().map { (ObjectIdentifier($1.original), $0) }, uniquingKeysWith: { first, _ in first })
    let former = relations.map { DraftedField.models(of: $0.copiedField) }
    for relation in relations {
      relation.copiedField.reinstateStates(FieldState(of: relation.field), stamp: .next()) {
        relation.refer(toCopies: copies, order)
      }
      relation.copiedField.markSaved(asOf: .next())
      // A member that is added to a list that was never read does not make it complete, here as in the original.
      if relation.field.wasNeverSaved, !relation.field.isDirty { relation.copiedField.discardSaved() }
    }
    for (relation, former) in zip(relations, former) where DraftedField.models(of: relation.copiedField) != former {
      relation.copy.announceReference()
    }
  }

  /// Returns a closure that restores the present state of the draft, in case a transaction of a store that applies it
  /// fails.
  private func restoration() -> () -> Void {
    let (models, copies, originals, created) = (models, copies, originals, created)
    let own = models.map(\.copy) + created
    let states = own.flatMap { model in model.orderedFields.map { (field: $0, state: $0.captureState()) } }
    return { [self] in
      for model in self.models where originals[ObjectIdentifier(model.copy)] == nil { scope.map.remove(model.copy) }
      (self.models, self.copies, self.originals, self.created) = (models, copies, originals, created)
      for model in created { model.markNew() }
      for model in own { scope.map.add(model) }
      scope.map.withoutRecording {
        for (field, state) in states { field.reinstate(state, exactly: true, marksClean: false) }
      }
      for model in own { scope.map.updateRetention(of: model) }
    }
  }

  // MARK: Applying

  /// Returns the model outside of the draft that corresponds to one that the draft references.
  func outer(_ model: ModelObject) -> ModelObject {
    if let original = originals[ObjectIdentifier(model)] { return original }
    // An unloaded reference that was read in the draft.
    guard model.identityMap === scope.map, model.origin == .read, let identifier = model.modelIdentifier else {
      return model
    }
    return scope.map.parent?.canonicalModel(of: model.typeKey, identifier: identifier) ?? model
  }

  /// Compares the changed fields with those of the originals, and the relations that lost an edited embedded model.
  func comparisons() -> [DraftComparison] {
    let (removedThere, removedHere) = removedModels()
    return models.flatMap { model in
      model.fields.compactMap { field in
        let id = ObjectIdentifier(field.original)
        let (lost, discarded) = (removedThere[id] ?? [], removedHere[id] ?? [])
        return field.isChanged || !lost.isEmpty
          ? DraftComparison(field, of: model.original, in: self, losing: lost, discarding: discarded) : nil
      }
    }
  }

  /// Returns the embedded models that were edited here and removed there, or the reverse, by the relation that embedded
  /// them. Models that embed an edited one count as edited.
  ///
  /// - Returns: those that were removed in the originals, and those that were removed in the draft.
  private func removedModels() -> (
    there: [ObjectIdentifier: [ModelObject]], here: [ObjectIdentifier: [ModelObject]]
  ) {
    var containers: [ObjectIdentifier: (container: DraftedModel, field: DraftedField)] = [:]
    for model in models {
      for field in model.fields {
        for embedded in field.baseModels ?? [] where copy(of: embedded) != nil && embedded.isPartOfContainer {
          // The first is the nearest to the root. An inverse would make a cycle.
          if containers[ObjectIdentifier(embedded)] == nil { containers[ObjectIdentifier(embedded)] = (model, field) }
        }
      }
    }
    var there: [ObjectIdentifier: [ModelObject]] = [:], here: [ObjectIdentifier: [ModelObject]] = [:]
    for model in models where model.original !== root {
      let isChanged = model.fields.contains(where: \.isChanged)
      let isChangedElsewhere = model.fields.contains(where: \.isChangedElsewhere)
      if !isChanged, !isChangedElsewhere { continue }
      // Both are edits of the model that is searched first, and of the ones that embed it.
      var embedded = model.original
      while let (container, field) = containers[ObjectIdentifier(embedded)] {
        let id = ObjectIdentifier(field.original)
        let isHere = DraftedField.models(of: field.copy)?.contains { outer($0) === embedded } == true
        let isThere = (field.original as? any Relation)?.refers(to: embedded) == true
        // A list that was read again has other models in the same objects, if its length has changed.
        let isMoved =
          isThere && isChangedElsewhere && embedded.identifierField == nil && field.isChangedElsewhere
          && !field.original.isDirty
        if isChanged, isHere, !isThere || isMoved, there[id]?.contains(embedded) != true {
          there[id, default: []].append(embedded)
        }
        if isChangedElsewhere, !isHere, isThere, here[id]?.contains(embedded) != true {
          here[id, default: []].append(embedded)
        }
        if container.original === root { break }
        embedded = container.original
      }
    }
    return (there, here)
  }

  /// Sets the changed fields on the originals.
  ///
  /// - Parameters:
  ///   - comparisons: the present comparisons.
  ///   - side: returns the side that remains of the conflict at an index; nil if that is not decided.
  func apply(_ comparisons: [DraftComparison], keeping side: (Int) -> EditConflict.Side?) throws(ModelDraftError) {
    let deleted = models.first { model in
      model.original.isDeleted && (model.original === root || model.fields.contains(where: \.isChanged))
    }
    if let deleted { throw ModelDraftError(of: root, deleted: deleted.original) }
    var edits: [DraftEdit] = []
    var conflicts: [EditConflict] = []
    for (index, comparison) in comparisons.enumerated() {
      if let kept = comparison.conflict == nil ? .mine : side(index) {
        edits.append(comparison.edit(keeping: kept))
      } else if let conflict = comparison.conflict {
        conflicts.append(conflict)
      }
    }
    if !conflicts.isEmpty { throw ModelDraftError(of: root, conflicts: conflicts) }
    if let transaction = root.identityMap?.innermostTransaction { transaction.onFailure(restoration()) }
    transaction {
      releaseCreated(referencedBy: edits)
      for edit in edits { edit.apply() }
      load()
    }
  }

  /// The models that were created in the draft and reference a copy.
  var createdWithReferences: [ModelObject] {
    created.filter { model in
      model.relations.contains { $0.relatedModels.contains { originals[ObjectIdentifier($0)] != nil } }
    }
  }

  /// Makes the models that were created in the draft ordinary ones, with links that have inverses.
  private func releaseCreated(referencedBy edits: [DraftEdit]) {
    var found: [ModelObject] = []
    var known: Set<ModelObject> = []
    func visit(_ models: [ModelObject]) {
      for model in models where model.identityMap === scope.map && originals[ObjectIdentifier(model)] == nil {
        if known.insert(model).inserted { found.append(model) }
      }
    }
    for edit in edits { visit(edit.models ?? []) }
    visit(createdWithReferences)
    var next = 0
    while next < found.count {
      for relation in found[next].relations { visit(relation.relatedModels.map(outer)) }
      next += 1
    }
    let links = found.flatMap(\.relations).compactMap { relation in
      let models = relation.relatedModels.map(outer)
      return models.isEmpty ? nil : (relation: relation, models: models)
    }
    for model in found { scope.map.remove(model) }
    for link in links { link.relation.refer(to: [], isUneven: false) }
    // Lists first, because they have an order.
    for isToMany in [true, false] {
      for link in links where link.relation.isToMany == isToMany {
        for model in link.models { _ = link.relation.link(model) }
      }
    }
    created.removeAll { known.contains($0) }
  }
}

@_spi(ModelKitInternals) import FieldKit

extension ModelObject {
  /// The relations that a save would write and that reference a deleted model, each with that model.
  ///
  /// A link that is already saved is left to the store, which cuts it. An embedded model is not a link.
  private var linksToDeletedModels: [(field: AnyField, model: ModelObject)] {
    // A new model that a cascade removed is in no scope.
    identityMap?.hasDeletions == false ? [] : unsavedLinks(where: \.isDeleted)
  }

  /// Returns the foreign keys that a save would write and that reference a model for which a condition holds.
  private func unsavedLinks(
    where condition: (ModelObject) -> Bool
  ) -> [(field: AnyField, model: ModelObject)] {
    if layout.relationIndices.isEmpty, !hasDynamicFields { return [] }
    var links: [(field: AnyField, model: ModelObject)] = []
    forEachField { field, _ in
      guard field.isRelation, field.isDirty, let relation = field as? any Relation, relation.isForeignKey,
        let model = relation.relatedModels.first(where: condition)
      else { return }
      links.append((field, model))
    }
    return links
  }

  /// Adds an error for each relation that references a deleted model, or one that an open transaction of another task
  /// created. That transaction may fail, and the link would remain.
  func addErrorsOfDeletedModels() {
    func add(_ links: [(field: AnyField, model: ModelObject)], _ code: String, _ reason: String) {
      for (field, model) in links {
        let name = model.modelIdentifier.map { "\(model.layout.typeName) \"\($0)\"" } ?? model.layout.typeName
        field.addViolation(RuleViolation(code: code, message: "refers to \(name), which \(reason)"))
      }
    }
    add(linksToDeletedModels, "deletedModel", "was deleted")
    add(
      linksToUncommittedModels, "uncommittedModel",
      "an open transaction of another task created: save again when that has ended")
  }

  private var linksToUncommittedModels: [(field: AnyField, model: ModelObject)] {
    let created = identityMap?.modelsCreatedElsewhere ?? []
    return created.isEmpty ? [] : unsavedLinks(where: created.contains)
  }

  /// Whether a save would write a link to a model that does not exist for it.
  var hasInvalidLinks: Bool { !linksToDeletedModels.isEmpty || !linksToUncommittedModels.isEmpty }
}
